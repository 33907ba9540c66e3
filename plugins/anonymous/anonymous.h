// Lets every request through to an API whose configuration says so explicitly.
#pragma once

#include "config/authenticator.h"
#include "gateway/pipeline/plugin.h"

#include <memory>
#include <string_view>

namespace sallyport::plugins {

inline constexpr std::string_view anonymous_name = "anonymous";

[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_anonymous(pipeline::Api const& api);

/// It has a name, and no keys.
[[nodiscard]] config::Authenticator const& anonymous_settings();

} // namespace sallyport::plugins
