// The version of Sallyport.
#pragma once

#include <string_view>

namespace sallyport::lifecycle {

/// "0.1.0"
[[nodiscard]] std::string_view version() noexcept;

} // namespace sallyport::lifecycle
