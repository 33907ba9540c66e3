// What the HTTP layer has against bytes that came in: a constant with a kind, a name and a text.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::http {

/// What to answer; status and `reason` follow from it in one place, outside of this module.
enum class RefusalKind : std::uint8_t {
    bad_request,            // 400, and close: the next request cannot be found with certainty
    head_too_large,         // 431, and close
    expectation_failed,     // 417
    unsupported_media_type, // 415
    body_too_large,         // 413
    malformed_body,         // 400: the framing was fine, the content was not
    upstream_invalid,       // 502, and never use that connection again
};

/// All refusals are constants (rules.h): none holds a byte of what was refused.
struct Refusal {
    RefusalKind kind;
    std::string_view rule;   // stable name, for logs and tests
    std::string_view detail; // for the client: says what is wrong, never what was sent
};

/// Null: nothing against it.
using Refused = Refusal const*;

/// Who sent the bytes.
enum class Sender : std::uint8_t { client, upstream };

} // namespace sallyport::http
