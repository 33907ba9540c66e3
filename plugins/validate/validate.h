// Holds a body against the schema of its operation.
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>

namespace sallyport::plugins {

/// Null where the API does not use it.
[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_validate(pipeline::Api const& api);

} // namespace sallyport::plugins
