// Why a request is not forwarded: a Denial (policy) or a Failure (input and output), both plain
// values.
#pragma once

#include "gateway/contract/report.h"
#include "gateway/http/transport.h"
#include "gateway/pipeline/reason.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// A field that a response of ours carries besides the usual ones (`Allow`, `WWW-Authenticate`,
/// ...).
struct ResponseField {
    std::string_view name; // a literal
    std::string value;
};

/// A decision against a request. The status follows from the reason (respond/problem.h).
/// Only what is named public leaves the house.
struct Denial {
    Reason reason = Reason::internal_error;
    /// One sentence, nothing of an offending value; empty: what the first enforced violation says,
    /// else the reason's own.
    std::string public_detail;
    std::vector<contract::Violation> violations; // of the body, or of the parameters
    std::vector<ResponseField> fields;
    std::string_view log_note;    // a literal for the control-plane log; never sent
    bool more_violations = false; // further ones were found and not kept
};

/// What stands in a problem beside the members of RFC 9457: those that clients of the two shipped
/// APIs look for, or nothing.
enum class ProblemMembers : std::uint8_t { compatible, standard };

/// Where an exchange broke.
enum class Side : std::uint8_t { client, upstream, gateway };

/// Input or output that failed; the client is told `reason` if nothing was sent to it yet.
struct Failure {
    Side side = Side::gateway;
    Reason reason = Reason::internal_error;
    boost::system::error_code error;
    std::string_view what; // a literal for people: "connect", "read the response head"
};

/// For a failure of which the client can still be told: the reason's own sentence, nothing of the
/// cause.
[[nodiscard]] Denial denial_of(Failure const& failure);
[[nodiscard]] Denial denial_of(http::Refusal const& refusal);
/// For a body part that is refused or failed; null where the client itself is gone.
[[nodiscard]] std::unique_ptr<Denial> denial_of(http::BodyPart const& part);

} // namespace sallyport::pipeline
