// Authenticates callers with Bearer tokens that their issuer is asked about (RFC 7662).
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view introspection_name = "introspection";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_introspection(pipeline::Api const& api);

/// RFC 6750, 3.
[[nodiscard]] std::string introspection_challenge(std::string_view realm);

} // namespace sallyport::plugins
