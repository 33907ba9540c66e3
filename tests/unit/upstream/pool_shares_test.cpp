// How a pool shares its connections among callers.
#include "tests/unit/upstream/pool_harness.h"

namespace pool_shares_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;
using namespace std::chrono_literals;

namespace {

constexpr pipeline::CallerKey greedy = 1;
constexpr pipeline::CallerKey other = 2;
constexpr pipeline::CallerKey third = 3;

PoolSettings shared(Listening const& server, std::size_t max, std::size_t per_caller) {
    auto settings = PoolFixture::settings_for({&server});
    settings.max = max;
    settings.per_caller = per_caller;
    return settings;
}

} // namespace

TEST_CASE("a caller alone uses all but what is kept for others, who do not wait") {
    Listening server;
    PoolFixture fixture;
    fixture.make(shared(server, 4, 1));
    auto first = fixture.lease(Freshness::any, greedy);
    auto const second = fixture.lease(Freshness::any, greedy);
    auto const third_one = fixture.lease(Freshness::any, greedy);
    Pending waiting{fixture, Freshness::any, greedy};
    CHECK_FALSE(waiting.result.has_value());
    SECTION("what is free is another's") {
        CHECK(fixture.lease(Freshness::any, other));
    }
    SECTION("what is idle is another's") {
        fixture.lease(Freshness::any, other).give_back();
        CHECK_FALSE(waiting.result.has_value());
        CHECK(fixture.pool->idle_connections() == 1);
        CHECK(fixture.lease(Freshness::any, other).is_reused());
    }
    CHECK_FALSE(waiting.result.has_value());
    SECTION("its own is what it gets, kept") {
        first.give_back();
        auto const& got = waiting.wait(fixture);
        REQUIRE(got.has_value());
        CHECK(got->is_reused());
    }
    SECTION("its own is what it gets, in the place of one that ended") {
        first = Lease{};
        auto const& got = waiting.wait(fixture);
        REQUIRE(got.has_value());
        CHECK_FALSE(got->is_reused());
    }
}

TEST_CASE("what a caller holds beyond its share is not renewed while others need it") {
    Listening server;
    PoolFixture fixture;
    fixture.make(shared(server, 4, 1));
    auto first = fixture.lease(Freshness::any, greedy);
    auto second = fixture.lease(Freshness::any, greedy);
    auto const kept = fixture.lease(Freshness::any, greedy);
    Pending own{fixture, Freshness::any, greedy};
    auto const of_other = fixture.lease(Freshness::any, other);
    Pending newcomer{fixture, Freshness::any, third};
    first.give_back();
    CHECK(newcomer.wait(fixture).has_value());
    CHECK_FALSE(own.result.has_value());
    // One is kept for others again.
    second.give_back();
    run_until(fixture.loop, [&] { return fixture.pool->idle_connections() == 1; });
    CHECK_FALSE(own.result.has_value());
}

TEST_CASE("a wait because of the caller's share is reported and counted") {
    Listening server;
    PoolFixture fixture;
    auto settings = shared(server, 2, 1);
    settings.queue_time = 60ms;
    settings.queue = 1;
    fixture.make(settings);
    auto const lease = fixture.lease(Freshness::any, greedy);
    Pending waiting{fixture, Freshness::any, greedy};
    auto const full = fixture.acquire(Freshness::any, greedy);
    REQUIRE_FALSE(full.has_value());
    CHECK(full.error().reason == Reason::overloaded);
    CHECK(full.error().what == "the queue for connections is full");
    auto const& late = waiting.wait(fixture);
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().reason == Reason::overloaded);
    CHECK(late.error().what == "wait for the caller's share of connections");
    CHECK(fixture.metrics.share_waits.value() == 2);
    CHECK(fixture.metrics.share_refusals.value() == 2);
    CHECK(fixture.pool->waiting() == 0);
}

TEST_CASE("of a full queue the caller with most in it loses its last one to a caller with fewer") {
    Listening server;
    PoolFixture fixture;
    auto settings = shared(server, 2, 2);
    settings.queue = 3;
    fixture.make(settings);
    auto lease = fixture.lease(Freshness::any, third);
    auto const held = fixture.lease(Freshness::any, third);
    Pending first{fixture, Freshness::any, greedy};
    Pending second{fixture, Freshness::any, greedy};
    Pending last{fixture, Freshness::any, greedy};
    Pending late{fixture, Freshness::any, other};
    auto const& displaced = last.wait(fixture);
    REQUIRE_FALSE(displaced.has_value());
    CHECK(displaced.error().reason == Reason::overloaded);
    CHECK(displaced.error().what == "others have its place in the queue for connections");
    CHECK(fixture.pool->waiting() == 3);
    auto const refused = fixture.acquire(Freshness::any, greedy);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().what == "the queue for connections is full");
    lease.give_back();
    CHECK(first.wait(fixture).has_value());
    CHECK_FALSE(second.result.has_value());
    CHECK_FALSE(late.result.has_value());
}

TEST_CASE("a caller without a limit waits for connections, not for its share") {
    Listening server;
    PoolFixture fixture;
    auto settings = shared(server, 1, 1);
    settings.queue_time = 60ms;
    fixture.make(settings);
    auto const lease = fixture.lease(Freshness::any, greedy);
    auto const refused = fixture.acquire(Freshness::any, greedy);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().what == "wait for a connection");
    CHECK(fixture.metrics.share_waits.value() == 0);
}

TEST_CASE("queues are served in turn, however long one is") {
    Listening server;
    PoolFixture fixture;
    auto settings = shared(server, 2, 2);
    fixture.make(settings);
    auto lease = fixture.lease(Freshness::any, third);
    auto const held = fixture.lease(Freshness::any, third);
    Pending first{fixture, Freshness::any, greedy};
    Pending second{fixture, Freshness::any, greedy};
    Pending late{fixture, Freshness::any, other};
    lease.give_back();
    auto& got = first.wait(fixture);
    REQUIRE(got.has_value());
    got->give_back();
    auto& next = late.wait(fixture);
    REQUIRE(next.has_value());
    CHECK_FALSE(second.result.has_value());
    next->give_back();
    CHECK(second.wait(fixture).has_value());
}

TEST_CASE("a waiter that gives up leaves no turn behind, and no connection is lost") {
    Listening server;
    PoolFixture fixture;
    fixture.make(shared(server, 2, 2));
    auto lease = fixture.lease(Freshness::any, greedy);
    auto const held = fixture.lease(Freshness::any, third);
    Pending own{fixture, Freshness::any, greedy};
    Pending gone{fixture, Freshness::any, other};
    Pending next{fixture, Freshness::any, other};
    SECTION("while it waits") {
        gone.acquisition.interrupt();
        REQUIRE_FALSE(gone.wait(fixture).has_value());
        lease.give_back();
    }
    SECTION("in the moment in which it is given a connection") {
        lease.give_back();
        gone.acquisition.interrupt();
        REQUIRE_FALSE(gone.wait(fixture).has_value());
    }
    SECTION("in the moment in which it is given the right to one") {
        lease = Lease{};
        gone.acquisition.interrupt();
        REQUIRE_FALSE(gone.wait(fixture).has_value());
    }
    // A connection given to a removed waiter is passed to the caller after it.
    run_until(fixture.loop, [&] { return next.result || own.result; });
    auto& first = next.result ? next : own;
    auto& second = next.result ? own : next;
    REQUIRE(first.result->has_value());
    *first.result = Acquired{Lease{}};
    CHECK(second.wait(fixture).has_value());
    CHECK(fixture.pool->connections() == 2);
    CHECK(fixture.pool->waiting() == 0);
}

} // namespace pool_shares_test
