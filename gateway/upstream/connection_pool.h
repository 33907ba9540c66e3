// The pool in use: connections to the endpoints of one upstream, in turn, kept alive and
// limited.
#pragma once

#include "gateway/net/holders.h"
#include "gateway/net/loop.h"
#include "gateway/net/tls_context.h"
#include "gateway/observe/metrics.h"
#include "gateway/upstream/balance.h"
#include "gateway/upstream/endpoint_states.h"
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
    std::string host;        // the value of the Host field
    std::string server_name; // https: the name or address that the certificate must match
};

struct PoolSettings {
    std::vector<EndpointSettings> endpoints;          // at least one
    std::shared_ptr<net::TlsClientContext const> tls; // for https endpoints
    std::chrono::milliseconds connect{3'000};         // TCP and TLS together, for each attempt
    std::size_t max = 256;                            // connections in any state
    std::size_t per_caller = 64;                      // the share of one caller: net::Shares
    /// How many idle ones are kept; more if more were in use at once within `needed`. 0: none.
    std::size_t idle = 64;
    std::chrono::milliseconds needed{10'000};
    std::size_t queue = 1024; // exchanges that wait for a connection
    std::chrono::milliseconds queue_time{5'000};
    /// How long a connection may have been idle to carry a request that must not be repeated.
    std::chrono::milliseconds recent{1'000};
    std::chrono::milliseconds idle_time{
        50'000}; // below the keep-alive of common servers (60 s, 75 s)
};

/// One per worker and upstream, on the worker's thread. Leases must not outlive it. Exchanges use
/// the endpoints in turn, there the connection that was used last (so that surplus ones become old
/// and are closed), otherwise a new one; at `max` any idle one, otherwise they queue. Each caller
/// has a queue of its own; the queues are served in turn, first those of callers within their
/// share, for which the last eighth of the connections is kept (net::Shares).
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

    /// Closes the idle connections that are too old, or more than are needed. The pool calls it by
    /// itself at the right time.
    void evict_idle(net::Clock::time_point now) noexcept;

private:
    friend struct Connection;
    using Holder = net::Holder;
    class Slot;
    struct Waiter;
    class Listed;
    struct Endpoint;
    /// A number of this pool that is added to a gauge, which several pools may share.
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

    /// An idle connection, or one whose slot its holder has already.
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
    [[nodiscard]] bool has_its_share(Holder const& holder) const noexcept;
    [[nodiscard]] bool make_room_in_queue(Holder const& holder) noexcept;
    pipeline::Failure overloaded(bool of_share, net::Error error, std::string_view what);
    net::Task<net::Error> wait_in_queue(Waiter& waiter, Acquisition& acquisition, Holder& holder);
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
    net::Holders holders_;
    std::list<Waiter*> unresolved_; // wait for the first result of the resolver
    std::size_t pending_names_ = 0; // names without a result of the resolver yet
    std::vector<Owned> left_;       // closed by the peer while idle; removed by the next eviction
    Tally connections_;             // in use, idle, and being opened
    Tally idle_;
    RecentPeak in_use_; // or being opened
    net::Deadline eviction_;
};

} // namespace sallyport::upstream
