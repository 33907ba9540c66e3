// Connections to the endpoints of one upstream, in turn, kept alive and bounded.
#include "gateway/upstream/connection_pool.h"

#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "gateway/upstream/connection.h"

#include <algorithm>
#include <utility>

namespace sallyport::upstream {

using net::Clock;
using net::Error;
using pipeline::Failure;
using pipeline::Reason;
using pipeline::Retry;
using pipeline::Side;

namespace {

/// Nothing was sent to anybody, but all that there is to try has been tried: every address of every
/// endpoint, or the whole of a wait. Asked again it would be tried twice.
Failure failure(Side side, Reason reason, Error error, std::string_view what) {
    return {side, reason, error, Retry::no, what};
}

// What was being done when a failure came.
constexpr std::string_view connecting = "connect";
constexpr std::string_view resolving = "resolve the upstream's name";

/// `endpoints`: how many were tried. One of several addresses is one.
Failure failure_of(Error error, std::size_t endpoints) {
    if (error == net::asio::error::operation_aborted)
        return failure(Side::gateway, Reason::upstream_timeout, error, "wait for a connection");
    if (endpoints > 1)
        return failure(Side::upstream, Reason::no_upstream, error, "connect to any endpoint");
    if (error == net::asio::error::timed_out)
        return failure(Side::upstream, Reason::upstream_timeout, error, connecting);
    return failure(Side::upstream, Reason::upstream_failed, error, connecting);
}

/// What this machine lacks says nothing about an endpoint.
bool is_our_own(Error const& error) {
    return error == std::errc::too_many_files_open
           || error == std::errc::too_many_files_open_in_system
           || error == std::errc::no_buffer_space || error == std::errc::not_enough_memory
           || error == std::errc::address_not_available;
}

/// By one, as long as this lives.
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

/// The right to one of the pool's `max` connections, of which its holder may have so many.
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
    /// `connection` has it from here on.
    void pass_on(Connection& connection) noexcept {
        connection.holder = holder_;
        pool_ = nullptr;
    }

private:
    ConnectionPool* pool_ = nullptr;
    Holder* holder_ = nullptr;
};

/// An exchange in the queue; lives in the frame of acquire().
struct ConnectionPool::Waiter : InLine {
    Waiter(ConnectionPool& its_pool, Freshness its_freshness)
        : pool{its_pool}, freshness{its_freshness}, event{its_pool.loop_.waiters()},
          deadline{net::Deadline::calling<&Waiter::interrupt>(its_pool.loop_.deadlines(), *this)} {}
    ~Waiter() {
        leave();
        if (connection) pool.keep(std::move(connection), Clock::now());
    }
    Waiter(Waiter const&) = delete;
    Waiter& operator=(Waiter const&) = delete;

    void interrupt() noexcept { event.notify(); }

    ConnectionPool& pool;
    Freshness freshness;
    net::Event event;
    net::Deadline deadline;
    // What it was given: one of them.
    Owned connection;
    Slot slot;
};

/// In a list, as long as this lives.
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
    std::shared_ptr<EndpointState> state; // which the workers share
    std::vector<Owned> idle; // the one used last at the back
    std::shared_ptr<net::TlsSession> session = std::make_shared<net::TlsSession>();
    bool is_answered = true;
    Resolver::Subscription subscription;
};

ConnectionPool::ConnectionPool(net::Loop& loop, PoolSettings settings, Resolver& resolver,
                               observe::UpstreamMetrics& metrics, EndpointStates& states)
    : loop_{loop}, settings_{std::move(settings)}, metrics_{metrics},
      balance_{settings_.endpoints.size()}, holders_{settings_.per_caller},
      connections_{metrics.connections}, idle_{metrics.connections_idle},
      housekeeping_{net::Deadline::calling<&ConnectionPool::keep_house>(loop.deadlines(), *this)} {
    // So that nothing is allocated when a connection comes back.
    left_.reserve(settings_.idle);
    for (auto const& endpoint : settings_.endpoints) {
        auto& made = *endpoints_.emplace_back(std::make_unique<Endpoint>(
            endpoint, metrics.endpoint(endpoint.text),
            states.share(metrics.upstream, endpoint.text)));
        made.idle.reserve(settings_.idle);
        auto const index = endpoints_.size() - 1;
        bool const is_unix = endpoint.transport == Transport::unix_socket;
        if (auto const known =
                is_unix ? unix_address(endpoint.socket) : literal_address(endpoint.name)) {
            balance_.set_addresses(index, {*known});
        } else if (!is_unix) {
            made.is_answered = false;
            ++unanswered_;
            made.subscription = resolver.subscribe(endpoint.name, loop.executor(), *this, index);
        }
    }
}

ConnectionPool::~ConnectionPool() {
    for (auto const& endpoint : endpoints_)
        for (auto const& connection : endpoint->idle)
            connection->stream->close();
}

void ConnectionPool::resolved(std::size_t endpoint, std::vector<Address> const& addresses) {
    balance_.set_addresses(endpoint, addresses);
    if (addresses.empty()) {
        auto const now = Clock::now();
        endpoints_[endpoint]->state->failed({resolving, net::asio::error::host_not_found, now},
                                            Reach::none, now);
    }
    if (!std::exchange(endpoints_[endpoint]->is_answered, true)) --unanswered_;
    if (unanswered_ == 0 || balance_.has_addresses())
        for (auto* const waiter : unresolved_)
            waiter->event.notify();
}

net::Task<Acquired> ConnectionPool::acquire(Acquisition& acquisition) {
    auto round = balance_.begin(acquisition.asked());
    auto& holder = holders_.of(acquisition.caller());
    if (may_take(holder)) {
        if (auto idle =
                take_idle(*endpoints_[round.first], acquisition.freshness(), acquisition.asked()))
            return net::Task<Acquired>::ended(lend(std::move(idle), holder));
    }
    return find_or_open(acquisition, std::move(round));
}

/// Whoever is next has found nothing idle that would do.
bool ConnectionPool::may_take(Holder const& holder) const noexcept {
    return !holders_.is_anybody_next() && !holders_.has_its_share(holder);
}

net::Task<Acquired> ConnectionPool::find_or_open(Acquisition& acquisition, Balance::Round round) {
    auto const freshness = acquisition.freshness();
    auto& holder = holders_.of(acquisition.caller());
    Slot slot;
    if (may_take(holder)) {
        slot = take_slot(holder);
        if (!slot) {
            if (auto idle = take_any_idle(freshness, acquisition.asked()))
                co_return lend(std::move(idle), holder);
            close_oldest_idle();
            slot = take_slot(holder);
        }
    }
    if (!slot) {
        bool const waits_for_share = has_its_share(holder);
        if (waits_for_share) metrics_.share_waits.add();
        Waiter waiter{*this, freshness};
        auto const refused = refuse_to_queue(holder);
        if (!refused.empty()) co_return overloaded(waits_for_share, {}, refused);
        if (auto const error = co_await wait_in_line(waiter, acquisition, holder)) {
            if (acquisition.is_interrupted()) co_return failure_of(error, 0);
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

/// Of one that is the only caller nobody else's share is the reason.
bool ConnectionPool::has_its_share(Holder const& holder) const noexcept {
    return settings_.per_caller < settings_.max && holders_.has_its_share(holder);
}

/// Why the queue takes nobody more; empty: it does. A caller has the same share of it as of the
/// connections, so that it cannot keep others out of it.
std::string_view ConnectionPool::refuse_to_queue(Holder const& holder) const noexcept {
    if (holders_.waiting() >= settings_.queue) return "the queue for connections is full";
    auto const share = settings_.queue * settings_.per_caller / settings_.max;
    if (holder.waiting >= std::max<std::size_t>(share, 1))
        return "the caller's share of the queue for connections is full";
    return {};
}

Failure ConnectionPool::overloaded(bool of_share, Error error, std::string_view what) {
    if (of_share) metrics_.share_refusals.add();
    return failure(Side::gateway, Reason::overloaded, error, what);
}

/// No error: `waiter` was given a connection or a slot.
net::Task<Error> ConnectionPool::wait_in_line(Waiter& waiter, Acquisition& acquisition,
                                              Holder& holder) {
    waiter.join(holders_, holder);
    Raised const waiting{metrics_.exchanges_waiting};
    waiter.deadline.arm_after(settings_.queue_time);
    Acquisition::Waits const waits{acquisition, waiter};
    if (!acquisition.is_interrupted()) co_await waiter.event.wait();
    // What was given at the last moment goes to the next in line.
    if (acquisition.is_interrupted()) co_return net::asio::error::operation_aborted;
    if (waiter.connection || waiter.slot) co_return Error{};
    co_return net::asio::error::timed_out;
}

/// At start-up, and after a new configuration, requests may be faster than the resolver.
net::Task<> ConnectionPool::wait_for_addresses(Acquisition& acquisition) {
    Waiter waiter{*this, acquisition.freshness()};
    Listed const listed{unresolved_, waiter};
    waiter.deadline.arm_after(acquisition.connect_limit().value_or(settings_.connect));
    Acquisition::Waits const waits{acquisition, waiter};
    if (!acquisition.is_interrupted()) co_await waiter.event.wait();
}

net::Task<Acquired> ConnectionPool::connect(Acquisition& acquisition, Balance::Round round,
                                            Slot slot) {
    if (unanswered_ > 0 && !balance_.has_addresses()) {
        co_await wait_for_addresses(acquisition);
        if (acquisition.is_interrupted())
            co_return failure_of(net::asio::error::operation_aborted, 0);
    }
    Error error = net::asio::error::host_not_found;
    std::size_t attempts = 0;
    std::size_t endpoints = 0;
    std::size_t last = endpoints_.size();
    while (auto const target = balance_.next(round, Clock::now())) {
        auto& endpoint = *endpoints_[target->endpoint];
        // The second choice may have something at hand.
        if (attempts > 0) {
            if (auto idle = take_idle(endpoint, acquisition.freshness(), Clock::now()))
                co_return lend(std::move(idle), holders_.of(acquisition.caller()));
        }
        ++attempts;
        acquisition.tries(endpoint.settings->text);
        // Addresses of one endpoint are tried one after the other.
        if (std::exchange(last, target->endpoint) != target->endpoint) ++endpoints;
        auto const begun = Clock::now();
        auto opened = co_await open(*target, acquisition);
        if (opened) {
            balance_.succeeded(target->id);
            endpoint.state->succeeded(Clock::now());
            endpoint.metrics.connections_opened.add();
            slot.pass_on(**opened);
            co_return Lease{*this, std::move(*opened)};
        }
        error = opened.error();
        // A client that left says nothing about the endpoint.
        if (acquisition.is_interrupted())
            co_return failure_of(net::asio::error::operation_aborted, endpoints);
        if (is_our_own(error))
            co_return failure(Side::gateway, Reason::overloaded, error, connecting);
        note_failure(*target, error, acquisition, begun);
    }
    if (attempts == 0)
        co_return failure(Side::upstream, Reason::no_upstream, error, resolving);
    co_return failure_of(error, endpoints);
}

void ConnectionPool::note_failure(Balance::Target const& target, Error error,
                                  Acquisition const& acquisition, Clock::time_point begun) {
    auto& endpoint = *endpoints_[target.endpoint];
    endpoint.metrics.connect_failures.add();
    auto const now = Clock::now();
    // A shorter time than everybody's says nothing about the endpoint.
    bool const is_its_own =
        error != net::asio::error::timed_out
        || acquisition.connect_limit().value_or(settings_.connect) >= settings_.connect;
    if (is_its_own) balance_.failed(target.id, begun, now);
    bool const is_down = is_its_own && balance_.is_passed_over(target.endpoint, now);
    endpoint.state->failed({connecting, error, begun}, is_down ? Reach::none : Reach::others, now);
}

net::Task<net::Result<ConnectionPool::Owned>> ConnectionPool::open(Balance::Target target,
                                                                   Acquisition& acquisition) {
    auto const limit = acquisition.connect_limit().value_or(settings_.connect);
    auto const until = Clock::now() + limit;
    auto const& endpoint = *endpoints_[target.endpoint];
    auto const& settings = *endpoint.settings;
    if (acquisition.is_interrupted()) co_return Error{net::asio::error::operation_aborted};
    auto begun = net::begin_connect(loop_, target.address);
    if (!begun) co_return begun.error();
    auto socket = std::move(*begun);
    {
        Acquisition::Waits const waits{acquisition, *socket};
        if (auto const error = co_await net::finish_connect(*socket, limit))
            co_return error;
    }
    auto connection = std::make_unique<Connection>(endpoint.metrics);
    connection->pool = this;
    connection->endpoint_index = target.endpoint;
    connection->endpoint = settings.text;
    connection->host = settings.host;
    if (settings.transport != Transport::https) {
        connection->stream = std::make_unique<net::PlainStream>(std::move(socket), net::Peer{});
        co_return std::move(connection);
    }
    auto stream = std::make_unique<net::TlsStream>(std::move(socket), net::Peer{}, *settings_.tls,
                                                   settings.server_name, endpoint.session);
    Acquisition::Waits const waits{acquisition, *stream};
    auto deadline = net::Deadline::calling<&net::TlsStream::interrupt>(loop_.deadlines(), *stream);
    deadline.arm_at(until);
    if (auto const error = co_await stream->handshake()) {
        stream->close();
        co_return deadline.has_expired() ? Error{net::asio::error::timed_out} : error;
    }
    connection->stream = std::move(stream);
    co_return std::move(connection);
}

ConnectionPool::Slot ConnectionPool::take_slot(Holder& holder) noexcept {
    if (connections_.value() >= settings_.max) return Slot{};
    ++connections_;
    holders_.take(holder);
    return Slot{*this, holder};
}

/// Nobody holds it any more.
void ConnectionPool::release_slot() noexcept {
    if (!holders_.is_anybody_next()) {
        --connections_;
        return;
    }
    auto& next = static_cast<Waiter&>(holders_.next());
    auto& holder = holders_.serve_next();
    next.slot = Slot{*this, holder};
    next.event.notify();
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

/// Asked last of all before it is lent, whoever it is for: what lies there would be read as the
/// answer to the next request.
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
        // Too old for this one only: others may still use it.
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
    connection->is_reused = true;
    connection->idle_since = now;
    let_go(*connection);
    if (holders_.is_anybody_next()) {
        auto& next = static_cast<Waiter&>(holders_.next());
        if (next.freshness == Freshness::fresh) return drop(std::move(connection));
        connection->holder = &holders_.serve_next();
        next.connection = std::move(connection);
        next.event.notify();
        return;
    }
    // The one that was used last is worth most: too old ones are of no use to a POST.
    if (idle_.value() >= settings_.idle) close_oldest_idle();
    bool const is_kept = idle_.value() < settings_.idle
                         && connection->stream->watch_peer(*connection) == net::PeerState::present;
    if (!is_kept) return drop(std::move(connection));
    if (!housekeeping_.is_armed())
        housekeeping_.arm_at(connection->idle_since + settings_.idle_time);
    endpoints_[connection->endpoint_index]->idle.push_back(std::move(connection));
    ++idle_;
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

/// An idle connection has ended. It cannot be destroyed while it tells so.
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
    housekeeping_.arm_at(Clock::now());
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

void ConnectionPool::keep_house() noexcept {
    left_.clear();
    close_overdue(Clock::now());
    auto next = Clock::time_point::max();
    for (auto const& endpoint : endpoints_)
        if (!endpoint->idle.empty())
            next = std::min(next, endpoint->idle.front()->idle_since + settings_.idle_time);
    if (next != Clock::time_point::max()) housekeeping_.arm_at(next);
}

} // namespace sallyport::upstream
