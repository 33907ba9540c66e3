// When an endpoint is down, when it is up, and which of these changes are reported: with the test's
// own clock.
#include "gateway/upstream/endpoint_states.h"

#include <boost/asio/error.hpp>
#include <catch2/catch.hpp>

#include <vector>

namespace endpoint_states_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace std::chrono_literals;

namespace {

net::Clock::time_point const origin{1h};

struct Fixture {
    std::vector<EndpointChange> told;
    EndpointStates states{[this](EndpointChange const& change) { told.push_back(change); }};
    std::shared_ptr<EndpointState> state = states.share("service", "http://a.test:80");

    void fail(net::Clock::time_point begun, net::Clock::time_point now, Reach reach = Reach::none,
              net::Error error = net::asio::error::connection_refused) const {
        state->failed({"connect", error, begun}, reach, now);
    }
    // At once.
    void fail(net::Clock::time_point now) const { fail(now, now); }
    EndpointCondition condition() const { return state->report().condition; }
};

} // namespace

TEST_CASE("an untried endpoint is neither up nor down, and its first success is not reported") {
    Fixture fixture;
    auto const before = fixture.state->report();
    CHECK(before.condition == EndpointCondition::unknown);
    CHECK_FALSE(before.since);
    CHECK_FALSE(before.failed_at);
    CHECK(before.last_error.empty());
    fixture.state->succeeded(origin);
    CHECK(fixture.condition() == EndpointCondition::up);
    CHECK(fixture.state->report().since);
    CHECK(fixture.told.empty());
}

TEST_CASE("a failing endpoint is reported once, and how long it was down when it is up again") {
    Fixture fixture;
    fixture.fail(origin);
    fixture.fail(origin + 1ms);
    fixture.fail(origin + 1min);
    CHECK(fixture.condition() == EndpointCondition::down);
    REQUIRE(fixture.told.size() == 1);
    CHECK(fixture.told[0].upstream == "service");
    CHECK(fixture.told[0].endpoint == "http://a.test:80");
    CHECK(fixture.told[0].to == EndpointCondition::down);
    CHECK(fixture.told[0].error == "connect: Connection refused");
    CHECK(fixture.told[0].left_out == 0);

    fixture.state->succeeded(origin + 90s);
    fixture.state->succeeded(origin + 91s);
    CHECK(fixture.condition() == EndpointCondition::up);
    REQUIRE(fixture.told.size() == 2);
    CHECK(fixture.told[1].upstream == "service");
    CHECK(fixture.told[1].endpoint == "http://a.test:80");
    CHECK(fixture.told[1].to == EndpointCondition::up);
    CHECK(fixture.told[1].down_for == 90s);
    // The last error can still be read.
    CHECK(fixture.state->report().last_error == "connect: Connection refused");
    CHECK(fixture.state->report().failed_at);
}

TEST_CASE("one address of several that fails is an error, but does not take its endpoint down") {
    Fixture fixture;
    fixture.fail(origin, origin, Reach::others, net::asio::error::timed_out);
    CHECK(fixture.condition() == EndpointCondition::unknown);
    CHECK(fixture.state->report().last_error == "connect: Connection timed out");
    fixture.state->succeeded(origin + 1s);
    fixture.fail(origin + 2s, origin + 2s, Reach::others);
    CHECK(fixture.condition() == EndpointCondition::up);
    CHECK(fixture.told.empty());
}

TEST_CASE("an attempt that began before the last connection was made is ignored") {
    Fixture fixture;
    fixture.state->succeeded(origin + 1s);
    fixture.fail(origin, origin + 3s);
    CHECK(fixture.condition() == EndpointCondition::up);
    CHECK(fixture.told.empty());
    CHECK(fixture.state->report().last_error == "connect: Connection refused");
    fixture.fail(origin + 2s, origin + 4s);
    CHECK(fixture.condition() == EndpointCondition::down);
    CHECK(fixture.told.size() == 1);
}

TEST_CASE("an alternating endpoint is reported as down at most every ten seconds, a lasting "
          "failure always") {
    Fixture fixture;
    fixture.fail(origin);
    fixture.state->succeeded(origin + 1s);
    REQUIRE(fixture.told.size() == 2);
    for (auto at = 2s; at < 10s; at += 2s) {
        fixture.fail(origin + at);
        CHECK(fixture.condition() == EndpointCondition::down);
        fixture.state->succeeded(origin + at + 1s);
        CHECK(fixture.condition() == EndpointCondition::up);
    }
    CHECK(fixture.told.size() == 2);

    fixture.fail(origin + 10s);
    fixture.fail(origin + 1s + EndpointState::quiet_time - 1ns);
    CHECK(fixture.told.size() == 2);
    fixture.fail(origin + 1s + EndpointState::quiet_time);
    REQUIRE(fixture.told.size() == 3);
    CHECK(fixture.told[2].to == EndpointCondition::down);
    CHECK(fixture.told[2].left_out == 4);
    // Since it is down, not since it was reported.
    fixture.state->succeeded(origin + 20s);
    REQUIRE(fixture.told.size() == 4);
    CHECK(fixture.told[3].down_for == 10s);
}

TEST_CASE("pools share the state of an endpoint by upstream and text, while one exists") {
    Fixture fixture;
    fixture.fail(origin);
    // The next worker, or the pool of the next configuration.
    auto again = fixture.states.share("service", "http://a.test:80");
    CHECK(again == fixture.state);
    auto const other_upstream = fixture.states.share("other", "http://a.test:80");
    auto const other_endpoint = fixture.states.share("service", "http://b.test:80");
    CHECK(other_upstream->report().condition == EndpointCondition::unknown);
    CHECK(other_endpoint->report().condition == EndpointCondition::unknown);
    auto const condition = [&] {
        return fixture.states.report("service", "http://a.test:80").condition;
    };
    CHECK(condition() == EndpointCondition::down);
    CHECK(fixture.states.report("service", "http://c.test:80").condition
          == EndpointCondition::unknown);
    fixture.state.reset();
    CHECK(condition() == EndpointCondition::down);
    again.reset();
    CHECK(condition() == EndpointCondition::unknown);
}

} // namespace endpoint_states_test
