// Events: which waiter is woken, when, and what happens to waiters when the loop ends.
#include "tests/unit/net/harness.h"

namespace event_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

Task<> wait_and_count(Event& event, int& count) {
    co_await event.wait();
    ++count;
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
