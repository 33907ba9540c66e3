// The token of an upstream that an authorization server issues to the gateway (RFC 6749, 4.4).
#pragma once

#include "config/config.h"
#include "gateway/lifecycle/compile.h"
#include "gateway/upstream/renewed_secret.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::lifecycle {

/// What a token endpoint has answered.
struct IssuedToken {
    std::optional<config::Secret> authorization; // "Bearer TOKEN"; none: see `problem`
    std::chrono::seconds lifetime{};             // `expires_in`
    std::string problem; // a sentence without anything of the answer besides its error code
};

/// Without `expires_in` a token counts as valid for so long.
inline constexpr std::chrono::seconds unknown_lifetime = std::chrono::minutes{5};

/// RFC 6749, 5.1.
[[nodiscard]] IssuedToken read_issued_token(std::string_view text);

/// It is asked for at once and in the background, the next one when three quarters of its lifetime
/// are over. With the same settings, also of the next snapshots, it is the same. Null: nothing may
/// be fetched, or a problem was reported.
[[nodiscard]] std::shared_ptr<upstream::RenewedSecret>
issued_token(config::UpstreamClientCredentials const& from, CarriedOver const& carried_over,
             config::yaml::Problems& problems);

} // namespace sallyport::lifecycle
