// Authenticates callers with Basic credentials (RFC 7617).
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view basic_name = "basic";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_basic(pipeline::Api const& api);

/// RFC 7617, 2.1.
[[nodiscard]] std::string basic_challenge(std::string_view realm);

} // namespace sallyport::plugins
