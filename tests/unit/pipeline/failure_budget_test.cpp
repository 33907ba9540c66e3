// How many failures a source may cause, and for how long it is blocked beyond them.
#include "gateway/pipeline/failure_budget.h"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

namespace failure_budget_test {

using namespace sallyport::pipeline;
using namespace std::chrono_literals;

namespace {

constexpr CallerKey source = 4711;
constexpr CallerKey other = 4712;

struct Budget : FailureBudget {
    Budget() { configure({3, 1min, 1s, 10s}); }
    // The length of the block that begins with this failure, in milliseconds; 0: none begins.
    std::int64_t fail(CallerKey key = source) {
        auto const counted = count(key, now);
        return counted.begins ? counted.blocked_for.count() : 0;
    }
    [[nodiscard]] std::chrono::milliseconds left(CallerKey key) const {
        return look_at(key, now).blocked_for;
    }
    // A block begins.
    void exceed() {
        for (auto i = 0; i < 3; ++i)
            REQUIRE(fail() == 0);
        REQUIRE(fail() == 1000);
    }
    Clock::time_point now{1h};
};

} // namespace

TEST_CASE("the failure after those of the limit begins a block, of that source alone") {
    Budget budget;
    budget.exceed();
    CHECK(budget.left(source) == 1s);
    CHECK(budget.look_at(source, budget.now + 400ms).blocked_for == 600ms);
    CHECK(budget.look_at(source, budget.now + 1s).blocked_for == 0s);
    CHECK(budget.left(other) == 0s);
    CHECK(budget.fail(other) == 0);
    CHECK(budget.blocks() == 1);
}

TEST_CASE("failures are counted within a window, and afresh in the next one") {
    Budget budget;
    for (auto i = 0; i < 3; ++i)
        CHECK(budget.fail() == 0);
    budget.now += 1min;
    for (auto i = 0; i < 3; ++i)
        CHECK(budget.fail() == 0);
    budget.now += 1min - 1ms;
    CHECK(budget.fail() == 1000);
}

TEST_CASE("what fails during a block is not counted, and sees what is left of it") {
    Budget budget;
    budget.exceed();
    budget.now += 999ms;
    auto const counted = budget.count(source, budget.now);
    CHECK(counted.blocked_for == 1ms);
    CHECK_FALSE(counted.begins);
    CHECK(budget.blocks() == 1);
}

TEST_CASE("each block that follows is twice as long, up to the longest") {
    Budget budget;
    budget.exceed();
    for (auto const expected : {2000, 4000, 8000, 10000, 10000}) {
        budget.now += budget.left(source);
        CHECK(budget.fail() == expected);
    }
    CHECK(budget.count(source, budget.now).blocks == 6);
}

TEST_CASE("a source that keeps quiet for a window after its block starts afresh") {
    Budget budget;
    budget.exceed();
    budget.now += 1s + 1min - 1ms;
    CHECK(budget.fail() == 2000);
    budget.now += 2s + 1min;
    budget.exceed();
}

TEST_CASE("a source that keeps quiet for less than its last block does not start afresh") {
    Budget budget;
    budget.configure({1, 1s, 1h, 4h});
    CHECK(budget.fail() == 0);
    CHECK(budget.fail() == 3'600'000);
    budget.now += 1h + 59min;
    CHECK(budget.fail() == 7'200'000);
}

TEST_CASE("a change of the limits holds for later failures, and forgets none") {
    Budget budget;
    CHECK(budget.fail() == 0);
    CHECK(budget.fail() == 0);
    budget.configure({2, 1min, 5s, 10s});
    CHECK(budget.fail() == 5000);
}

TEST_CASE("a flood from more sources than there is room for leaves the longest blocks in force") {
    Budget budget;
    budget.exceed();
    for (auto i = 0; i < 4; ++i) {
        budget.now += budget.left(source);
        budget.fail();
    }
    // Spread over all places.
    for (CallerKey key = 0; key < 4 * FailureBudget::most_sources; ++key)
        budget.fail(1'000'000 + key);
    CHECK(budget.left(source) == 10s);
}

TEST_CASE("several threads count as one") {
    Budget budget;
    budget.configure({2999, 1h, 1s, 1s});
    std::vector<std::thread> threads;
    for (auto i = 0; i < 3; ++i)
        threads.emplace_back([&budget] {
            for (auto k = 0; k < 1000; ++k)
                budget.count(source, budget.now);
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(budget.blocks() == 1);
}

TEST_CASE("a failure that is counted in advance is the only one of its window") {
    Budget budget;
    CHECK(budget.count_first(source, budget.now));
    CHECK_FALSE(budget.count_first(source, budget.now));
    CHECK(budget.count_first(other, budget.now));
    budget.now += 1min - 1ms;
    CHECK_FALSE(budget.count_first(source, budget.now));
    budget.now += 1ms;
    CHECK(budget.count_first(source, budget.now));
    // It is one of the three.
    CHECK(budget.fail() == 0);
    CHECK(budget.fail() == 0);
    CHECK(budget.fail() == 1000);
    CHECK_FALSE(budget.count_first(source, budget.now));
}

} // namespace failure_budget_test
