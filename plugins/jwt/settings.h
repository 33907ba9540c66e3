// What JSON Web Tokens are in the configuration of an API.
#pragma once

#include "config/authenticator.h"
#include "gateway/jose/claims.h"
#include "plugins/jwt/key_source.h"
#include "plugins/token_callers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::plugins {

/// As the configuration has them.
struct JwtSettings {
    std::vector<std::string> issuers;
    std::vector<std::string> audiences;
    KeySettings keys;
    std::vector<jose::Algorithm> algorithms;
    config::Duration leeway = std::chrono::seconds{30};
    jose::ExpectedTypes types;
    std::vector<jose::RequiredClaim> required;
    ClaimMapping mapping;
};

/// What the plugin goes by: the settings of an API, with the keys. Workers share it.
struct JwtVerifier {
    jose::Expectations expected;
    std::vector<jose::Algorithm> algorithms; // that its keys are for
    ClaimMapping mapping;
    KeySource keys;
    std::uint64_t number = 0; // that no other one has: pipeline::VerifiedBy::verifier
};

/// `jwt` of an API.
[[nodiscard]] config::Authenticator const& jwt_settings();

} // namespace sallyport::plugins
