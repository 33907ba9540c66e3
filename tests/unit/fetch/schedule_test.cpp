// When a value is fetched again, and when it is not used any more.
#include "gateway/fetch/schedule.h"

#include <catch2/catch.hpp>

namespace schedule_test {

using namespace sallyport;
using namespace sallyport::fetch;
using namespace std::chrono_literals;

namespace {

net::Clock::time_point const start{1000h};

ScheduleSettings const settings{.interval = 300s,
                                .shortest = 30s,
                                .longest = 1h,
                                .first_pause = 1s,
                                .keep = 600s,
                                .least_between = 10s};

net::Clock::duration after_success(std::optional<std::chrono::seconds> fresh_for, double jitter) {
    Schedule schedule{settings};
    schedule.succeeded(start, fresh_for, std::nullopt, jitter);
    return schedule.next() - start;
}

} // namespace

TEST_CASE("after a success the next fetch comes when the value is not fresh any more") {
    CHECK(after_success(std::nullopt, 0) == 300s);
    CHECK(after_success(60s, 0) == 60s);
}

TEST_CASE("what a response says is kept within bounds") {
    CHECK(after_success(0s, 0) == 30s);
    CHECK(after_success(29s, 0) == 30s);
    CHECK(after_success(100h, 0) == 1h);
}

TEST_CASE("the jitter makes a fetch earlier by a tenth at most, never later") {
    CHECK(after_success(100s, 1) == 90s);
    CHECK(after_success(100s, 0.5) == 95s);
    CHECK(after_success(100s, 7) == 90s);
    CHECK(after_success(100s, -1) == 100s);
}

TEST_CASE("pauses double with each failure, up to the interval") {
    Schedule schedule{settings};
    for (auto const pause : {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 300s, 300s}) {
        schedule.failed(start, 0);
        CHECK(schedule.next() - start == pause);
        CHECK(schedule.is_failing());
    }
    for (int i = 0; i < 100; ++i)
        schedule.failed(start, 0);
    CHECK(schedule.next() - start == 300s);
    schedule.succeeded(start, std::nullopt, std::nullopt, 0);
    CHECK_FALSE(schedule.is_failing());
    schedule.failed(start, 0);
    CHECK(schedule.next() - start == 1s);
}

TEST_CASE("a value expires a while after the last success, whatever failed since") {
    Schedule schedule{settings};
    CHECK(schedule.expires() == std::nullopt);
    schedule.failed(start, 0);
    CHECK(schedule.expires() == std::nullopt);
    schedule.succeeded(start, std::nullopt, std::nullopt, 0);
    CHECK(*schedule.expires() - start == 600s);
    schedule.failed(start + 300s, 0);
    CHECK(*schedule.expires() - start == 600s);
    schedule.expired();
    CHECK(schedule.expires() == std::nullopt);
}

TEST_CASE("a value never expires before it is to be fetched again") {
    Schedule schedule{settings};
    schedule.succeeded(start, 30min, std::nullopt, 0);
    CHECK(*schedule.expires() - start == 30min);
}

TEST_CASE("a value that says when it expires is not kept longer, and not shorter") {
    Schedule schedule{settings};
    schedule.succeeded(start, 45s, 54s, 0);
    CHECK(*schedule.expires() - start == 54s);
    CHECK(schedule.next() - start == 45s);
    schedule.succeeded(start, 45s, 5h, 0);
    CHECK(*schedule.expires() - start == 5h);
}

TEST_CASE("a fetch on request waits until some time after the last one began") {
    Schedule schedule{settings};
    CHECK(schedule.may_begin(start));
    schedule.began(start);
    CHECK_FALSE(schedule.may_begin(start));
    CHECK_FALSE(schedule.may_begin(start + 9999ms));
    CHECK(schedule.may_begin(start + 10s));
}

} // namespace schedule_test
