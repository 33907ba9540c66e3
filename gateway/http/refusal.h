// Why the HTTP layer refuses received bytes: a constant with a kind, a name and a text.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::http {

/// The kind of response; status and `reason` follow from it in one place, outside of this module.
enum class RefusalKind : std::uint8_t {
    bad_request,            // 400, and close: the begin of the next request is uncertain
    head_too_large,         // 431, and close
    expectation_failed,     // 417
    unsupported_media_type, // 415
    body_too_large,         // 413
    malformed_body,         // 400: the framing is valid, the content is not
    upstream_invalid,       // 502, and never reuse that connection
};

/// All refusals are constants (rules.h): none contains a byte of the refused message.
struct Refusal {
    RefusalKind kind;
    std::string_view rule;   // stable name, for logs and tests
    std::string_view detail; // for the client: describes the error, never the received bytes
};

/// Null: not refused.
using Refused = Refusal const*;

/// The sender of the bytes.
enum class Sender : std::uint8_t { client, upstream };

} // namespace sallyport::http
