// A pool over loopback sockets on which the test itself accepts.
#pragma once

#include "gateway/upstream/connection_pool.h"
#include "tests/unit/net/harness.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>

#include <string>
#include <utility>
#include <vector>

namespace sallyport::upstream::test {

using namespace net::test;
using pipeline::Reason;
using pipeline::Side;

/// Listens; the kernel completes connections whether accept() is called or not.
class Listening {
public:
    enum class Begins : std::uint8_t { listening, refusing };

    explicit Listening(int backlog = 64, Begins begins = Begins::listening)
        : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(socket_.get(), generic, size) == 0);
        if (begins == Begins::listening) listen(backlog);
        REQUIRE(::getsockname(socket_.get(), generic, &size) == 0);
        port_ = ntohs(address.sin_port);
    }

    std::uint16_t port() const { return port_; }
    /// A refusing socket accepts from now on.
    void listen(int backlog = 64) { REQUIRE(::listen(socket_.get(), backlog) == 0); }
    /// Refuses from now on.
    void stop() { socket_.reset(); }

    /// The next established connection; empty if there is none.
    net::FileDescriptor accept() {
        return net::FileDescriptor{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    }

    int accept_all() {
        int count = 0;
        while (auto connection = accept()) {
            accepted.push_back(std::move(connection));
            ++count;
        }
        return count;
    }

    std::vector<net::FileDescriptor> accepted;

private:
    net::FileDescriptor socket_;
    std::uint16_t port_ = 0;
};

struct PoolFixture {
    net::Loop loop;
    Resolver resolver{{},
                      [](Name const&) -> net::Result<std::vector<Address>> {
                          return net::Error{net::asio::error::host_not_found};
                      },
                      std::chrono::hours{1}};
    observe::UpstreamMetrics metrics{"service"};
    std::vector<EndpointChange> told;
    EndpointStates states{[this](EndpointChange const& change) { told.push_back(change); }};
    std::optional<ConnectionPool> pool;

    /// Waiting coroutines are destroyed before the objects that they wait for, as when a worker
    /// ends.
    ~PoolFixture() { loop.end(); }

    ConnectionPool& make(PoolSettings settings) {
        return pool.emplace(loop, std::move(settings), resolver, metrics, states);
    }

    /// The sum over all endpoints.
    std::uint64_t count(observe::Counter observe::EndpointMetrics::*counter) const {
        std::uint64_t sum = 0;
        metrics.endpoints().for_each(
            [&](observe::EndpointMetrics const& endpoint) { sum += (endpoint.*counter).value(); });
        return sum;
    }
    std::uint64_t opened() const { return count(&observe::EndpointMetrics::connections_opened); }
    std::uint64_t reused() const { return count(&observe::EndpointMetrics::connections_reused); }
    std::uint64_t failures() const { return count(&observe::EndpointMetrics::connect_failures); }

    static EndpointSettings at(std::uint16_t port) {
        EndpointSettings endpoint;
        endpoint.name = {"127.0.0.1", port};
        endpoint.text = "http://127.0.0.1:" + std::to_string(port);
        endpoint.host = "host-" + std::to_string(port);
        return endpoint;
    }
    static PoolSettings settings_for(std::vector<Listening const*> const& servers) {
        PoolSettings settings;
        for (auto const* server : servers)
            settings.endpoints.push_back(at(server->port()));
        return settings;
    }

    Acquired acquire(Freshness freshness = Freshness::any, pipeline::CallerKey caller = 0) {
        Acquisition acquisition{freshness, caller};
        return run(loop, pool->acquire(acquisition));
    }
    Lease lease(Freshness freshness = Freshness::any, pipeline::CallerKey caller = 0) {
        auto acquired = acquire(freshness, caller);
        REQUIRE(acquired.has_value());
        return std::move(*acquired);
    }

    /// Runs until the loop has processed everything that the kernel reports.
    void settle() {
        for (int i = 0; i < 3; ++i)
            run_ready(loop);
    }
};

/// An acquisition in progress.
struct Pending {
    Acquisition acquisition;
    std::optional<Acquired> result;

    explicit Pending(PoolFixture& fixture, Freshness freshness = Freshness::any,
                     pipeline::CallerKey caller = 0)
        : acquisition{freshness, caller} {
        start(fixture.loop, keep_result(fixture.pool->acquire(acquisition), result));
        run_ready(fixture.loop);
    }
    Acquired& wait(PoolFixture& fixture) {
        run_until(fixture.loop, [&] { return result.has_value(); });
        return *result;
    }
};

} // namespace sallyport::upstream::test
