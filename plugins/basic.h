// Authenticates callers with Basic credentials (RFC 7617).
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>

namespace sallyport::plugins {

/// Null where the API does not use it.
std::unique_ptr<pipeline::Plugin> make_basic(pipeline::Api const& api);

} // namespace sallyport::plugins
