// The pool that serves: connections to the endpoints of one upstream, in turn, kept alive and
// bounded.
#pragma once

#include "gateway/net/loop.h"
#include "gateway/net/tls_context.h"
#include "gateway/observe/metrics.h"
#include "gateway/upstream/balance.h"
#include "gateway/upstream/endpoint_states.h"
#include "gateway/upstream/holders.h"
#include "gateway/upstream/pool.h"
#include "gateway/upstream/recent_peak.h"
#include "gateway/upstream/resolve.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::upstream {

enum class Transport : std::uint8_t { http, https, unix_socket };

struct EndpointSettings {
    Transport transport = Transport::http;
    Name name;               // where to connect; not for unix sockets
    std::string socket;      // the path of a unix socket
    std::string text;        // as configured, for the log
    std::string host;        // what the Host field says
    std::string server_name; // https: whom the certificate must be for, a name or an address
};

struct PoolSettings {
    std::vector<EndpointSettings> endpoints;          // at least one
    std::shared_ptr<net::TlsClientContext const> tls; // where an endpoint is https
    std::chrono::milliseconds connect{3'000};         // TCP and TLS together, each attempt
    std::size_t max = 256;                            // connections, whatever they do
    std::size_t per_caller = 64;                      // of them held by one caller
    /// Of them kept without work; more where more were in use at once within `needed`. 0: none.
    std::size_t idle = 64;
    std::chrono::milliseconds needed{10'000};
    std::size_t queue = 1024; // exchanges that wait for one
    std::chrono::milliseconds queue_time{5'000};
    /// How long one may have been idle to carry a request that must not be repeated.
    std::chrono::milliseconds recent{1'000};
    std::chrono::milliseconds idle_time{
        50'000}; // below the keep-alive of common servers (60 s, 75 s)
};

/// One per worker and upstream, on the worker's thread. Leases must not outlive it. Exchanges take
/// an endpoint in turn, there the connection that was used last (so that the surplus grows old and
/// goes), else a new one; at `max` any idle one, else they queue. Each caller has a line of its
/// own, in order; the lines are served in turn. A caller that holds its share waits, whatever is
/// free, and for nobody but itself.
class ConnectionPool final : public Pool, private Resolver::Subscriber {
public:
    /// `metrics` (of the upstream, which they name) and `states` outlive the pool.
    ConnectionPool(net::Loop& loop, PoolSettings settings, Resolver& resolver,
                   observe::UpstreamMetrics& metrics, EndpointStates& states);
    ~ConnectionPool() override;

    net::Task<Acquired> acquire(Acquisition& acquisition) override;

    [[nodiscard]] std::size_t connections() const noexcept { return connections_.value(); }
    [[nodiscard]] std::size_t idle_connections() const noexcept { return idle_.value(); }
    [[nodiscard]] std::size_t waiting() const noexcept { return holders_.waiting(); }

    /// Closes the idle connections that are too old, or more than are needed. The pool does so
    /// itself, when it is time.
    void evict_idle(net::Clock::time_point now) noexcept;

private:
    friend struct Connection;
    class Slot;
    struct Waiter;
    class Listed;
    struct Endpoint;
    /// A number of this pool's that a gauge, which several pools may share, holds too.
    class Tally {
    public:
        explicit Tally(observe::Gauge& gauge) noexcept : gauge_{gauge} {}
        ~Tally() { gauge_.subtract(static_cast<std::int64_t>(value_)); }
        Tally(Tally const&) = delete;
        Tally& operator=(Tally const&) = delete;

        [[nodiscard]] std::size_t value() const noexcept { return value_; }
        void operator++() noexcept {
            ++value_;
            gauge_.add();
        }
        void operator--() noexcept {
            --value_;
            gauge_.subtract();
        }

    private:
        std::size_t value_ = 0;
        observe::Gauge& gauge_;
    };
    using Owned = std::unique_ptr<Connection>;

    void keep(Owned connection, net::Clock::time_point now) noexcept override;
    void drop(Owned connection) noexcept override;

    void resolved(std::size_t endpoint, std::vector<Address> const& addresses) override;

    /// An idle one; one that its holder was given already.
    Lease lend(Owned connection, Holder& holder) noexcept;
    Lease lend_on(Owned connection) noexcept;
    void let_go(Connection& connection) noexcept;
    Owned take_idle(Endpoint& endpoint, Freshness freshness, net::Clock::time_point now);
    Owned take_any_idle(Freshness freshness, net::Clock::time_point now);
    void close_oldest_idle();
    [[nodiscard]] bool is_recent(Connection const& connection, net::Clock::time_point now) const;
    [[nodiscard]] bool is_usable(Connection& connection, Freshness freshness,
                                 net::Clock::time_point now) const;
    Slot take_slot(Holder& holder) noexcept;
    void release_slot() noexcept;
    [[nodiscard]] bool may_take(Holder const& holder) const noexcept;
    [[nodiscard]] bool has_its_share(Holder const& holder) const noexcept;
    [[nodiscard]] std::string_view refuse_to_queue(Holder const& holder) const noexcept;
    pipeline::Failure overloaded(bool of_share, net::Error error, std::string_view what);
    net::Task<net::Error> wait_in_line(Waiter& waiter, Acquisition& acquisition, Holder& holder);
    net::Task<> wait_for_addresses(Acquisition& acquisition);
    net::Task<Acquired> find_or_open(Acquisition& acquisition, Balance::Round round);
    net::Task<Acquired> connect(Acquisition& acquisition, Balance::Round round, Slot slot);
    net::Task<net::Result<Owned>> open(Balance::Target target, Acquisition& acquisition);
    void note_failure(Balance::Target const& target, net::Error error,
                      Acquisition const& acquisition, net::Clock::time_point begun);
    void leave_idle(Connection& connection) noexcept;
    void reserve_idle(Endpoint& endpoint);
    void note_use(net::Clock::time_point now) noexcept;
    [[nodiscard]] bool has_room() const noexcept;
    void close_overdue(net::Clock::time_point now) noexcept;
    void close_surplus(net::Clock::time_point now) noexcept;
    void on_eviction() noexcept;
    void evict_at(net::Clock::time_point at) noexcept;

    net::Loop& loop_;
    PoolSettings settings_;
    observe::UpstreamMetrics& metrics_;
    Balance balance_;
    std::vector<std::unique_ptr<Endpoint>> endpoints_;
    Holders holders_;
    std::list<Waiter*> unresolved_; // for the first result of the resolver
    std::size_t unanswered_ = 0;    // names of which the resolver has said nothing yet
    std::vector<Owned> left_;       // ended by the peer while idle; closed by the next eviction
    Tally connections_;             // in use, idle, and being made
    Tally idle_;
    RecentPeak in_use_; // or being made
    net::Deadline eviction_;
};

} // namespace sallyport::upstream
