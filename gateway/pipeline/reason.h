// The closed list of reasons for which a request does not pass: one word for body, log and metric.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

enum class Reason : std::uint8_t {
    none, // the request passed: `null` in the log
    /// Decisions about the request.
    unauthenticated,
    forbidden,
    address_denied,
    origin_denied,
    unknown_operation,
    method_not_allowed,
    bad_request,
    bad_parameter,
    malformed_body,
    contract_violation,
    head_too_large,
    body_too_large,
    unsupported_media_type,
    expectation_failed,
    misdirected,
    timeout,
    rate_limited,
    /// Failures of the upstream, or of the gateway.
    upstream_failed,
    upstream_invalid,
    upstream_head_too_large,
    upstream_too_many_fields,
    upstream_timeout,
    no_upstream,
    issuer_unavailable,
    overloaded,
    draining,
    internal_error,
    /// Occur after a head was sent, or if none could be sent: only in the log.
    client_closed,
    upstream_incomplete,
    response_too_slow,
    tls_failed,
    bad_proxy_header,
    too_many_connections,
    flooded,
    protocol_failed,
    tunnel_idle,
    credential_expired,
};

inline constexpr std::array<std::string_view, 38> reason_words{
    "",
    "unauthenticated",
    "forbidden",
    "address_denied",
    "origin_denied",
    "unknown_operation",
    "method_not_allowed",
    "bad_request",
    "bad_parameter",
    "malformed_body",
    "contract_violation",
    "head_too_large",
    "body_too_large",
    "unsupported_media_type",
    "expectation_failed",
    "misdirected",
    "timeout",
    "rate_limited",
    "upstream_failed",
    "upstream_invalid",
    "upstream_head_too_large",
    "upstream_too_many_fields",
    "upstream_timeout",
    "no_upstream",
    "issuer_unavailable",
    "overloaded",
    "draining",
    "internal_error",
    "client_closed",
    "upstream_incomplete",
    "response_too_slow",
    "tls_failed",
    "bad_proxy_header",
    "too_many_connections",
    "flooded",
    "protocol_failed",
    "tunnel_idle",
    "credential_expired",
};
static_assert(reason_words.size() == static_cast<std::size_t>(Reason::credential_expired) + 1);

/// The word of a reason in problem bodies, the access log and metrics; empty for
/// none.
[[nodiscard]] constexpr std::string_view to_string(Reason reason) {
    return reason_words[static_cast<std::size_t>(reason)];
}

} // namespace sallyport::pipeline
