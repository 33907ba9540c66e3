// The connections of one worker to one upstream: kept alive, limited, lent to one exchange at a
// time.
#pragma once

#include "config/config.h"
#include "gateway/http/client_exchange.h"
#include "gateway/net/loop.h"
#include "gateway/net/tls_context.h"
#include "gateway/observe/metrics.h"
#include "gateway/pipeline/caller.h"
#include "gateway/pipeline/denial.h"
#include "gateway/upstream/connection.h"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::upstream {

class Pool;

/// The requirement of a request on its connection. A kept one must always be quiet: no bytes may
/// have arrived on it just before the write.
enum class Freshness : std::uint8_t {
    any, // the request may be repeated if a kept connection turns out to be closed
    /// It must not be repeated: a new connection, or one idle for less than a second, so that a
    /// stale one never turns a POST into a 502.
    fresh_or_recent,
    fresh, // for the only repetition of a request whose kept connection was closed
};

/// One exchange's use of a connection. Unless it is given back the connection is closed, so that no
/// leftover bytes are read as another exchange's response.
class Lease {
public:
    Lease() = default;
    Lease(Pool& pool, std::unique_ptr<Connection> connection)
        : pool_{&pool}, connection_{std::move(connection)} {}
    ~Lease() { end(); }
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
        if (this != &other) {
            end();
            pool_ = other.pool_;
            connection_ = std::move(other.connection_);
        }
        return *this;
    }

    explicit operator bool() const noexcept { return connection_ != nullptr; }
    /// Carries the exchange.
    [[nodiscard]] http::ClientExchange& exchange() const noexcept { return *connection_->exchange; }
    /// Whether the connection has carried an exchange before.
    [[nodiscard]] bool is_reused() const noexcept { return connection_->is_reused; }
    /// As configured, for the log. Valid as long as the pool.
    [[nodiscard]] std::string_view endpoint() const noexcept { return connection_->endpoint; }
    /// The value of the Host field: `host`, else the server name, else the endpoint's
    /// authority.
    [[nodiscard]] std::string_view host() const noexcept { return connection_->host; }

    /// Call it when the response was read completely and the upstream keeps the connection: other
    /// exchanges may use it from `now` on.
    void give_back(net::Clock::time_point now = net::Clock::now());

private:
    /// Most have nothing to drop: of a request's lease there are several, one moved to the next.
    void end() noexcept {
        if (connection_) drop();
    }
    void drop() noexcept;

    Pool* pool_ = nullptr;
    std::unique_ptr<Connection> connection_;
};

/// A wait for a connection, which the exchange may interrupt when its client disconnects or its
/// time is over.
class Acquisition {
public:
    /// `requested_at`: the current time, which callers have already read.
    explicit Acquisition(Freshness freshness, pipeline::CallerKey caller = 0,
                         net::Clock::time_point requested_at = net::Clock::now())
        : freshness_{freshness}, caller_{caller}, requested_at_{requested_at} {}
    Acquisition(Acquisition const&) = delete;
    Acquisition& operator=(Acquisition const&) = delete;

    /// Sets a shorter limit for connecting than the pool's.
    void limit_connect(std::chrono::milliseconds limit) noexcept { connect_ = limit; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> connect_limit() const noexcept {
        return connect_;
    }

    /// Ends the wait, at the loop's next turn, with Side::gateway and operation_aborted.
    void interrupt() noexcept {
        interrupted_ = true;
        if (wake_ != nullptr) wake_(waiter_);
    }

    [[nodiscard]] Freshness freshness() const noexcept { return freshness_; }
    /// The caller in whose share the connection is counted.
    [[nodiscard]] pipeline::CallerKey caller() const noexcept { return caller_; }
    [[nodiscard]] net::Clock::time_point requested_at() const noexcept { return requested_at_; }
    [[nodiscard]] bool is_interrupted() const noexcept { return interrupted_; }

    /// For pools: the endpoint, as configured, to which a connection is being opened.
    void tries(std::string_view endpoint) noexcept { tried_ = endpoint; }
    /// The last endpoint that was tried; empty: none. Valid as long as the pool.
    [[nodiscard]] std::string_view tried() const noexcept { return tried_; }

    /// For pools: called when the acquisition is interrupted during the object's lifetime.
    class Waits {
    public:
        template <class Waiter>
        Waits(Acquisition& acquisition, Waiter& waiter) : acquisition_{acquisition} {
            acquisition_.waiter_ = &waiter;
            acquisition_.wake_ = [](void* it) noexcept { static_cast<Waiter*>(it)->interrupt(); };
        }
        ~Waits() {
            acquisition_.wake_ = nullptr;
            acquisition_.waiter_ = nullptr;
        }
        Waits(Waits const&) = delete;
        Waits& operator=(Waits const&) = delete;

    private:
        Acquisition& acquisition_;
    };

private:
    Freshness freshness_;
    pipeline::CallerKey caller_;
    net::Clock::time_point requested_at_;
    std::string_view tried_;
    std::optional<std::chrono::milliseconds> connect_;
    bool interrupted_ = false;
    void (*wake_)(void* waiter) noexcept = nullptr;
    void* waiter_ = nullptr;
};

/// The failure's `reason`: no_upstream (no name resolves, or several addresses failed),
/// upstream_failed (refused, TLS), upstream_timeout (connecting took too long), overloaded (the
/// queue is full or was too slow, for all or for this caller). No request was sent, and all
/// alternatives were tried.
using Acquired = boost::system::result<Lease, pipeline::Failure>;

/// Used on its worker's thread only. Outlives its leases.
class Pool {
public:
    virtual ~Pool() = default;
    /// A connection, new or kept, or the reason why there is none. Waits for at most the queue time
    /// and the connect time. `acquisition` must outlive the task.
    virtual net::Task<Acquired> acquire(Acquisition& acquisition) = 0;

protected:
    friend class Lease;
    /// Takes back a connection that may carry another exchange.
    virtual void keep(std::unique_ptr<Connection> connection,
                      net::Clock::time_point now) noexcept = 0;
    /// Closes a connection that must not.
    virtual void drop(std::unique_ptr<Connection> connection) noexcept = 0;
};

class EndpointStates;
class Resolver;

/// `upstream`, `tls` and `hosts` (the Host field, one entry per endpoint) outlive the pool, as do
/// the resolver, the metrics and the states.
std::unique_ptr<Pool> make_pool(net::Loop& loop, config::Upstream const& upstream,
                                std::shared_ptr<net::TlsClientContext const> tls,
                                std::vector<std::string> const& hosts, Resolver& resolver,
                                observe::UpstreamMetrics& metrics, EndpointStates& states);

} // namespace sallyport::upstream

namespace boost::system {

/// A failure is not a std::error_code: value() of a result without one is a bug.
[[noreturn]] inline void throw_exception_from_error(sallyport::pipeline::Failure const&,
                                                    boost::source_location const&) {
    throw std::logic_error("a failure was taken for a value");
}

} // namespace boost::system
