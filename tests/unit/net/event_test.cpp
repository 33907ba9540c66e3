// Events: which waiter is woken, when, and what happens to waiters when the loop ends.
#include "tests/unit/net/harness.h"

#include <boost/asio/post.hpp>

#include <stdexcept>

namespace event_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

Task<> wait_and_count(Event& event, int& count) {
    co_await event.wait();
    ++count;
}

Task<> wait_and_notify(Event& event, Event& other, int& count) {
    co_await event.wait();
    other.notify();
    ++count;
}

Task<> wait_for_turns(Event& event, int& count) {
    for (;;) {
        co_await event.next_turn();
        ++count;
    }
}

Task<> wait_and_throw(Event& event) {
    co_await event.wait();
    throw std::runtime_error{"a waiter"};
}

Task<> wait_and_work(Event& event, int& count) {
    co_await event.wait();
    ++count;
    for (auto const end = Clock::now() + std::chrono::milliseconds{3}; Clock::now() < end;) {
    }
}

Task<> wait_and_destroy(Event& event, std::unique_ptr<Event>& other) {
    co_await event.wait();
    other.reset();
}

struct Flag {
    bool& set;
    ~Flag() { set = true; }
};

Task<> wait_in_own_frame(Loop& loop, bool& destroyed, bool& resumed) {
    Flag const flag{destroyed};
    Event event(loop.waiters());
    co_await event.wait();
    resumed = true;
}

} // namespace

TEST_CASE("a loop that ends destroys the coroutines that wait for events, without resuming them") {
    bool destroyed = false;
    bool resumed = false;
    {
        Loop loop;
        start(loop, wait_in_own_frame(loop, destroyed, resumed));
        run_ready(loop);
        CHECK_FALSE(destroyed);
    }
    CHECK(destroyed);
    CHECK_FALSE(resumed);
}

TEST_CASE("destroying an event destroys the coroutine that waits for it") {
    Loop loop;
    int count = 0;
    {
        Event event(loop.waiters());
        start(loop, wait_and_count(event, count));
        run_ready(loop);
        CHECK(event.has_waiter());
    }
    run_ready(loop);
    CHECK(count == 0);
}

TEST_CASE("notify wakes the waiter at the next turn, not before it returns") {
    Loop loop;
    Event event(loop.waiters());
    int count = 0;
    start(loop, wait_and_count(event, count));
    run_ready(loop);
    event.notify();
    CHECK(count == 0);
    CHECK_FALSE(event.has_waiter());
    run_ready(loop);
    CHECK(count == 1);
}

TEST_CASE("one turn of the loop resumes all that were woken before it, and none that they wake") {
    Loop loop;
    Event first(loop.waiters());
    Event second(loop.waiters());
    Event later(loop.waiters());
    int count = 0;
    int late = 0;
    start(loop, wait_and_notify(first, later, count));
    start(loop, wait_and_notify(second, later, count));
    start(loop, wait_and_count(later, late));
    run_ready(loop);
    first.notify();
    second.notify();
    loop.context().restart();
    loop.context().poll_one();
    CHECK(count == 2);
    CHECK(late == 0);
    run_ready(loop);
    CHECK(late == 1);
    CHECK(later.take()); // the second notification found no waiter
}

TEST_CASE("a coroutine that waits for one turn after the other lets everything else run") {
    Loop loop;
    Event event(loop.waiters());
    Event other(loop.waiters());
    int turns = 0;
    int count = 0;
    start(loop, wait_for_turns(event, turns));
    start(loop, wait_and_count(other, count));
    loop.context().poll_one();
    CHECK(turns == 1);
    other.notify();
    loop.context().poll_one();
    CHECK(turns == 2);
    CHECK(count == 1);
    bool has_run = false;
    asio::post(loop.context(), [&has_run] { has_run = true; });
    loop.context().poll_one();
    loop.context().poll_one();
    CHECK(has_run);
    CHECK(turns == 3);
}

TEST_CASE("an exception of a waiter leaves the others to the next turn") {
    Loop loop;
    Event first(loop.waiters());
    Event second(loop.waiters());
    int count = 0;
    start(loop, wait_and_throw(first));
    start(loop, wait_and_count(second, count));
    run_ready(loop);
    first.notify();
    second.notify();
    CHECK_THROWS_WITH(run_ready(loop), "a waiter");
    CHECK(count == 0);
    run_ready(loop);
    CHECK(count == 1);
    start(loop, wait_and_count(second, count));
    run_ready(loop);
    second.notify();
    run_ready(loop);
    CHECK(count == 2);
}

TEST_CASE("waiters that take long leave the others to the next turn") {
    Loop loop;
    Event first(loop.waiters());
    Event second(loop.waiters());
    int count = 0;
    start(loop, wait_and_work(first, count));
    start(loop, wait_and_work(second, count));
    run_ready(loop);
    first.notify();
    second.notify();
    loop.context().restart();
    loop.context().poll_one();
    CHECK(count == 1);
    run_ready(loop);
    CHECK(count == 2);
}

TEST_CASE("an event that was notified may be destroyed before its waiter's turn") {
    Loop loop;
    Event first(loop.waiters());
    auto second = std::make_unique<Event>(loop.waiters());
    Event third(loop.waiters());
    int count = 0;
    start(loop, wait_and_destroy(first, second));
    start(loop, wait_and_count(*second, count));
    start(loop, wait_and_count(third, count));
    run_ready(loop);
    first.notify();
    second->notify();
    SECTION("as the last of a turn") {}
    SECTION("with another behind it") {
        third.notify();
    }
    bool const has_third = !third.has_waiter();
    run_ready(loop);
    CHECK(count == (has_third ? 1 : 0));
}

TEST_CASE("notify_now resumes the waiter before it returns") {
    Loop loop;
    Event event(loop.waiters());
    int count = 0;
    start(loop, wait_and_count(event, count));
    run_ready(loop);
    event.notify_now();
    CHECK(count == 1);
}

TEST_CASE("a notification without a waiter is kept once") {
    Loop loop;
    Event event(loop.waiters());
    event.notify();
    event.notify_now();
    int count = 0;
    start(loop, wait_and_count(event, count));
    run_ready(loop);
    CHECK(count == 1);
    start(loop, wait_and_count(event, count));
    run_ready(loop);
    CHECK(count == 1);
    event.notify();
    run_ready(loop);
    CHECK(count == 2);
}

TEST_CASE("a kept notification can be taken or cleared") {
    Loop loop;
    Event event(loop.waiters());
    CHECK_FALSE(event.take());
    event.notify();
    CHECK(event.take());
    CHECK_FALSE(event.take());
    event.notify();
    event.clear();
    CHECK_FALSE(event.take());
}

} // namespace event_test
