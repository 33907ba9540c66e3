// Leaves the credentials of requests to the upstream, which knows its callers.
#pragma once

#include "config/authenticator.h"
#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view upstream_name = "upstream";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_upstream(pipeline::Api const& api);

/// It has a name, and no keys.
[[nodiscard]] config::Authenticator const& upstream_settings();

} // namespace sallyport::plugins
