// What an issuer says of a token (RFC 7662, 2.2), read as something that may lie.
#pragma once

#include "gateway/jose/claims.h"
#include "gateway/jose/strict_json.h"
#include "gateway/pipeline/auth_failure.h"

#include <simdjson.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::plugins {

/// What has to hold of a token that is active.
struct ExpectedAnswer {
    std::vector<std::string> issuers;   // `iss` is one of them; empty: not looked at
    std::vector<std::string> audiences; // one of them is in `aud`; empty: not looked at
    std::vector<jose::RequiredClaim> required;
    std::chrono::milliseconds leeway{30'000}; // of clocks
};

/// The largest answer that is read, in bytes.
inline constexpr std::size_t longest_answer = std::size_t{64} * 1024;

struct Answer {
    /// `none`: the token is active, and all that is expected holds.
    pipeline::AuthFailure failure = pipeline::AuthFailure::unavailable;
    std::string_view why;         // a literal for operators
    jose::Unmet unmet;            // with `claim`
    /// If there is no failure, or `claim` alone: valid until the reader reads again.
    simdjson::dom::object claims;
    /// In the same cases: its `exp`. With the leeway the token is refused
    /// from then on, whatever else holds. None: it has none.
    std::optional<jose::TimePoint> expires;
};

/// `unavailable`: it is no answer: no JSON object, beyond the limits, with a member twice, or its
/// `active` is no boolean. `inactive`, `expired`, `not_yet_valid`, `claim`: what it says.
[[nodiscard]] Answer read_answer(jose::StrictJson& json, std::string_view text,
                                 ExpectedAnswer const& expected, jose::TimePoint now);

} // namespace sallyport::plugins
