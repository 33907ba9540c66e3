// Authenticates callers with Bearer tokens (RFC 6750).
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>

namespace sallyport::plugins {

/// Null where the API does not use it.
std::unique_ptr<pipeline::Plugin> make_bearer(pipeline::Api const& api);

} // namespace sallyport::plugins
