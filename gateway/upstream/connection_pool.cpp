// Connections to the endpoints of one upstream, in turn, kept alive and limited.
#include "gateway/upstream/connection_pool.h"

#include "gateway/upstream/connection_pool_parts.h"

#include <algorithm>
#include <utility>

namespace sallyport::upstream {

using net::Clock;
using net::Error;
using pipeline::Failure;
using pipeline::Reason;
using pipeline::Side;

namespace {

// Incremented by one during its lifetime.
class Raised {
public:
    explicit Raised(observe::Gauge& gauge) noexcept : gauge_{gauge} { gauge_.add(); }
    ~Raised() { gauge_.subtract(); }
    Raised(Raised const&) = delete;
    Raised& operator=(Raised const&) = delete;

private:
    observe::Gauge& gauge_;
};

} // namespace

void Connection::peer_gone() {
    pool->leave_idle(*this);
}

ConnectionPool::ConnectionPool(net::Loop& loop, PoolSettings settings, Resolver& resolver,
                               observe::UpstreamMetrics& metrics, EndpointStates& states)
    : loop_{loop}, settings_{std::move(settings)}, metrics_{metrics},
      balance_{settings_.endpoints.size()}, holders_{{settings_.max, settings_.per_caller}},
      connections_{metrics.connections}, idle_{metrics.connections_idle}, in_use_{settings_.needed},
      eviction_{net::Deadline::calling<&ConnectionPool::on_eviction>(loop.deadlines(), *this)} {
    for (auto const& endpoint : settings_.endpoints) {
        auto& made = *endpoints_.emplace_back(
            std::make_unique<Endpoint>(endpoint, metrics.endpoint(endpoint.text),
                                       states.share(metrics.upstream, endpoint.text)));
        auto const index = endpoints_.size() - 1;
        bool const is_unix = endpoint.transport == Transport::unix_socket;
        if (auto const known =
                is_unix ? unix_address(endpoint.socket) : literal_address(endpoint.name)) {
            balance_.set_addresses(index, {*known});
        } else if (!is_unix) {
            made.is_resolved = false;
            ++pending_names_;
            made.subscription = resolver.subscribe(endpoint.name, loop.executor(), *this, index);
        }
    }
}

ConnectionPool::~ConnectionPool() {
    for (auto const& endpoint : endpoints_)
        for (auto const& connection : endpoint->idle)
            connection->stream->close();
}

net::Task<Acquired> ConnectionPool::acquire(Acquisition& acquisition) {
    auto round = balance_.begin(acquisition.requested_at());
    auto& holder = holders_.of(acquisition.caller());
    if (holders_.is_entitled(holder)) {
        if (auto idle = take_idle(*endpoints_[round.first], acquisition.freshness(),
                                  acquisition.requested_at()))
            return net::Task<Acquired>::ended(lend(std::move(idle), holder));
    }
    return find_or_open(acquisition, std::move(round));
}

net::Task<Acquired> ConnectionPool::find_or_open(Acquisition& acquisition, Balance::Round round) {
    auto const freshness = acquisition.freshness();
    auto& holder = holders_.of(acquisition.caller());
    Slot slot;
    if (holders_.is_entitled(holder)) {
        slot = take_slot(holder);
        if (!slot) {
            if (auto idle = take_any_idle(freshness, acquisition.requested_at()))
                co_return lend(std::move(idle), holder);
            close_oldest_idle();
            slot = take_slot(holder);
        }
    }
    if (!slot) {
        bool const waits_for_share = has_its_share(holder);
        if (waits_for_share) metrics_.share_waits.add();
        Waiter waiter{*this, freshness};
        if (!make_room_in_queue(holder))
            co_return overloaded(waits_for_share, {}, "the queue for connections is full");
        if (auto const error = co_await wait_in_queue(waiter, acquisition, holder)) {
            if (acquisition.is_interrupted()) co_return interrupted_wait();
            if (waiter.is_displaced)
                co_return overloaded(true, {},
                                     "others have its place in the queue for connections");
            co_return overloaded(waits_for_share, error,
                                 waits_for_share ? "wait for the caller's share of connections"
                                                 : "wait for a connection");
        }
        if (waiter.connection && is_usable(*waiter.connection, freshness, Clock::now()))
            co_return lend_on(std::move(waiter.connection));
        if (waiter.connection) {
            waiter.connection->stream->close();
            waiter.connection.reset();
            waiter.slot = Slot{*this, holder};
        }
        slot = std::move(waiter.slot);
    }
    co_return co_await connect(acquisition, std::move(round), std::move(slot));
}

// A share of the whole pool is no limit.
bool ConnectionPool::has_its_share(Holder const& holder) const noexcept {
    return settings_.per_caller < settings_.max && holders_.has_its_share(holder);
}

// Whether one more of this caller may wait. Of a full queue the caller with most in it loses its
// last one to a caller with fewer.
bool ConnectionPool::make_room_in_queue(Holder const& holder) noexcept {
    if (holders_.waiting() < settings_.queue) return true;
    auto* const last = static_cast<Waiter*>(holders_.displaced_by(holder));
    if (last == nullptr) return false;
    last->leave();
    last->is_displaced = true;
    last->event.notify();
    return true;
}

Failure ConnectionPool::overloaded(bool of_share, Error error, std::string_view what) {
    if (of_share) metrics_.share_refusals.add();
    return failure(Side::gateway, Reason::overloaded, error, what);
}

// No error: `waiter` was given a connection or a slot.
net::Task<Error> ConnectionPool::wait_in_queue(Waiter& waiter, Acquisition& acquisition,
                                               Holder& holder) {
    waiter.join(holders_, holder);
    Raised const waiting{metrics_.exchanges_waiting};
    waiter.deadline.arm_after(settings_.queue_time);
    Acquisition::Waits const waits{acquisition, waiter};
    if (!acquisition.is_interrupted()) co_await waiter.event.wait();
    // A connection given at the last moment is passed to the next waiter.
    if (acquisition.is_interrupted()) co_return net::asio::error::operation_aborted;
    if (waiter.connection || waiter.slot) co_return Error{};
    co_return net::asio::error::timed_out;
}

ConnectionPool::Slot ConnectionPool::take_slot(Holder& holder) noexcept {
    if (connections_.value() >= settings_.max) return Slot{};
    ++connections_;
    holders_.take(holder);
    return Slot{*this, holder};
}

// Frees the slot, or passes it to the next waiter.
void ConnectionPool::release_slot() noexcept {
    auto* const next = static_cast<Waiter*>(holders_.next());
    if (next == nullptr) {
        --connections_;
        return;
    }
    next->slot = Slot{*this, holders_.serve(*next)};
    next->event.notify();
}

Lease ConnectionPool::lend(Owned connection, Holder& holder) noexcept {
    holders_.take(holder);
    connection->holder = &holder;
    return lend_on(std::move(connection));
}

Lease ConnectionPool::lend_on(Owned connection) noexcept {
    connection->metrics.connections_reused.add();
    return Lease{*this, std::move(connection)};
}

bool ConnectionPool::is_recent(Connection const& connection, Clock::time_point now) const {
    return now - connection.idle_since < settings_.recent;
}

// The last check before it is lent, for any request: pending bytes would be read as the response
// to the next request.
bool ConnectionPool::is_usable(Connection& connection, Freshness freshness,
                               Clock::time_point now) const {
    if (freshness == Freshness::fresh) return false;
    if (freshness == Freshness::fresh_or_recent && !is_recent(connection, now)) return false;
    return connection.stream->is_quiet();
}

ConnectionPool::Owned ConnectionPool::take_idle(Endpoint& endpoint, Freshness freshness,
                                                Clock::time_point now) {
    if (freshness == Freshness::fresh) return nullptr;
    while (!endpoint.idle.empty()) {
        // Too old for this request only: others may still use it.
        if (freshness == Freshness::fresh_or_recent && !is_recent(*endpoint.idle.back(), now))
            return nullptr;
        auto connection = std::move(endpoint.idle.back());
        endpoint.idle.pop_back();
        --idle_;
        connection->stream->unwatch_peer();
        if (is_usable(*connection, freshness, now)) return connection;
        drop(std::move(connection));
    }
    return nullptr;
}

ConnectionPool::Owned ConnectionPool::take_any_idle(Freshness freshness, Clock::time_point now) {
    for (auto const& endpoint : endpoints_)
        if (auto idle = take_idle(*endpoint, freshness, now)) return idle;
    return nullptr;
}

void ConnectionPool::close_oldest_idle() {
    Endpoint* oldest = nullptr;
    for (auto const& endpoint : endpoints_) {
        if (endpoint->idle.empty()) continue;
        if (oldest == nullptr
            || endpoint->idle.front()->idle_since < oldest->idle.front()->idle_since)
            oldest = endpoint.get();
    }
    if (oldest == nullptr) return;
    auto connection = std::move(oldest->idle.front());
    oldest->idle.erase(oldest->idle.begin());
    --idle_;
    drop(std::move(connection));
}

void ConnectionPool::keep(Owned connection, Clock::time_point now) noexcept {
    connection->exchange->release();
    connection->is_reused = true;
    connection->idle_since = now;
    let_go(*connection);
    if (auto* const next = static_cast<Waiter*>(holders_.next())) {
        if (next->freshness == Freshness::fresh) return drop(std::move(connection));
        connection->holder = &holders_.serve(*next);
        next->connection = std::move(connection);
        next->event.notify();
        return;
    }
    note_use(now);
    // The most recently used one is worth most: old ones cannot carry a POST.
    if (!has_room()) close_oldest_idle();
    bool const is_kept = settings_.idle > 0
                         && connection->stream->watch_peer(*connection) == net::PeerState::present;
    if (!is_kept) return drop(std::move(connection));
    evict_at(idle_.value() < settings_.idle ? now + settings_.idle_time : in_use_.falls_at());
    endpoints_[connection->endpoint_index]->idle.push_back(std::move(connection));
    ++idle_;
}

// So that no memory is allocated when a connection is given back, or when an idle one ends.
void ConnectionPool::reserve_idle(Endpoint& endpoint) {
    auto const reserve = [](std::vector<Owned>& connections, std::size_t size) {
        if (connections.capacity() < size)
            connections.reserve(std::max(size, 2 * connections.capacity()));
    };
    reserve(endpoint.idle, connections_.value());
    reserve(left_, left_.size() + connections_.value());
}

// Call it when a connection is given back: before that the number in use only grew, or connections
// were closed, which cannot be kept.
void ConnectionPool::note_use(Clock::time_point now) noexcept {
    in_use_.note(connections_.value() - idle_.value(), now);
}

// Whether one more of the pool's connections may be idle.
bool ConnectionPool::has_room() const noexcept {
    return idle_.value() < settings_.idle || connections_.value() <= in_use_.value();
}

void ConnectionPool::let_go(Connection& connection) noexcept {
    if (auto* const holder = std::exchange(connection.holder, nullptr)) holders_.give_back(*holder);
}

void ConnectionPool::drop(Owned connection) noexcept {
    let_go(*connection);
    connection->stream->close();
    connection.reset();
    release_slot();
}

// An idle connection has ended. It cannot be destroyed during its own notification.
void ConnectionPool::leave_idle(Connection& connection) noexcept {
    auto& idle = endpoints_[connection.endpoint_index]->idle;
    auto const here = std::find_if(idle.begin(), idle.end(), [&](Owned const& candidate) {
        return candidate.get() == &connection;
    });
    if (here == idle.end()) return;
    left_.push_back(std::move(*here));
    idle.erase(here);
    --idle_;
    release_slot();
    eviction_.arm_at(Clock::now());
}

void ConnectionPool::close_overdue(Clock::time_point now) noexcept {
    for (auto const& endpoint : endpoints_) {
        auto& idle = endpoint->idle;
        auto const is_overdue = [&](Owned const& connection) {
            return now - connection->idle_since >= settings_.idle_time;
        };
        while (!idle.empty() && is_overdue(idle.front())) {
            auto connection = std::move(idle.front());
            idle.erase(idle.begin());
            --idle_;
            drop(std::move(connection));
        }
    }
}

// Closes connections that were needed once, and are not any more.
void ConnectionPool::close_surplus(Clock::time_point now) noexcept {
    note_use(now);
    while (idle_.value() > settings_.idle && connections_.value() > in_use_.value())
        close_oldest_idle();
}

void ConnectionPool::on_eviction() noexcept {
    evict_idle(Clock::now());
}

void ConnectionPool::evict_idle(Clock::time_point now) noexcept {
    left_.clear();
    close_overdue(now);
    close_surplus(now);
    for (auto const& endpoint : endpoints_)
        if (!endpoint->idle.empty())
            evict_at(endpoint->idle.front()->idle_since + settings_.idle_time);
    if (idle_.value() > settings_.idle) evict_at(in_use_.falls_at());
}

// Schedules the eviction for `at`, if it is not earlier already.
void ConnectionPool::evict_at(Clock::time_point at) noexcept {
    if (at < eviction_.at()) eviction_.arm_at(at);
}

} // namespace sallyport::upstream
