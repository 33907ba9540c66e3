// A pool's reports about its endpoints: which are down and why, and their requests.
#include "tests/unit/upstream/pool_harness.h"

namespace pool_endpoints_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;
using namespace std::chrono_literals;

namespace {

std::string text_of(Listening const& server) {
    return PoolFixture::at(server.port()).text;
}

EndpointReport report_of(PoolFixture const& fixture, Listening const& server) {
    return fixture.states.report("service", text_of(server));
}

// A name of two addresses on one port: the second has a server only if a test starts one.
struct TwoAddresses {
    Listening first;
    net::Loop loop;
    Resolver resolver{{},
                      [](Name const& name) -> net::Result<std::vector<Address>> {
                          return std::vector{*literal_address({"127.0.0.1", name.port}),
                                             *literal_address({"127.0.0.2", name.port})};
                      },
                      1h};
    observe::UpstreamMetrics metrics{"service"};
    std::vector<EndpointChange> told;
    EndpointStates states{[this](EndpointChange const& change) { told.push_back(change); }};
    std::optional<ConnectionPool> pool;
    std::optional<net::asio::executor_work_guard<net::Executor>> work{loop.executor()};

    TwoAddresses() {
        auto settings = PoolFixture::settings_for({&first});
        settings.endpoints[0].name.host = "api.test";
        pool.emplace(loop, settings, resolver, metrics, states);
    }
    ~TwoAddresses() {
        work.reset();
        loop.end();
    }

    bool acquire() {
        Acquisition acquisition{Freshness::fresh};
        std::optional<Acquired> result;
        start(loop, keep_result(pool->acquire(acquisition), result));
        run_until(loop, [&] { return result.has_value(); });
        return result->has_value();
    }
};

} // namespace

TEST_CASE("an endpoint that refuses is down, the others are up, and each is reported once") {
    Listening bad;
    Listening good;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&bad, &good}));
    CHECK(report_of(fixture, bad).condition == EndpointCondition::unknown);
    bad.stop();
    for (int i = 0; i < 3; ++i)
        fixture.lease(Freshness::fresh);
    CHECK(report_of(fixture, bad).condition == EndpointCondition::down);
    CHECK(report_of(fixture, bad).last_error == "connect: Connection refused");
    CHECK(report_of(fixture, good).condition == EndpointCondition::up);
    CHECK(report_of(fixture, good).last_error.empty());
    REQUIRE(fixture.told.size() == 1);
    CHECK(fixture.told[0].upstream == "service");
    CHECK(fixture.told[0].endpoint == text_of(bad));
    // The pool of another worker, or of the next configuration, finds it out itself.
    auto const settings = PoolFixture::settings_for({&bad, &good});
    ConnectionPool another{fixture.loop, settings, fixture.resolver, fixture.metrics,
                           fixture.states};
    fixture.pool.reset();
    Acquisition acquisition{Freshness::fresh};
    CHECK(run(fixture.loop, another.acquire(acquisition)).has_value());
    CHECK(fixture.failures() == 2);
    CHECK(fixture.told.size() == 1);
}

TEST_CASE("the first successful connection marks an endpoint as up again") {
    Listening server{64, Listening::Begins::refusing};
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    CHECK_FALSE(fixture.acquire().has_value());
    CHECK_FALSE(fixture.acquire().has_value());
    REQUIRE(fixture.told.size() == 1);
    server.listen();
    fixture.lease();
    REQUIRE(fixture.told.size() == 2);
    CHECK(fixture.told[1].to == EndpointCondition::up);
    CHECK(report_of(fixture, server).condition == EndpointCondition::up);
}

TEST_CASE("a name with a reachable address is up, and down without one") {
    TwoAddresses stage;
    for (int i = 0; i < 4; ++i)
        CHECK(stage.acquire());
    auto const text = text_of(stage.first);
    CHECK(stage.states.report("service", text).condition == EndpointCondition::up);
    CHECK(stage.states.report("service", text).last_error == "connect: Connection refused");
    CHECK(stage.told.empty());
    stage.first.stop();
    CHECK_FALSE(stage.acquire());
    CHECK(stage.states.report("service", text).condition == EndpointCondition::down);
    CHECK(stage.told.size() == 1);
}

TEST_CASE("a name without addresses is down, with the error of the resolver") {
    PoolFixture fixture;
    PoolSettings settings;
    settings.endpoints.push_back(PoolFixture::at(80));
    settings.endpoints[0].name.host = "api.test";
    fixture.make(settings);
    CHECK_FALSE(fixture.acquire().has_value());
    REQUIRE(fixture.told.size() == 1);
    CHECK(fixture.told[0].error
          == "resolve the upstream's name: "
                 + net::Error{net::asio::error::host_not_found}.message());
    CHECK(fixture.failures() == 0);
}

TEST_CASE("each endpoint counts its connections, those that were reused, and those that failed") {
    Listening first;
    Listening second;
    Listening bad;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&first, &second, &bad}));
    bad.stop();
    auto const& of_first = fixture.metrics.endpoint(text_of(first));
    auto const& of_second = fixture.metrics.endpoint(text_of(second));
    auto const& of_bad = fixture.metrics.endpoint(text_of(bad));
    auto one = fixture.lease();
    auto other = fixture.lease();
    CHECK(of_first.connections.value() == 1);
    CHECK(of_second.connections.value() == 1);
    one.give_back();
    CHECK(of_first.connections.value() == 1);
    // The third one's turn goes to the first: its connection is idle.
    CHECK(fixture.lease().is_reused());
    CHECK(of_first.connections_opened.value() == 1);
    CHECK(of_first.connections_reused.value() == 1);
    CHECK(of_first.connections.value() == 0); // it was not given back
    CHECK(of_second.connections_opened.value() == 1);
    CHECK(of_second.connections_reused.value() == 0);
    CHECK(of_bad.connect_failures.value() == 1);
    CHECK(of_bad.connections_opened.value() == 0);
    CHECK(of_bad.connections.value() == 0);
    other.give_back();
    fixture.pool.reset();
    CHECK(of_second.connections.value() == 0);
}

} // namespace pool_endpoints_test
