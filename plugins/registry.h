// Every plugin there is, in the order in which they are called.
#pragma once

#include "config/authenticator.h"
#include "gateway/pipeline/plugin.h"

#include <span>
#include <vector>

namespace sallyport::plugins {

/// One row a plugin; the order within a phase is that of the rows.
[[nodiscard]] std::span<pipeline::PluginRow const> registry();

/// What the authenticators among them add to the configuration, in their order.
[[nodiscard]] std::vector<config::Authenticator const*> authenticators();

} // namespace sallyport::plugins
