// Whether a request is sent again: facts in, decision out.
#pragma once

#include "gateway/http/method.h"
#include "gateway/upstream/pool.h"

#include <cstdint>

namespace sallyport::upstream {

/// Whether a request may reach its upstream twice.
enum class Repeatable : std::uint8_t { no, yes };

struct RequestFacts {
    http::Method method = http::Method::unknown;
    bool is_marked_safe = false;   // by its operation: x-retry-safe
    bool is_body_streamed = false; // what has gone by is not there any more
};

/// RFC 9110, 9.2.2, narrower: what reads only, and what the contract marks.
[[nodiscard]] constexpr Repeatable judge_repetition(RequestFacts const& request) noexcept {
    if (request.is_body_streamed) return Repeatable::no;
    bool const reads = request.method == http::Method::get || request.method == http::Method::head;
    return reads || request.is_marked_safe ? Repeatable::yes : Repeatable::no;
}

/// Of the connection that carries it first: one that may turn out to be closed is for what may be
/// repeated.
[[nodiscard]] constexpr Freshness first_freshness(Repeatable repeatable) noexcept {
    return repeatable == Repeatable::yes ? Freshness::any : Freshness::fresh_or_recent;
}

struct FailedAttempt {
    Repeatable repeatable = Repeatable::no;
    bool is_first = true;
    bool was_kept = false;     // its connection had carried an exchange before
    bool was_broken = false;   // the connection ended or failed, not the time or the response
    bool has_response = false; // a byte of one came
    bool is_wanted = true;     // its client waits, and its time is not over
};

/// Once, on a new connection, where a kept one ended before a byte of a response: as one does that
/// the server has closed meanwhile.
[[nodiscard]] constexpr bool should_retry(FailedAttempt const& attempt) noexcept {
    return attempt.repeatable == Repeatable::yes && attempt.is_first && attempt.was_kept
           && attempt.was_broken && !attempt.has_response && attempt.is_wanted;
}

} // namespace sallyport::upstream
