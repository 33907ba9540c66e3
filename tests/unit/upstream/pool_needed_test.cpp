// Which connections stay idle: those that were needed at once within the last 10 s, by the clock of
// the test.
#include "tests/unit/upstream/pool_harness.h"

namespace pool_needed_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;
using namespace std::chrono_literals;

namespace {

constexpr net::Clock::time_point begin{1'000'000s};

struct NeedFixture : PoolFixture {
    Listening server;

    NeedFixture() { make(with_idle(1)); }

    PoolSettings with_idle(std::size_t idle) const {
        auto settings = settings_for({&server});
        settings.idle = idle;
        return settings;
    }
    // So many at once, all of which are returned at `now`.
    void use(std::size_t count, net::Clock::time_point now) {
        std::vector<Lease> leases;
        for (std::size_t i = 0; i < count; ++i)
            leases.push_back(lease());
        for (auto& held : leases)
            held.give_back(now);
    }
    std::size_t idle() const { return pool->idle_connections(); }
};

} // namespace

TEST_CASE_METHOD(NeedFixture, "connections that are needed at once repeatedly are opened once") {
    for (int round = 0; round < 20; ++round) {
        use(8, begin + round * 9s);
        pool->evict_idle(begin + round * 9s + 8s);
        CHECK(idle() == 8);
    }
    CHECK(opened() == 8);
    CHECK(server.accept_all() == 8);
}

TEST_CASE_METHOD(NeedFixture, "connections needed within the last ten seconds stay idle") {
    use(8, begin);
    use(2, begin + 5s);
    pool->evict_idle(begin + 10s);
    CHECK(idle() == 8);
    // A while later only those two were needed.
    pool->evict_idle(begin + 15s);
    CHECK(idle() == 2);
    pool->evict_idle(begin + 20s);
    CHECK(idle() == 1);
    CHECK(pool->connections() == 1);
}

TEST_CASE_METHOD(NeedFixture, "connections in use count as needed") {
    std::vector<Lease> held;
    for (int i = 0; i < 3; ++i)
        held.push_back(lease());
    pool->evict_idle(begin);
    // None was returned for longer than the need is remembered.
    for (auto& one : held)
        one.give_back(begin + 60s);
    CHECK(idle() == 3);
}

TEST_CASE_METHOD(NeedFixture, "beyond the needed number the oldest is closed for a returned one") {
    use(3, begin);
    // One at a time, each of its own: they were never needed together.
    auto newest = lease(Freshness::fresh);
    newest.give_back(begin + 1s);
    CHECK(idle() == 3);
    CHECK(pool->connections() == 3);
    REQUIRE(server.accept_all() == 4);
    char byte = 0;
    CHECK(::recv(server.accepted[0].get(), &byte, 1, MSG_DONTWAIT) == 0);
    CHECK(::recv(server.accepted[3].get(), &byte, 1, MSG_DONTWAIT) == -1);
    CHECK(errno == EAGAIN);
}

TEST_CASE_METHOD(NeedFixture, "as many as may be idle stay idle, needed or not") {
    make(with_idle(4));
    use(8, begin);
    pool->evict_idle(begin + 20s);
    CHECK(idle() == 4);
    // Each of these was the only one in use.
    make(with_idle(4));
    for (int i = 0; i < 6; ++i)
        lease(Freshness::fresh).give_back(begin + 20s);
    CHECK(idle() == 4);
}

TEST_CASE_METHOD(NeedFixture,
                 "if no idle connections are allowed none is kept, however many were needed") {
    make(with_idle(0));
    use(8, begin);
    CHECK(pool->connections() == 0);
}

TEST_CASE_METHOD(NeedFixture, "a connection that was needed ends when it has been idle too long") {
    use(8, begin);
    pool->evict_idle(begin + 50s);
    CHECK(pool->connections() == 0);
}

TEST_CASE_METHOD(NeedFixture, "the pool closes the surplus itself when the need has passed") {
    auto settings = with_idle(2);
    settings.needed = 200ms;
    make(settings);
    use(8, net::Clock::now());
    CHECK(idle() == 8);
    run_until(loop, [&] { return idle() == 2; });
    CHECK(pool->connections() == 2);
}

TEST_CASE_METHOD(NeedFixture, "one that comes back later does not delay the end of an older one") {
    auto settings = with_idle(2);
    settings.idle_time = 60ms;
    make(settings);
    auto older = lease();
    auto newer = lease();
    older.give_back();
    newer.give_back(net::Clock::now() + 1h);
    run_until(loop, [&] { return idle() == 1; });
    CHECK(pool->connections() == 1);
}

} // namespace pool_needed_test
