// Tasks: values and exceptions, the order of resumption, and tasks that never end.
#include "tests/unit/net/harness.h"

#include <array>
#include <stdexcept>

namespace task_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

Task<int> fail() {
    throw std::runtime_error("no");
    co_return 1;
}

Task<int> add(int a, int b) {
    co_return a + b;
}

Task<> add_ended(int& sum) {
    co_await Task<>::ended();
    sum = co_await Task<int>::ended(5) + co_await add(3, 4);
}

Task<> wait_then_throw(Event& event) {
    co_await event.wait();
    throw std::runtime_error("later");
}

Task<int> wait_then_return(Event& event, int result) {
    co_await event.wait();
    co_return result;
}

Task<> keep_message(Event& event, std::string& message) {
    try {
        co_await wait_then_throw(event);
    } catch (std::runtime_error const& error) {
        message = error.what();
    }
}

Task<> sum_many(int count, long& sum) {
    for (int i = 0; i < count; ++i)
        sum += co_await add(i, 1);
}

struct Flag {
    bool* set;
    ~Flag() { *set = true; }
};

Task<> hold_while_waiting(Event& event, bool& destroyed) {
    Flag const flag{&destroyed};
    co_await event.wait();
}

Task<> hold_around(Event& event, bool& inner, bool& outer) {
    Flag const flag{&outer};
    co_await hold_while_waiting(event, inner);
}

Task<std::array<char, 20'000>> large() {
    std::array<char, 20'000> block{};
    block[19'999] = 'x';
    co_return block;
}

} // namespace

TEST_CASE("a completed task returns its value, awaited or taken, and has no frame") {
    auto task = Task<int>::ended(7);
    REQUIRE(task.has_ended());
    CHECK(std::move(task).take() == 7);
    asio::io_context context{1};
    int sum = 0;
    start(context, add_ended(sum));
    CHECK(sum == 12);
    CHECK(!add(1, 2).has_ended());
}

TEST_CASE("an exception of a task is thrown where it is awaited, also after a wait") {
    Loop loop;
    CHECK_THROWS_AS(run(loop, fail()), std::runtime_error);
    Event event(loop.waiters());
    std::string message;
    start(loop, keep_message(event, message));
    CHECK(message.empty());
    event.notify_now();
    CHECK(message == "later");
}

TEST_CASE("an exception of a task without an awaiter is thrown by the loop, once") {
    Loop loop;
    Event event(loop.waiters());
    start(loop, wait_then_throw(event));
    event.notify();
    CHECK_THROWS_WITH(run_ready(loop), "later");
    run_ready(loop);
}

TEST_CASE("a task that throws does not affect others that were woken with it") {
    Loop loop;
    Event first(loop.waiters());
    Event second(loop.waiters());
    std::optional<int> result;
    start(loop, wait_then_throw(first));
    start(loop, keep_result(wait_then_return(second, 7), result));
    first.notify();
    second.notify();
    CHECK_THROWS(run_ready(loop));
    run_ready(loop);
    CHECK(result == 7);
}

TEST_CASE("a task that is never awaited never runs") {
    bool ran = false;
    {
        auto const make = [](bool* set) -> Task<> {
            *set = true;
            co_return;
        };
        auto const task = make(&ran);
    }
    CHECK_FALSE(ran);
}

TEST_CASE("a million tasks that do not wait need no more stack than one") {
    Loop loop;
    long sum = 0;
    run(loop, sum_many(1'000'000, sum));
    CHECK(sum == 500'000'500'000L);
}

TEST_CASE("the loop runs until the started tasks have ended") {
    Loop loop;
    Event event(loop.waiters());
    std::optional<int> result;
    start(loop, keep_result(wait_then_return(event, 3), result));
    asio::post(loop.executor(), [&] { event.notify(); });
    loop.run();
    CHECK(result == 3);
}

TEST_CASE("a loop that ends destroys a task with everything that awaits it") {
    bool inner = false;
    bool outer = false;
    Loop loop;
    Event event(loop.waiters());
    start(loop, hold_around(event, inner, outer));
    CHECK_FALSE(inner);
    loop.end();
    CHECK(inner);
    CHECK(outer);
    CHECK_FALSE(event.has_waiter());
}

TEST_CASE("a loop that ends destroys a task whose resumption was posted") {
    bool destroyed = false;
    Loop loop;
    Event event(loop.waiters());
    start(loop, hold_while_waiting(event, destroyed));
    event.notify();
    loop.end();
    CHECK(destroyed);
}

TEST_CASE("a frame too large to be cached works like any other") {
    Loop loop;
    for (int i = 0; i < 3; ++i)
        CHECK(run(loop, large())[19'999] == 'x');
}

} // namespace task_test
