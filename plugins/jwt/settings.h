// What JSON Web Tokens are in the configuration of an API.
#pragma once

#include "config/authenticator.h"
#include "gateway/jose/claims.h"
#include "gateway/jose/key_set.h"
#include "gateway/pipeline/known_tokens.h"
#include "plugins/token_callers.h"

#include <memory>
#include <vector>

namespace sallyport::plugins {

/// As the configuration has them.
struct JwtSettings {
    std::vector<std::string> issuers;
    std::vector<std::string> audiences;
    config::File keys;
    std::vector<jose::Algorithm> algorithms;
    config::Duration leeway = std::chrono::seconds{30};
    jose::ExpectedTypes types;
    std::vector<jose::RequiredClaim> required;
    ClaimMapping mapping;
};

/// What the plugin goes by: the settings of an API, with the keys from their file. Workers share
/// it.
struct JwtVerifier {
    jose::Expectations expected;
    ClaimMapping mapping;
    std::shared_ptr<jose::KeySet const> keys;
    pipeline::VerifiedBy number; // that no other one has
};

/// `jwt` of an API.
[[nodiscard]] config::Authenticator const& jwt_settings();

} // namespace sallyport::plugins
