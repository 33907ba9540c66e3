// Whether a response was held against the contract, and if not, why not: for the metrics.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

enum class ResponseCheck : std::uint8_t {
    none,       // it was not wanted
    checked,    // read as JSON, and held against the schema; violations say what came of it
    status,     // the contract does not declare its status
    no_body,    // it can have none: to HEAD, 204, 304
    media_type, // the contract does not declare its media type
    no_schema,  // the contract says nothing of such a body
    coding,     // its content coding is unknown or broken
    incomplete, // it broke off, or its client left
    too_large,  // longer than limits.body, as it came or decoded
    budget,     // limits.buffered_bodies had no room for a copy
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
    }
    return {};
}

} // namespace sallyport::pipeline
