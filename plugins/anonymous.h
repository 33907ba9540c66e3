// Lets everybody through to an API whose configuration says so aloud.
#pragma once

#include "gateway/pipeline/plugin.h"

#include <memory>

namespace sallyport::plugins {

/// Null where the API does not use it.
std::unique_ptr<pipeline::Plugin> make_anonymous(pipeline::Api const& api);

} // namespace sallyport::plugins
