// The poller: every source is notified, and a turn of the loop makes one system call, whatever its
// sources do meanwhile.
#include "gateway/net/counters.h"
#include "gateway/net/poller.h"
#include "tests/unit/net/harness.h"

#include <algorithm>
#include <vector>

namespace poller_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

// One end of a connection, registered with the poller; the other end wakes it.
class Ear : public Poller::Source {
public:
    explicit Ear(Poller& poller) : Ear(poller, make_pair()) {}
    Ear(Poller& poller, std::pair<FileDescriptor, FileDescriptor> ends)
        : poller_(poller), own_(std::move(ends.first)), other_(std::move(ends.second)) {
        REQUIRE_FALSE(poller_.add(own_.get(), *this));
    }
    virtual ~Ear() { poller_.remove(own_.get(), *this); }

    void note(std::uint32_t) noexcept override {}
    void on_ready(std::uint32_t events) override {
        if ((events & EPOLLIN) == 0) return;
        ++heard;
        char byte = 0;
        REQUIRE(::recv(own_.get(), &byte, 1, 0) == 1);
        auto const next = then; // it may destroy this ear
        if (next) next();
    }
    void wake() { REQUIRE(::send(other_.get(), "x", 1, 0) == 1); }

    int heard = 0;
    std::function<void()> then;

private:
    Poller& poller_;
    FileDescriptor own_;
    FileDescriptor other_;
};

// How many system calls are made until `ear` was notified once more, and no work is left.
std::uint64_t polls_to_hear(Loop& loop, Ear& ear) {
    auto const before = system_calls().polls;
    auto const heard = ear.heard;
    ear.wake();
    run_until(loop, [&] { return ear.heard > heard; });
    run_ready(loop);
    return system_calls().polls - before;
}

} // namespace

TEST_CASE("sources added during notifications do not schedule the poller twice") {
    Loop loop;
    Ear ear(loop.poller());
    run_ready(loop);
    auto const quiet = polls_to_hear(loop, ear);

    std::vector<std::unique_ptr<Ear>> others;
    ear.then = [&] { others.push_back(std::make_unique<Ear>(loop.poller())); };
    for (int i = 0; i < 20; ++i)
        polls_to_hear(loop, ear);
    ear.then = nullptr;
    REQUIRE(others.size() == 20);

    CHECK(polls_to_hear(loop, ear) == quiet);
    CHECK(polls_to_hear(loop, *others.back()) == quiet);
}

TEST_CASE("a source added after the last one was removed during its notification is notified") {
    Loop loop;
    auto first = std::make_unique<Ear>(loop.poller());
    run_ready(loop);
    std::unique_ptr<Ear> second;
    first->then = [&] {
        first.reset();
        second = std::make_unique<Ear>(loop.poller());
    };
    first->wake();
    run_until(loop, [&] { return second != nullptr; });
    second->wake();
    run_until(loop, [&] { return second->heard == 1; });
}

TEST_CASE("a source added after the last one was removed is notified") {
    Loop loop;
    auto first = std::make_unique<Ear>(loop.poller());
    run_ready(loop);
    first.reset();
    Ear second(loop.poller());
    second.wake();
    run_until(loop, [&] { return second.heard == 1; });
}

namespace {

void spend(Clock::duration time) {
    for (auto const end = Clock::now() + time; Clock::now() < end;) {
    }
}

Task<> work_last(Loop& loop, std::string& order, std::function<void()> work) {
    Event turn(loop.waiters());
    co_await turn.last_turn();
    order += 'W';
    work();
}

} // namespace

TEST_CASE("many ready sources do not delay posted work") {
    Loop loop;
    std::string order;
    std::vector<std::unique_ptr<Ear>> ears;
    for (int i = 0; i < 3; ++i) {
        ears.push_back(std::make_unique<Ear>(loop.poller()));
        ears.back()->then = [&] {
            order += 'S';
            asio::post(loop.context(), [&] { order += 'p'; });
            spend(std::chrono::milliseconds(5));
        };
    }
    run_ready(loop);
    for (auto const& ear : ears)
        ear->wake();
    run_until(loop, [&] { return order.size() == 6; });
    CHECK(order == "SpSpSp");
}

TEST_CASE("between two tasks that wait for the last turn all other ready work runs") {
    Loop loop;
    std::string order;
    Ear ear(loop.poller());
    ear.then = [&] { order += 'S'; };
    run_ready(loop);
    auto const work = [&] {
        asio::post(loop.context(), [&] { order += 'p'; });
        ear.wake(); // as from another process, while this one is busy
    };
    start(loop, work_last(loop, order, work));
    start(loop, work_last(loop, order, work));
    start(loop, work_last(loop, order, [] {}));
    run_until(loop, [&] { return std::count(order.begin(), order.end(), 'W') == 3; });
    CHECK(order == "WpSWpSW");
}

TEST_CASE("a loop that ends destroys coroutines that wait for the last turn") {
    std::string order;
    {
        Loop loop;
        start(loop, work_last(loop, order, [] {}));
    }
    CHECK(order.empty());
}

} // namespace poller_test
