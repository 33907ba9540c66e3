// Which version of Sallyport this is: the project's, as CMakeLists.txt says.
#include "gateway/lifecycle/version.h"

namespace sallyport::lifecycle {

std::string_view version() noexcept {
    return SALLYPORT_VERSION;
}

} // namespace sallyport::lifecycle
