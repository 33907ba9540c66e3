// Authenticates callers with JSON Web Tokens (RFC 7519; RFC 8725) in Bearer credentials.
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view jwt_name = "jwt";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_jwt(pipeline::Api const& api);

/// RFC 6750, 3.
[[nodiscard]] std::string jwt_challenge(std::string_view realm);

} // namespace sallyport::plugins
