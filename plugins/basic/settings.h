// What Basic credentials are in the configuration.
#pragma once

#include "config/authenticator.h"

namespace sallyport::plugins {

/// A key id and the digests of its secrets, in an entry of the file of credentials.
[[nodiscard]] config::Authenticator const& basic_settings();

} // namespace sallyport::plugins
