// What Bearer tokens are in the configuration.
#pragma once

#include "config/authenticator.h"

namespace sallyport::plugins {

/// The digests of fixed tokens, in an entry of the file of credentials.
[[nodiscard]] config::Authenticator const& bearer_settings();

} // namespace sallyport::plugins
