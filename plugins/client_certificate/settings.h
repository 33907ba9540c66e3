// What the certificates of callers are in the configuration.
#pragma once

#include "config/authenticator.h"

namespace sallyport::plugins {

/// A subject, alternative names or fingerprints, in an entry of the file of credentials.
[[nodiscard]] config::Authenticator const& client_certificate_settings();

} // namespace sallyport::plugins
