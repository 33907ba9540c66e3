// Why a request is not forwarded: a Denial (policy) or a Failure (input and output), both plain
// values.
#pragma once

#include "gateway/contract/report.h"
#include "gateway/http/transport.h"
#include "gateway/pipeline/reason.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// A header field of a response in addition to the usual ones (`Allow`, `WWW-Authenticate`,
/// ...).
struct ResponseField {
    std::string_view name; // a literal
    std::string value;
};

/// A decision against a request. The status follows from the reason (respond/problem.h). Only
/// members named public are sent to the client.
struct Denial {
    Reason reason = Reason::internal_error;
    /// One sentence without any value of the request; empty: that of the first enforced violation,
    /// else that of the reason.
    std::string public_detail;
    std::vector<contract::Violation> violations; // of the body, or of the parameters
    std::vector<ResponseField> fields;
    std::string_view log_note;    // a literal for the control log; never sent
    bool more_violations = false; // further ones were found and not stored
};

/// For a request beyond `limit`, which may come again after `wait` (rounded up to whole seconds):
/// the fields say so to any client (RFC 9110, 10.2.3; draft-ietf-httpapi-ratelimit-headers-07, 3),
/// and X-RateLimit-Reset to those of the management API.
[[nodiscard]] Denial rate_limited(std::string public_detail, std::uint64_t limit,
                                  std::chrono::milliseconds wait);

/// The members of a problem besides those of RFC 9457: those that clients of the two shipped APIs
/// expect, or none.
enum class ProblemMembers : std::uint8_t { compatible, standard };

/// The side at which an exchange failed.
enum class Side : std::uint8_t { client, upstream, gateway };

/// A failure of input or output; the client gets `reason` if nothing was sent to it yet.
struct Failure {
    Side side = Side::gateway;
    Reason reason = Reason::internal_error;
    boost::system::error_code error;
    std::string_view what; // a literal for operators: "connect", "read the response head"
};

/// For a failure that can still be reported to the client: the reason's own sentence, without the
/// cause.
[[nodiscard]] Denial denial_of(Failure const& failure);
/// For a refusal of the HTTP layer.
[[nodiscard]] Denial denial_of(http::Refusal const& refusal);
/// For a body part that is refused or failed; null if the client has disconnected.
[[nodiscard]] std::unique_ptr<Denial> denial_of(http::BodyPart const& part);

} // namespace sallyport::pipeline
