// Authenticates callers with Bearer tokens (RFC 6750).
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view bearer_name = "bearer";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_bearer(pipeline::Api const& api);

/// RFC 6750, 3.
[[nodiscard]] std::string bearer_challenge(std::string_view realm);

} // namespace sallyport::plugins
