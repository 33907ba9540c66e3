// What introspection of tokens is in the configuration of an API.
#pragma once

#include "config/authenticator.h"
#include "gateway/fetch/request.h"
#include "gateway/pipeline/known_tokens.h"
#include "plugins/introspection/answer.h"
#include "plugins/introspection/known_answers.h"
#include "plugins/token_callers.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::plugins {

/// With whom the gateway authenticates at the issuer (RFC 7662, 2.1; RFC 6749, 2.3.1).
struct IntrospectionClient {
    std::string id;
    config::Secret secret;
};

struct AnswerCache {
    config::Duration positive = std::chrono::seconds{60};
    config::Duration negative = std::chrono::seconds{10};
    config::Duration keep = std::chrono::minutes{10}; // with `allow_cached`
};

enum class OnFailure : std::uint8_t { deny, allow_cached };

/// As the configuration has them.
struct IntrospectionSettings {
    std::string url;
    config::Origin url_origin;
    IntrospectionClient client;
    std::optional<config::File> ca;
    std::vector<std::string> issuers;
    std::vector<std::string> audiences;
    std::vector<jose::RequiredClaim> required;
    config::Duration leeway = std::chrono::seconds{30};
    AnswerCache cache;
    OnFailure on_failure = OnFailure::deny;
    config::Duration timeout = std::chrono::seconds{5};
    std::uint32_t pending = 64;
    ClaimMapping mapping;
};

/// What the plugin goes by: the settings of an API. Workers share it.
struct IntrospectionVerifier {
    std::shared_ptr<fetch::Target const> target;
    std::shared_ptr<config::Secret const> authorization; // the value of the field
    ExpectedAnswer expected;
    ClaimMapping mapping;
    AnswerTimes times;                // `keep` is 0 with `on_failure: deny`
    std::chrono::milliseconds wait{}; // for an answer
    std::size_t pending = 0;          // tokens that may wait at once, in a worker
    std::string issuer;               // whose names of callers they are
    std::string fingerprint;     // who is asked, and as whom: what is known of tokens depends on it
    pipeline::VerifiedBy number; // that no other one has
};

/// `introspection` of an API.
[[nodiscard]] config::Authenticator const& introspection_settings();

} // namespace sallyport::plugins
