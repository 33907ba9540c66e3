// The outcome of an exchange, for the log and the metrics.
#pragma once

#include "gateway/pipeline/reason.h"
#include "gateway/pipeline/response_check.h"

#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::pipeline {

using Clock = std::chrono::steady_clock;

/// In microseconds, measured at the begin and end of a step; unset if the step did not run.
struct Timings {
    static constexpr std::int64_t unset = -1;

    Clock::time_point started;
    Clock::time_point responded{}; // set if the rest of the request is awaited behind the response
    std::int64_t authenticate = unset;
    std::int64_t validate = unset;
    std::int64_t upstream_connect = unset;
    std::int64_t upstream_first_byte = unset;
    std::int64_t upstream_total = unset;

    /// Part of it: what is missing is learned in between, and then others may be asked.
    void add_authentication(std::int64_t microseconds) {
        authenticate = std::max<std::int64_t>(authenticate, 0) + microseconds;
    }
};

/// The upstream's part of an exchange.
struct UpstreamFacts {
    std::string_view endpoint; // as configured; empty: none was used
    unsigned status = 0;       // 0: no response
    std::string request_id;    // the upstream's own
    unsigned retries = 0;
};

/// `status` is the one that was sent, 0 if none was.
struct Outcome {
    bool is_silent = false; // no request was received: no line
    unsigned status = 0;
    Reason reason = Reason::none;
    std::string_view note;           // a literal for the control log: the exact error
    boost::system::error_code error; // of the system or of TLS, if it adds information
    ResponseCheck response_check = ResponseCheck::none;
    Timings timings;
    UpstreamFacts upstream;
    std::uint64_t generation = 0; // of the snapshot that was used
    std::string response_body;    // in its loggable form: already redacted
};

[[nodiscard]] inline std::int64_t microseconds_between(Clock::time_point started,
                                                       Clock::time_point ended) {
    return std::chrono::duration_cast<std::chrono::microseconds>(ended - started).count();
}

[[nodiscard]] inline std::int64_t microseconds_since(Clock::time_point started) {
    return microseconds_between(started, Clock::now());
}

} // namespace sallyport::pipeline
