// The configuration of an upstream, in the form that forwarding uses.
#pragma once

#include "config/types.h"
#include "gateway/http/framing.h"
#include "gateway/pipeline/caller_fields.h"
#include "gateway/upstream/renewed_secret.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::upstream {

struct Timeouts {
    std::chrono::milliseconds connect{3'000};
    std::chrono::milliseconds first_byte{60'000};
    std::chrono::milliseconds idle{30'000};
    std::chrono::milliseconds total{310'000};
};

/// Whether the credential that a client has proved itself with is forwarded, in whatever part of
/// the request it came.
enum class ClientCredential : std::uint8_t {
    unless_issued_here, // not if this gateway has issued it
    pass,
    drop,
};

/// Immutable, owned by the snapshot; only the value of `renewed` changes.
struct Settings {
    std::string name;
    Timeouts timeouts;
    http::HeadLimits response_head; // of its responses
    /// Of an upstream that has one of the next two it does not matter.
    ClientCredential client_credential = ClientCredential::unless_issued_here;
    /// The value of Authorization for this upstream ("Basic ..."); none: it has no credential of
    /// its own, or a renewed one.
    std::optional<config::Secret> authorization;
    /// The same, of a value that changes without a reload; null: none.
    std::shared_ptr<RenewedSecret> renewed;
    /// What of the caller it is told; null: nothing, by none of the APIs.
    std::unique_ptr<pipeline::UpstreamCallerFields const> caller_fields;

    [[nodiscard]] bool has_own_credential() const {
        return authorization.has_value() || renewed != nullptr;
    }
};

} // namespace sallyport::upstream
