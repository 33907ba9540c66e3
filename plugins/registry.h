// Every plugin there is, in the order in which they are asked.
#pragma once

#include "gateway/pipeline/plugin.h"

#include <span>

namespace sallyport::plugins {

/// One row a plugin; the order within a phase is that of the rows.
[[nodiscard]] std::span<pipeline::PluginRow const> registry();

} // namespace sallyport::plugins
