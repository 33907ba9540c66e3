// Decides whether a request is sent again.
#pragma once

#include "gateway/http/method.h"
#include "gateway/upstream/pool.h"

#include <cstdint>

namespace sallyport::upstream {

/// Whether a request may reach its upstream twice.
enum class Repeatable : std::uint8_t { no, yes };

struct RequestFacts {
    http::Method method = http::Method::unknown;
    bool is_query = false;         // the method QUERY, which Beast does not know
    bool is_marked_safe = false;   // by its operation: x-retry, or `retry` of a rule
    bool is_marked_unsafe = false; // by `retry: never` of a rule
    bool is_body_streamed = false; // bytes that were relayed are not available again
};

/// RFC 9110, 9.2.2, but narrower: safe methods (QUERY too, by its definition), and operations that
/// are marked.
[[nodiscard]] constexpr Repeatable judge_repetition(RequestFacts const& request) noexcept {
    if (request.is_body_streamed || request.is_marked_unsafe) return Repeatable::no;
    bool const reads = request.method == http::Method::get || request.method == http::Method::head
                       || request.is_query;
    return reads || request.is_marked_safe ? Repeatable::yes : Repeatable::no;
}

/// The requirement on its first connection: only a repeatable request may use one that may turn out
/// to be closed.
[[nodiscard]] constexpr Freshness first_freshness(Repeatable repeatable) noexcept {
    return repeatable == Repeatable::yes ? Freshness::any : Freshness::fresh_or_recent;
}

struct FailedExchange {
    Repeatable repeatable = Repeatable::no;
    bool is_first = true;
    bool was_kept = false;     // its connection had carried an exchange before
    bool was_broken = false;   // the connection ended or failed, rather than a deadline or an
                               // invalid response
    bool has_response = false; // a byte of one arrived
    bool is_wanted = true;     // its client is waiting, and its time is not over
};

/// Once, on a new connection, if a kept one ended before a byte of a response arrived: as happens
/// when the server has closed it meanwhile.
[[nodiscard]] constexpr bool should_retry(FailedExchange const& attempt) noexcept {
    return attempt.repeatable == Repeatable::yes && attempt.is_first && attempt.was_kept
           && attempt.was_broken && !attempt.has_response && attempt.is_wanted;
}

} // namespace sallyport::upstream
