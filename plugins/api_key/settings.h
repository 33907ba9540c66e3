// What API keys are in the configuration.
#pragma once

#include "config/authenticator.h"

#include <string>

namespace sallyport::plugins {

/// Where the key of a request is.
struct ApiKeyPlace {
    std::string header = "X-Api-Key"; // the name of a field; empty: in the query
    std::string query;                // the name of a pair of the query; empty: in the head
};

/// The place of an API, and the digests of keys in an entry of the file of credentials.
[[nodiscard]] config::Authenticator const& api_key_settings();

} // namespace sallyport::plugins
