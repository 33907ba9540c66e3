// Part of `check`: whether the listeners' addresses can be bound, now or when the running gateway
// reloads the configuration.
#pragma once

#include "config/config.h"
#include "config/yaml.h"

#include <string>

namespace sallyport::commands {

/// An error would prevent the start. A warning may only be due to the rights of the user who
/// checks. Addresses of the running gateway of `path` are accepted. Binds each address for a
/// moment, without listening on it.
[[nodiscard]] config::yaml::Problems check_addresses(config::Config const& config,
                                                     std::string const& path);

} // namespace sallyport::commands
