// Which requests are repeated: each fact alone prevents it.
#include "gateway/upstream/retry.h"

#include <catch2/catch.hpp>

namespace retry_test {

using namespace sallyport;
using namespace sallyport::upstream;
using http::Method;

TEST_CASE("safe methods may be repeated, and operations that the contract marks") {
    CHECK(judge_repetition({.method = Method::get}) == Repeatable::yes);
    CHECK(judge_repetition({.method = Method::head}) == Repeatable::yes);
    CHECK(judge_repetition({.is_query = true}) == Repeatable::yes);
    CHECK(judge_repetition({.is_query = true, .is_body_streamed = true}) == Repeatable::no);
    for (auto const method : {Method::post, Method::put, Method::patch, Method::delete_,
                              Method::options, Method::unknown}) {
        CHECK(judge_repetition({.method = method}) == Repeatable::no);
        CHECK(judge_repetition({.method = method, .is_marked_safe = true}) == Repeatable::yes);
    }
    for (auto const method : {Method::get, Method::post})
        CHECK(judge_repetition({.method = method, .is_marked_safe = true, .is_body_streamed = true})
              == Repeatable::no);
    CHECK(judge_repetition({.method = Method::get, .is_marked_unsafe = true}) == Repeatable::no);
}

TEST_CASE("a request that must not be repeated uses a new or recently used connection") {
    CHECK(first_freshness(Repeatable::yes) == Freshness::any);
    CHECK(first_freshness(Repeatable::no) == Freshness::fresh_or_recent);
}

TEST_CASE("a request is repeated once, if no upstream can have seen it") {
    FailedExchange const closed_meanwhile{.repeatable = Repeatable::yes,
                                         .is_first = true,
                                         .was_kept = true,
                                         .was_broken = true,
                                         .has_response = false,
                                         .is_wanted = true};
    CHECK(should_retry(closed_meanwhile));
    auto const with = [&](auto change) {
        auto attempt = closed_meanwhile;
        change(attempt);
        return attempt;
    };
    CHECK_FALSE(should_retry(with([](auto& it) { it.repeatable = Repeatable::no; })));
    CHECK_FALSE(should_retry(with([](auto& it) { it.is_first = false; })));
    CHECK_FALSE(should_retry(with([](auto& it) { it.was_kept = false; })));
    CHECK_FALSE(should_retry(with([](auto& it) { it.was_broken = false; })));
    CHECK_FALSE(should_retry(with([](auto& it) { it.has_response = true; })));
    CHECK_FALSE(should_retry(with([](auto& it) { it.is_wanted = false; })));
}

} // namespace retry_test
