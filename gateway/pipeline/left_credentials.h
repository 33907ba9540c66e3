// Credentials that are left to the upstream: what the gateway knows of them.
#pragma once

#include "gateway/pipeline/decision.h"

namespace sallyport::pipeline {

/// Of a request whose upstream checks who calls: it is of another issuer, and nothing of it was
/// looked at.
inline constexpr Authorization left_to_upstream{{}, {}, Issuer::other};

[[nodiscard]] inline bool is_left_to_upstream(Authorization const& authorization) noexcept {
    return authorization.issuer == Issuer::other && authorization.scheme.empty();
}

/// Whether the upstream gets the cookies of the request.
[[nodiscard]] inline bool forwards_cookies(Decision const& decision) noexcept {
    return decision.api->forward_cookies || is_left_to_upstream(decision.authorization);
}

} // namespace sallyport::pipeline
