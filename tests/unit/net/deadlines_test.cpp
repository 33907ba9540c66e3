// Deadlines: never early, at most a tick late, cheap to move, safe to destroy while they are
// called.
#include "tests/unit/net/harness.h"

#include <memory>
#include <vector>

namespace deadlines_test {

using namespace sallyport::net;
using namespace sallyport::net::test;
using namespace std::chrono_literals;

namespace {

// A wheel that tests turn by hand.
struct Turned : Wheel {
    using Wheel::Wheel;
    void wake() override { ++wakes; }
    int wakes = 0;
};

struct Counter {
    void count() noexcept { ++calls; }
    int calls = 0;
};

Clock::time_point const origin = Clock::now();

} // namespace

TEST_CASE("a deadline never expires early, and at most one tick late, at any distance") {
    for (auto const far :
         {0ms, 1ms, 49ms, 50ms, 51ms, 3000ms, 25599ms, 25600ms, 25601ms, 310000ms}) {
        Turned wheel(origin);
        Counter counter;
        auto deadline = Deadline::calling<&Counter::count>(wheel, counter);
        deadline.arm_at(origin + far);
        auto now = origin;
        while (counter.calls == 0 && now < origin + far + 1s) {
            now += 10ms;
            wheel.advance(now);
        }
        INFO("after " << far.count() << " ms");
        CHECK(counter.calls == 1);
        CHECK(deadline.has_expired());
        CHECK_FALSE(deadline.is_armed());
        CHECK(now >= origin + far);
        CHECK(now <= origin + far + Wheel::tick + 10ms);
        CHECK(wheel.size() == 0);
    }
}

TEST_CASE("a disarmed deadline is not called") {
    Turned wheel(origin);
    Counter counter;
    auto deadline = Deadline::calling<&Counter::count>(wheel, counter);
    deadline.arm_at(origin + 100ms);
    deadline.disarm();
    wheel.advance(origin + 1s);
    CHECK(counter.calls == 0);
    CHECK(wheel.size() == 0);
}

TEST_CASE("a deadline that is moved later waits for the later time, and earlier for the earlier") {
    Turned wheel(origin);
    Counter counter;
    auto deadline = Deadline::calling<&Counter::count>(wheel, counter);
    deadline.arm_at(origin + 200ms);
    deadline.arm_at(origin + 900ms);
    wheel.advance(origin + 899ms);
    CHECK(counter.calls == 0);
    wheel.advance(origin + 950ms);
    CHECK(counter.calls == 1);

    deadline.arm_at(origin + 20s);
    CHECK_FALSE(deadline.has_expired());
    deadline.arm_at(origin + 2s);
    wheel.advance(origin + 2050ms);
    CHECK(counter.calls == 2);
}

TEST_CASE("a deadline in the past expires at the next tick") {
    Turned wheel(origin);
    wheel.advance(origin + 10s);
    Counter counter;
    auto deadline = Deadline::calling<&Counter::count>(wheel, counter);
    deadline.arm_at(origin - 1s);
    wheel.advance(origin + 10s + Wheel::tick);
    CHECK(counter.calls == 1);
}

TEST_CASE("a loop blocked for longer than a revolution calls every due deadline once") {
    Turned wheel(origin);
    Counter counter;
    std::vector<std::unique_ptr<Deadline>> deadlines;
    for (int i = 0; i < 700; ++i) {
        deadlines.push_back(std::make_unique<Deadline>(
            wheel, [](void* context) noexcept { static_cast<Counter*>(context)->count(); },
            &counter));
        deadlines.back()->arm_at(origin + i * 50ms);
    }
    wheel.advance(origin + 24h);
    CHECK(counter.calls == 700);
    CHECK(wheel.size() == 0);
}

TEST_CASE("the wheel is woken once, for the first deadline in it") {
    Turned wheel(origin);
    Counter counter;
    auto first = Deadline::calling<&Counter::count>(wheel, counter);
    auto second = Deadline::calling<&Counter::count>(wheel, counter);
    first.arm_at(origin + 1s);
    second.arm_at(origin + 1s);
    CHECK(wheel.wakes == 1);
    wheel.advance(origin + 2s);
    first.arm_at(origin + 3s);
    CHECK(wheel.wakes == 2);
}

namespace {

struct Pair {
    explicit Pair(Wheel& wheel)
        : first(wheel, drop, this), second(std::make_unique<Deadline>(wheel, drop, this)) {}
    static void drop(void* self) noexcept {
        static_cast<Pair*>(self)->second.reset();
        ++static_cast<Pair*>(self)->calls;
    }
    Deadline first;
    std::unique_ptr<Deadline> second;
    int calls = 0;
};

struct Again {
    explicit Again(Wheel& wheel) : deadline(Deadline::calling<&Again::arm>(wheel, *this)) {}
    void arm() noexcept {
        ++calls;
        deadline.arm_at(origin);
    }
    Deadline deadline;
    int calls = 0;
};

} // namespace

TEST_CASE("a callback may destroy another deadline that is due at the same tick, and itself") {
    Turned wheel(origin);
    Pair pair(wheel);
    pair.first.arm_at(origin + 100ms);
    pair.second->arm_at(origin + 100ms);
    wheel.advance(origin + 1s);
    CHECK(pair.calls == 1);
    Pair other(wheel);
    other.second->arm_at(origin + 1100ms);
    wheel.advance(origin + 2s);
    CHECK(other.calls == 1);
    CHECK(wheel.size() == 0);
}

TEST_CASE("a callback that arms its deadline again is called once a tick") {
    Turned wheel(origin);
    Again again(wheel);
    again.deadline.arm_at(origin);
    wheel.advance(origin + 10 * Wheel::tick);
    CHECK(again.calls == 10);
}

TEST_CASE("the wheel of a loop runs by itself, and lets the loop end when no deadline is armed") {
    Loop loop;
    Counter counter;
    auto deadline = Deadline::calling<&Counter::count>(loop.deadlines(), counter);
    auto const begin = Clock::now();
    deadline.arm_after(60ms);
    loop.run();
    CHECK(counter.calls == 1);
    CHECK(Clock::now() - begin >= 60ms);
    loop.context().restart();
    deadline.arm_after(1ms);
    loop.run();
    CHECK(counter.calls == 2);
}

} // namespace deadlines_test
