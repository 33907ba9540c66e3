// Authorizes: may this credential call this operation, of this organization?
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>

namespace sallyport::plugins {

/// Null where the API does not use it.
[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_allow(pipeline::Api const& api);

} // namespace sallyport::plugins
