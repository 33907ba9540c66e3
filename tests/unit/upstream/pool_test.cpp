// How a pool keeps connections, limits them, and which exchanges wait.
#include "gateway/net/plain_stream.h"
#include "tests/unit/upstream/pool_harness.h"

namespace pool_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;
using namespace std::chrono_literals;

namespace {

void send(net::FileDescriptor const& to, std::string_view bytes) {
    REQUIRE(::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL)
            == static_cast<ssize_t>(bytes.size()));
}

// Whether bytes written to the lease arrive at the server's end of this connection.
bool leads_to(PoolFixture& fixture, Lease const& lease, net::FileDescriptor const& connection) {
    REQUIRE_FALSE(run(fixture.loop, lease.exchange().send_body("x", http::Ends::no)));
    char byte = 0;
    return ::recv(connection.get(), &byte, 1, 0) == 1;
}

bool has_ended(net::FileDescriptor const& connection) {
    char byte = 0;
    auto const got = ::recv(connection.get(), &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

// Like a request that must not be repeated: from within a turn of the poller.
net::Task<> acquire_when_readable(net::Stream& client, ConnectionPool& pool,
                                  std::optional<Acquired>& acquired) {
    CHECK_FALSE(co_await client.wait_readable());
    Acquisition acquisition{Freshness::fresh_or_recent};
    auto got = co_await pool.acquire(acquisition);
    acquired.emplace(std::move(got));
}

PoolSettings bounded(Listening const& server, std::size_t max) {
    auto settings = PoolFixture::settings_for({&server});
    settings.max = max;
    return settings;
}

} // namespace

TEST_CASE("a full queue is overloaded at once") {
    Listening server;
    PoolFixture fixture;
    auto settings = bounded(server, 1);
    settings.queue = 1;
    fixture.make(settings);
    auto const lease = fixture.lease();
    Pending waiting{fixture};
    CHECK(fixture.pool->waiting() == 1);
    auto const refused = fixture.acquire();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().side == Side::gateway);
    CHECK(refused.error().reason == Reason::overloaded);
    CHECK_FALSE(waiting.result.has_value());
}

TEST_CASE("a wait that is longer than the queue's time is overloaded") {
    Listening server;
    PoolFixture fixture;
    auto settings = bounded(server, 1);
    settings.queue_time = 60ms;
    fixture.make(settings);
    auto lease = fixture.lease();
    auto const refused = fixture.acquire();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().reason == Reason::overloaded);
    CHECK(fixture.pool->waiting() == 0);
    // A connection returned afterwards is not given to a removed waiter.
    lease.give_back();
    CHECK(fixture.pool->idle_connections() == 1);
    CHECK(fixture.lease().is_reused());
}

TEST_CASE("a wait that is interrupted ends, and its place goes to the next") {
    Listening server;
    PoolFixture fixture;
    fixture.make(bounded(server, 1));
    auto lease = fixture.lease();
    Pending first{fixture};
    Pending second{fixture};
    SECTION("while it waits") {
        first.acquisition.interrupt();
        auto const& ended = first.wait(fixture);
        REQUIRE_FALSE(ended.has_value());
        CHECK(ended.error().error == net::asio::error::operation_aborted);
        lease.give_back();
    }
    SECTION("in the moment in which it is served") {
        lease.give_back();
        first.acquisition.interrupt();
        CHECK_FALSE(first.wait(fixture).has_value());
    }
    SECTION("in the moment in which it gets the right to a new connection") {
        lease = Lease{};
        first.acquisition.interrupt();
        CHECK_FALSE(first.wait(fixture).has_value());
    }
    CHECK(second.wait(fixture).has_value());
    CHECK(fixture.pool->connections() == 1);
}

TEST_CASE("waiters are served in their order, with kept connections and with new ones") {
    Listening server;
    PoolFixture fixture;
    fixture.make(bounded(server, 1));
    auto lease = fixture.lease();
    Pending first{fixture};
    Pending second{fixture};
    Pending fresh{fixture, Freshness::fresh};
    lease.give_back();
    auto& got = first.wait(fixture);
    REQUIRE(got.has_value());
    CHECK(got->is_reused());
    CHECK_FALSE(second.result.has_value());
    // Not given back: the next one makes its own.
    got = Acquired{Lease{}};
    auto& made = second.wait(fixture);
    REQUIRE(made.has_value());
    CHECK_FALSE(made->is_reused());
    CHECK_FALSE(fresh.result.has_value());
    made->give_back();
    auto const& new_one = fresh.wait(fixture);
    REQUIRE(new_one.has_value());
    CHECK_FALSE(new_one->is_reused());
    CHECK(server.accept_all() == 3);
    CHECK(fixture.pool->connections() == 1);
}

TEST_CASE("a later exchange does not overtake waiting ones") {
    Listening server;
    PoolFixture fixture;
    fixture.make(bounded(server, 1));
    auto lease = fixture.lease();
    Pending first{fixture};
    lease.give_back();
    // The first one has not run yet.
    Acquisition late{Freshness::any};
    std::optional<Acquired> late_result;
    start(fixture.loop, keep_result(fixture.pool->acquire(late), late_result));
    REQUIRE(first.wait(fixture).has_value());
    fixture.settle();
    CHECK_FALSE(late_result.has_value());
    (*first.result)->give_back();
    run_until(fixture.loop, [&] { return late_result.has_value(); });
    CHECK(late_result->has_value());
}

TEST_CASE("a connection that is not given back is closed") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    {
        auto const lease = fixture.lease();
        CHECK(fixture.pool->connections() == 1);
    }
    CHECK(fixture.pool->connections() == 0);
    REQUIRE(server.accept_all() == 1);
    CHECK(has_ended(server.accepted[0]));
    CHECK_FALSE(fixture.lease().is_reused());
}

TEST_CASE("an idle connection that the upstream closed, or wrote to, is not used again") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    fixture.lease().give_back();
    REQUIRE(fixture.pool->idle_connections() == 1);
    REQUIRE(server.accept_all() == 1);
    auto const freshness = GENERATE(Freshness::any, Freshness::fresh_or_recent);
    SECTION("closed") {
        server.accepted[0].reset();
        run_until(fixture.loop, [&] { return fixture.pool->idle_connections() == 0; });
        CHECK(fixture.pool->connections() == 0);
    }
    SECTION("written to") {
        send(server.accepted[0], "HTTP/1.1 408 Request Timeout\r\n\r\n");
        fixture.settle();
    }
    CHECK_FALSE(fixture.lease(freshness).is_reused());
    CHECK(server.accept_all() == 1);
}

TEST_CASE("a connection with bytes left over is not used again") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    auto lease = fixture.lease();
    REQUIRE(server.accept_all() == 1);
    send(server.accepted[0], "left over");
    REQUIRE_FALSE(run(fixture.loop, lease.exchange().wait_for_response()));
    lease.give_back();
    CHECK_FALSE(fixture.lease().is_reused());
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE("unread bytes keep a connection from being used, even before the poller reports them") {
    Listening server;
    PoolFixture fixture;
    auto const freshness = GENERATE(Freshness::any, Freshness::fresh_or_recent);
    SECTION("one that is idle") {
        fixture.make(PoolFixture::settings_for({&server}));
        fixture.lease().give_back();
        REQUIRE(server.accept_all() == 1);
        send(server.accepted[0], "HTTP/1.1 200 OK\r\n\r\n");
        // acquire() is called before the poller runs.
        CHECK_FALSE(fixture.lease(freshness).is_reused());
    }
    SECTION("one that is taken because there may be no other") {
        Listening other;
        auto settings = PoolFixture::settings_for({&server, &other});
        settings.max = 1;
        fixture.make(settings);
        fixture.lease().give_back();
        REQUIRE(server.accept_all() == 1);
        send(server.accepted[0], "HTTP/1.1 200 OK\r\n\r\n");
        CHECK_FALSE(fixture.lease(freshness).is_reused());
    }
    SECTION("one that is passed to a waiting exchange") {
        fixture.make(bounded(server, 1));
        auto lease = fixture.lease();
        REQUIRE(server.accept_all() == 1);
        Pending waiting{fixture, freshness};
        lease.give_back();
        // It has been given the connection, and has not run yet.
        send(server.accepted[0], "HTTP/1.1 200 OK\r\n\r\n");
        auto const& acquired = waiting.wait(fixture);
        REQUIRE(acquired.has_value());
        CHECK_FALSE(acquired->is_reused());
        CHECK(has_ended(server.accepted[0]));
    }
}

TEST_CASE("a request that must not be repeated uses a recent and quiet connection, or a new one") {
    Listening server;
    PoolFixture fixture;
    SECTION("an old one is left to other requests") {
        auto settings = PoolFixture::settings_for({&server});
        settings.recent = 0ms;
        fixture.make(settings);
        fixture.lease().give_back();
        CHECK_FALSE(fixture.lease(Freshness::fresh_or_recent).is_reused());
        CHECK(fixture.pool->idle_connections() == 1);
        CHECK(fixture.lease(Freshness::any).is_reused());
    }
    SECTION("one that has ended, which the loop has not heard of, is seen") {
        fixture.make(PoolFixture::settings_for({&server}));
        fixture.lease().give_back();
        REQUIRE(server.accept_all() == 1);
        server.accepted[0].reset();
        // acquire() is called before the poller runs.
        Acquisition acquisition{Freshness::fresh_or_recent};
        auto acquired = run(fixture.loop, fixture.pool->acquire(acquisition));
        REQUIRE(acquired.has_value());
        CHECK_FALSE(acquired->is_reused());
    }
    SECTION("one that ends in the same turn as the request comes is not used") {
        fixture.make(PoolFixture::settings_for({&server}));
        fixture.lease().give_back();
        REQUIRE(server.accept_all() == 1);
        auto pair = make_pair();
        net::PlainStream client{fixture.loop, std::move(pair.first), {}};
        fixture.settle();
        std::optional<Acquired> acquired;
        start(fixture.loop, acquire_when_readable(client, *fixture.pool, acquired));
        send(pair.second, "POST");
        server.accepted[0].reset();
        run_until(fixture.loop, [&] { return acquired.has_value(); });
        REQUIRE(acquired->has_value());
        CHECK_FALSE((*acquired)->is_reused());
    }
    SECTION("one that is recent and quiet is used") {
        fixture.make(PoolFixture::settings_for({&server}));
        fixture.lease().give_back();
        CHECK(fixture.lease(Freshness::fresh_or_recent).is_reused());
    }
}

TEST_CASE("a repetition uses a new connection") {
    Listening server;
    PoolFixture fixture;
    fixture.make(bounded(server, 1));
    fixture.lease().give_back();
    // At the limit the idle one is closed.
    auto const lease = fixture.lease(Freshness::fresh);
    CHECK_FALSE(lease.is_reused());
    CHECK(fixture.pool->idle_connections() == 0);
    CHECK(fixture.pool->connections() == 1);
}

TEST_CASE("the connection that was used last is used first") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    auto first = fixture.lease();
    auto second = fixture.lease();
    REQUIRE(server.accept_all() == 2);
    first.give_back();
    second.give_back();
    auto const third = fixture.lease();
    CHECK(third.is_reused());
    CHECK(leads_to(fixture, third, server.accepted[1]));
}

TEST_CASE("no more connections are kept idle than allowed, nor longer") {
    Listening server;
    PoolFixture fixture;
    auto settings = PoolFixture::settings_for({&server});
    settings.idle = 1;
    settings.idle_time = 60ms;
    fixture.make(settings);
    fixture.lease().give_back();
    // It is not needed besides the first one.
    fixture.lease(Freshness::fresh).give_back();
    REQUIRE(server.accept_all() == 2);
    CHECK(fixture.pool->idle_connections() == 1);
    CHECK(fixture.pool->connections() == 1);
    CHECK(has_ended(server.accepted[0]));
    run_until(fixture.loop, [&] { return fixture.pool->idle_connections() == 0; });
    CHECK(fixture.pool->connections() == 0);
    CHECK(has_ended(server.accepted[1]));
}

TEST_CASE("old idle connections, however many, leave room for those that were used last") {
    Listening server;
    PoolFixture fixture;
    auto settings = PoolFixture::settings_for({&server});
    settings.idle = 2;
    fixture.make(settings);
    auto first = fixture.lease();
    auto second = fixture.lease();
    first.give_back();
    second.give_back();
    auto newest = fixture.lease(Freshness::fresh);
    newest.give_back();
    CHECK(fixture.pool->idle_connections() == 2);
    // Otherwise each request that must not be repeated would open another one.
    REQUIRE(server.accept_all() == 3);
    auto const again = fixture.lease(Freshness::fresh_or_recent);
    REQUIRE(again.is_reused());
    CHECK(leads_to(fixture, again, server.accepted[2]));
}

TEST_CASE("if no idle connections are allowed none is kept") {
    Listening server;
    PoolFixture fixture;
    auto settings = PoolFixture::settings_for({&server});
    settings.idle = 0;
    fixture.make(settings);
    auto lease = fixture.lease();
    lease.give_back();
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE("a lease that was moved is given back once") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    auto first = fixture.lease();
    Lease second{std::move(first)};
    CHECK_FALSE(first);
    first.give_back();
    CHECK(fixture.pool->idle_connections() == 0);
    second.give_back();
    second.give_back();
    CHECK(fixture.pool->idle_connections() == 1);
    CHECK(fixture.pool->connections() == 1);
}

TEST_CASE("a pool counts the results of its connections") {
    Listening server;
    PoolFixture fixture;
    auto settings = bounded(server, 1);
    fixture.make(settings);
    auto const& metrics = fixture.metrics;
    auto lease = fixture.lease();
    CHECK(fixture.opened() == 1);
    CHECK(fixture.reused() == 0);
    CHECK(metrics.connections.value() == 1);
    CHECK(metrics.connections_idle.value() == 0);
    {
        Pending waiting{fixture};
        CHECK(metrics.exchanges_waiting.value() == 1);
        lease.give_back();
        CHECK(waiting.wait(fixture).has_value());
        CHECK(fixture.reused() == 1);
    }
    CHECK(metrics.exchanges_waiting.value() == 0);
    fixture.lease().give_back();
    CHECK(metrics.connections_idle.value() == 1);
    CHECK(fixture.lease().is_reused());
    auto const reused = fixture.reused();
    // Another pool of the same upstream, as after a reload, continues the counts.
    fixture.pool.reset();
    CHECK(metrics.connections.value() == 0);
    CHECK(metrics.connections_idle.value() == 0);
    fixture.make(settings);
    fixture.lease().give_back();
    CHECK(fixture.reused() == reused);
    CHECK(fixture.opened() == 3);
    CHECK(metrics.connections.value() == 1);
}

TEST_CASE("a pool that ends closes its idle connections") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    fixture.lease().give_back();
    REQUIRE(server.accept_all() == 1);
    fixture.pool.reset();
    CHECK(has_ended(server.accepted[0]));
}

} // namespace pool_test
