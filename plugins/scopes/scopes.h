// Authorizes: has this caller the scopes that the contract asks for (`security: use`)?
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>

namespace sallyport::plugins {

/// Null where no operation of the API needs scopes.
[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_scopes(pipeline::Api const& api);

} // namespace sallyport::plugins
