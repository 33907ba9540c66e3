// What API keys are in the configuration.
#pragma once

#include "config/authenticator.h"
#include "config/secret_place.h"

namespace sallyport::plugins {

/// Where the key of a request is. `own`: what the API says of it; null: nothing.
[[nodiscard]] config::SecretPlace api_key_place(config::SecretPlace const* own);

/// The place of an API, and the digests of keys in an entry of the file of credentials.
[[nodiscard]] config::Authenticator const& api_key_settings();

} // namespace sallyport::plugins
