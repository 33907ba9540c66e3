// How a pool opens connections: its errors, and its next endpoint.
#include "tests/unit/net/tls_harness.h"
#include "tests/unit/upstream/pool_harness.h"

#include <boost/asio/ip/tcp.hpp>

#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace pool_connect_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;
using namespace std::chrono_literals;

namespace {

void check_failure(Acquired const& acquired, Side side, Reason reason, net::Error error) {
    REQUIRE_FALSE(acquired.has_value());
    auto const& failure = acquired.error();
    CHECK(failure.side == side);
    CHECK(failure.reason == reason);
    CHECK(failure.error == error);
    CHECK_FALSE(failure.what.empty());
}

std::unique_ptr<net::TlsStream> make_stream(net::Loop& loop, net::FileDescriptor descriptor,
                                            std::shared_ptr<net::TlsServerContext const> context) {
    return std::make_unique<net::TlsStream>(
        std::make_unique<net::Socket>(loop, std::move(descriptor)), net::Peer{},
        std::move(context));
}

// Accepts and completes the handshake of one client.
net::Task<> serve_tls(net::Loop& loop, net::FileDescriptor descriptor,
                      std::shared_ptr<net::TlsServerContext const> context,
                      std::unique_ptr<net::TlsStream>& stream) {
    stream = make_stream(loop, std::move(descriptor), std::move(context));
    auto const error = co_await stream->handshake();
    if (error) stream->close();
}

PoolSettings https_settings(Listening const& server, std::string server_name) {
    auto settings = PoolFixture::settings_for({&server});
    settings.endpoints[0].transport = Transport::https;
    settings.endpoints[0].server_name = std::move(server_name);
    settings.tls = make_client();
    return settings;
}

} // namespace

TEST_CASE("an upstream that refuses is upstream_failed, one of several addresses too") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    server.stop();
    check_failure(fixture.acquire(), Side::upstream, Reason::upstream_failed,
                  net::asio::error::connection_refused);
    CHECK(fixture.pool->connections() == 0);
    CHECK(fixture.failures() == 1);
    CHECK(fixture.opened() == 0);
}

TEST_CASE("several endpoints that all refuse are no_upstream") {
    Listening first;
    Listening second;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&first, &second}));
    first.stop();
    second.stop();
    check_failure(fixture.acquire(), Side::upstream, Reason::no_upstream,
                  net::asio::error::connection_refused);
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE("a name that does not resolve is no_upstream") {
    PoolFixture fixture;
    PoolSettings settings;
    settings.endpoints.push_back(PoolFixture::at(80));
    settings.endpoints[0].name.host = "api.test";
    fixture.make(settings);
    check_failure(fixture.acquire(), Side::upstream, Reason::no_upstream,
                  net::asio::error::host_not_found);
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE("a request before the resolver's first result waits for it") {
    Listening server;
    net::Loop loop;
    std::atomic<bool> may_resolve = false;
    auto const look_up = [&](Name const& name) -> net::Result<std::vector<Address>> {
        while (!may_resolve)
            std::this_thread::yield();
        return std::vector{*literal_address({"127.0.0.1", name.port})};
    };
    Resolver resolver{{}, look_up, 1h};
    PoolSettings settings = PoolFixture::settings_for({&server});
    settings.endpoints[0].name.host = "api.test";
    observe::UpstreamMetrics metrics{"service"};
    EndpointStates states{[](EndpointChange const&) {}};
    ConnectionPool pool{loop, settings, resolver, metrics, states};
    net::asio::executor_work_guard<net::Executor> const work{loop.executor()};
    Acquisition acquisition{Freshness::any};
    Acquisition interrupted{Freshness::any};
    std::optional<Acquired> result;
    std::optional<Acquired> interrupted_result;
    start(loop, keep_result(pool.acquire(acquisition), result));
    start(loop, keep_result(pool.acquire(interrupted), interrupted_result));
    run_ready(loop);
    CHECK_FALSE(result.has_value());
    interrupted.interrupt();
    run_until(loop, [&] { return interrupted_result.has_value(); });
    check_failure(*interrupted_result, Side::gateway, Reason::upstream_timeout,
                  net::asio::error::operation_aborted);
    may_resolve = true;
    run_until(loop, [&] { return result.has_value(); });
    CHECK(result->has_value());
}

TEST_CASE("an upstream that does not respond to the connect is upstream_timeout") {
    Listening server{0};
    Listening const other;
    // The backlog is full: further connections get no response.
    std::vector<net::FileDescriptor> fillers;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(server.port());
    for (int i = 0; i < 8; ++i) {
        fillers.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        ::connect(fillers.back().get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
    PoolFixture fixture;
    auto settings = PoolFixture::settings_for({&server});
    settings.connect = 100ms;
    fixture.make(settings);
    SECTION("when its time is over") {
        check_failure(fixture.acquire(), Side::upstream, Reason::upstream_timeout,
                      net::asio::error::timed_out);
    }
    SECTION("when its own limit is over, which is not a failure of the endpoint") {
        settings.connect = 1h;
        settings.endpoints.push_back(PoolFixture::at(other.port()));
        fixture.make(settings);
        for (int i = 0; i < 2; ++i) {
            // In turn: the first one is not skipped the second time.
            Acquisition acquisition{Freshness::fresh};
            acquisition.limit_connect(50ms);
            auto const begun = net::Clock::now();
            CHECK(run(fixture.loop, fixture.pool->acquire(acquisition)).has_value());
            CHECK(net::Clock::now() - begun < 10s);
            Acquisition next{Freshness::fresh};
            next.limit_connect(50ms);
            if (i == 0) CHECK(run(fixture.loop, fixture.pool->acquire(next)).has_value());
        }
        CHECK(fixture.failures() == 2);
        CHECK(fixture.told.empty());
    }
    SECTION("or that of the exchange, which is not a failure of the endpoint") {
        Pending pending{fixture};
        REQUIRE_FALSE(pending.result.has_value());
        pending.acquisition.interrupt();
        check_failure(pending.wait(fixture), Side::gateway, Reason::upstream_timeout,
                      net::asio::error::operation_aborted);
    }
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE("an acquisition that was interrupted before it began makes no connection") {
    Listening server;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&server}));
    Acquisition acquisition{Freshness::any};
    acquisition.interrupt();
    check_failure(run(fixture.loop, fixture.pool->acquire(acquisition)), Side::gateway,
                  Reason::upstream_timeout, net::asio::error::operation_aborted);
    CHECK(server.accept_all() == 0);
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE("if one endpoint refuses the next one is used, and the first skipped") {
    Listening bad;
    Listening good;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&bad, &good}));
    bad.stop();
    for (int i = 0; i < 4; ++i) {
        auto const lease = fixture.lease(Freshness::fresh);
        CHECK(lease.host() == "host-" + std::to_string(good.port()));
        CHECK(lease.endpoint() == "http://127.0.0.1:" + std::to_string(good.port()));
    }
    CHECK(good.accept_all() == 4);
}

TEST_CASE("new connections are distributed over the endpoints in turn") {
    Listening first;
    Listening second;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&first, &second}));
    std::vector<Lease> leases;
    for (int i = 0; i < 4; ++i)
        leases.push_back(fixture.lease());
    CHECK(first.accept_all() == 2);
    CHECK(second.accept_all() == 2);
}

TEST_CASE("requests are distributed over the endpoints in turn, over kept connections too") {
    Listening first;
    Listening second;
    PoolFixture fixture;
    fixture.make(PoolFixture::settings_for({&first, &second}));
    std::vector<std::string> hosts;
    for (int i = 0; i < 4; ++i) {
        auto lease = fixture.lease();
        hosts.emplace_back(lease.host());
        CHECK(lease.is_reused() == (i >= 2));
        lease.give_back();
    }
    CHECK(hosts[0] == hosts[2]);
    CHECK(hosts[1] == hosts[3]);
    CHECK(hosts[0] != hosts[1]);
}

TEST_CASE("a unix socket is an upstream") {
    auto const path = std::filesystem::temp_directory_path()
                      / ("sallyport-pool-test-" + std::to_string(::getpid()));
    net::FileDescriptor const listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.native().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener.get(), 4) == 0);
    PoolFixture fixture;
    PoolSettings settings;
    settings.endpoints.push_back(PoolFixture::at(80));
    settings.endpoints[0].transport = Transport::unix_socket;
    settings.endpoints[0].socket = path.native();
    fixture.make(settings);
    {
        auto const lease = fixture.lease();
        CHECK_FALSE(run(fixture.loop, lease.exchange().send_body("hello", http::Ends::no)));
    }
    std::filesystem::remove(path);
    check_failure(fixture.acquire(), Side::upstream, Reason::upstream_failed,
                  net::Error{ENOENT, boost::system::system_category()});
}

TEST_CASE("an https upstream must have a certificate for its name") {
    Listening server;
    PoolFixture fixture;
    fixture.make(https_settings(server, "other.example.com"));
    Pending pending{fixture};
    run_until(fixture.loop, [&] { return server.accept_all() > 0; });
    std::unique_ptr<net::TlsStream> stream;
    start(fixture.loop,
          serve_tls(fixture.loop, std::move(server.accepted[0]), make_server({}), stream));
    auto const& acquired = pending.wait(fixture);
    REQUIRE_FALSE(acquired.has_value());
    CHECK(acquired.error().reason == Reason::upstream_failed);
    CHECK(acquired.error().error.category() == net::certificate_category());
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE("an https upstream that never responds to the handshake is upstream_timeout") {
    Listening server;
    PoolFixture fixture;
    auto settings = https_settings(server, "api.example.com");
    settings.connect = 100ms;
    fixture.make(settings);
    SECTION("when its time is over") {
        check_failure(fixture.acquire(), Side::upstream, Reason::upstream_timeout,
                      net::asio::error::timed_out);
    }
    SECTION("or the exchange is") {
        Pending pending{fixture};
        run_until(fixture.loop, [&] { return server.accept_all() > 0; });
        fixture.settle();
        pending.acquisition.interrupt();
        check_failure(pending.wait(fixture), Side::gateway, Reason::upstream_timeout,
                      net::asio::error::operation_aborted);
    }
    CHECK(fixture.pool->connections() == 0);
}

TEST_CASE(
    "an https upstream is verified, reused in spite of its tickets, and its session resumed") {
    Listening server;
    PoolFixture fixture;
    fixture.make(https_settings(server, "api.example.com"));
    auto const context = make_server({});
    std::vector<std::unique_ptr<net::TlsStream>> streams(2);
    for (int i = 0; i < 2; ++i) {
        Pending pending{fixture, Freshness::fresh};
        run_until(fixture.loop, [&] { return server.accept_all() > 0; });
        auto& stream = streams[static_cast<std::size_t>(i)];
        start(fixture.loop,
              serve_tls(fixture.loop, std::move(server.accepted.back()), context, stream));
        auto& acquired = pending.wait(fixture);
        REQUIRE(acquired.has_value());
        auto lease = std::move(*acquired);
        run_until(fixture.loop, [&] { return stream->tls() != nullptr; });
        CHECK(stream->tls()->server_name == "api.example.com");
        CHECK(stream->tls()->resumed == (i == 0 ? net::Resumed::no : net::Resumed::yes));
        // Receives the ticket, too.
        REQUIRE_FALSE(run(fixture.loop, stream->write("HTTP/1.1 204 No Content\r\n\r\n")));
        http::ResponseHead head;
        run_until(fixture.loop, [&] {
            return lease.exchange().read_head(head).state == http::ResponseRead::State::complete;
        });
        lease.give_back();
        fixture.settle();
        CHECK(fixture.lease(Freshness::any).is_reused());
        fixture.settle();
    }
}

} // namespace pool_connect_test
