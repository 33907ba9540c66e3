// The version of Sallyport: the project's version of CMakeLists.txt.
#include "gateway/lifecycle/version.h"

namespace sallyport::lifecycle {

std::string_view version() noexcept {
    return SALLYPORT_VERSION;
}

} // namespace sallyport::lifecycle
