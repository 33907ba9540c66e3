// Of `check`: whether the listeners' addresses can be bound, now or once the gateway that has them
// reads the configuration again.
#pragma once

#include "config/config.h"
#include "config/yaml.h"

#include <string>

namespace sallyport::commands {

/// An error is what would keep the gateway from starting. What may only be due to the rights of the
/// user who checks is a warning, and the running gateway of `path` is in nothing's way. Binds each
/// address for a moment, without listening there.
[[nodiscard]] config::yaml::Problems check_addresses(config::Config const& config,
                                                     std::string const& path);

} // namespace sallyport::commands
