// Authenticates callers with API keys, in a header field or in the query.
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view api_key_name = "api_key";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_api_key(pipeline::Api const& api);

/// RFC 9110, 11.6.1 wants one. No scheme of that name is registered.
[[nodiscard]] std::string api_key_challenge(std::string_view realm);

} // namespace sallyport::plugins
