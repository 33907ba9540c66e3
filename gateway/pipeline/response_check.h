// Whether a response was checked against the contract, and if not, why: for the metrics.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

enum class ResponseCheck : std::uint8_t {
    none,       // no check was configured
    checked,    // parsed as JSON and checked against the schema; violations are recorded separately
    status,     // the contract does not declare its status
    no_body,    // no body is possible: response to HEAD, 204, 304
    media_type, // the contract does not declare its media type
    no_schema,  // the contract has no schema for this body
    coding,     // its content coding is unknown or invalid
    incomplete, // it was truncated, or the client disconnected
    too_large,  // longer than limits.body, as received or decoded
    budget,     // limits.buffered_bodies had no room for a copy
    stream,     // it is a stream by its contract, of which no copy is made
};

/// The cause for which a response was not checked; empty: it was, or no check was wanted.
[[nodiscard]] constexpr std::string_view to_string(ResponseCheck check) noexcept {
    switch (check) {
    case ResponseCheck::none:
    case ResponseCheck::checked: break;
    case ResponseCheck::status: return "status";
    case ResponseCheck::no_body: return "no_body";
    case ResponseCheck::media_type: return "media_type";
    case ResponseCheck::no_schema: return "no_schema";
    case ResponseCheck::coding: return "coding";
    case ResponseCheck::incomplete: return "incomplete";
    case ResponseCheck::too_large: return "too_large";
    case ResponseCheck::budget: return "budget";
    case ResponseCheck::stream: return "stream";
    }
    return {};
}

} // namespace sallyport::pipeline
