// Lines that clients can cause without a request are capped.
#include "gateway/observe/rate_cap.h"

#include <catch2/catch.hpp>

namespace rate_cap_test {

using namespace sallyport::observe;
using namespace std::chrono_literals;

TEST_CASE("beyond its burst a cap allows one per interval, and counts the others") {
    RateCap cap{2, 100ms};
    RateCap::Clock::time_point now{1h};
    CHECK(cap.take(now) == Pass::yes);
    CHECK(cap.take(now) == Pass::yes);
    CHECK(cap.take(now) == Pass::no);
    CHECK(cap.take(now + 99ms) == Pass::no);
    CHECK(cap.suppressed() == 2);
    CHECK(cap.take(now + 100ms) == Pass::yes);
    CHECK(cap.take(now + 199ms) == Pass::no);
    // The elapsed part of an interval is not lost.
    CHECK(cap.take(now + 250ms) == Pass::yes);
    CHECK(cap.take(now + 300ms) == Pass::yes);
    CHECK(cap.take(now + 300ms) == Pass::no);
    CHECK(cap.suppressed() == 4);
}

TEST_CASE("a long pause allows no more than one burst") {
    RateCap cap{2, 100ms};
    RateCap::Clock::time_point now{1h};
    CHECK(cap.take(now) == Pass::yes);
    now += 24h;
    CHECK(cap.take(now) == Pass::yes);
    CHECK(cap.take(now) == Pass::yes);
    CHECK(cap.take(now) == Pass::no);
}

} // namespace rate_cap_test
