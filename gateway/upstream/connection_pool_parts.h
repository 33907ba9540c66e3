// Internal types of the pool: shared only by the files that implement it.
#pragma once

#include "gateway/upstream/connection.h"
#include "gateway/upstream/connection_pool.h"

#include <utility>

namespace sallyport::upstream {

/// No request was sent, and everything was tried: every address of every endpoint, or the whole
/// waiting time.
[[nodiscard]] inline pipeline::Failure failure(pipeline::Side side, pipeline::Reason reason,
                                               net::Error error, std::string_view what) {
    return {side, reason, error, what};
}

/// The exchange ended its wait.
[[nodiscard]] inline pipeline::Failure interrupted_wait() {
    return failure(pipeline::Side::gateway, pipeline::Reason::upstream_timeout,
                   net::asio::error::operation_aborted, "wait for a connection");
}

/// The right to one of the pool's `max` connections, counted for its holder.
class ConnectionPool::Slot {
public:
    Slot() = default;
    Slot(ConnectionPool& pool, Holder& holder) : pool_{&pool}, holder_{&holder} {}
    ~Slot() {
        if (pool_ == nullptr) return;
        pool_->holders_.give_back(*holder_);
        pool_->release_slot();
    }
    Slot(Slot&& other) noexcept
        : pool_{std::exchange(other.pool_, nullptr)}, holder_{other.holder_} {}
    Slot& operator=(Slot&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(holder_, other.holder_);
        return *this;
    }

    explicit operator bool() const noexcept { return pool_ != nullptr; }
    /// `connection` owns the slot afterwards.
    void pass_on(Connection& connection) noexcept {
        connection.holder = holder_;
        pool_ = nullptr;
    }

private:
    ConnectionPool* pool_ = nullptr;
    Holder* holder_ = nullptr;
};

/// An exchange in the queue; lives in the frame of acquire().
struct ConnectionPool::Waiter : net::Queued {
    Waiter(ConnectionPool& its_pool, Freshness its_freshness)
        : pool{its_pool}, freshness{its_freshness}, event{its_pool.loop_.waiters()},
          deadline{net::Deadline::calling<&Waiter::interrupt>(its_pool.loop_.deadlines(), *this)} {}
    ~Waiter() {
        leave();
        if (connection) pool.keep(std::move(connection), net::Clock::now());
    }
    Waiter(Waiter const&) = delete;
    Waiter& operator=(Waiter const&) = delete;

    void interrupt() noexcept { event.notify(); }

    ConnectionPool& pool;
    Freshness freshness;
    net::Event event;
    net::Deadline deadline;
    /// What it was given: either of the two.
    Owned connection;
    Slot slot;
    bool is_displaced = false; // it has left the queue for a caller with fewer in it
};

/// Membership of a list during its lifetime.
class ConnectionPool::Listed {
public:
    Listed(std::list<Waiter*>& list, Waiter& waiter)
        : list_{list}, place_{list.insert(list.end(), &waiter)} {}
    ~Listed() { list_.erase(place_); }
    Listed(Listed const&) = delete;
    Listed& operator=(Listed const&) = delete;

private:
    std::list<Waiter*>& list_;
    std::list<Waiter*>::iterator place_;
};

struct ConnectionPool::Endpoint {
    Endpoint(EndpointSettings const& its_settings, observe::EndpointMetrics& its_metrics,
             std::shared_ptr<EndpointState> its_state)
        : settings{&its_settings}, metrics{its_metrics}, state{std::move(its_state)} {}

    EndpointSettings const* settings;
    observe::EndpointMetrics& metrics;
    std::shared_ptr<EndpointState> state; // shared by the workers
    std::vector<Owned> idle;              // the most recently used one at the back
    std::shared_ptr<net::TlsSession> session = std::make_shared<net::TlsSession>();
    bool is_resolved = true;
    Resolver::Subscription subscription;
};

} // namespace sallyport::upstream
