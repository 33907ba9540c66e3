// Opens connections of a pool: waits for addresses, tries endpoints one after the other, and
// records the results.
#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "gateway/upstream/connection_pool_parts.h"

namespace sallyport::upstream {

using net::Clock;
using net::Error;
using pipeline::Failure;
using pipeline::Reason;
using pipeline::Side;

namespace {

// The step at which a failure occurred.
constexpr std::string_view connecting = "connect";
constexpr std::string_view resolving = "resolve the upstream's name";

// `endpoints`: how many were tried; each counts once, whatever its number of addresses.
Failure failure_of(Error error, std::size_t endpoints) {
    if (endpoints > 1)
        return failure(Side::upstream, Reason::no_upstream, error, "connect to any endpoint");
    if (error == net::asio::error::timed_out)
        return failure(Side::upstream, Reason::upstream_timeout, error, connecting);
    return failure(Side::upstream, Reason::upstream_failed, error, connecting);
}

// A shortage on this machine is not a failure of the endpoint.
bool is_our_own(Error const& error) {
    return error == std::errc::too_many_files_open
           || error == std::errc::too_many_files_open_in_system
           || error == std::errc::no_buffer_space || error == std::errc::not_enough_memory
           || error == std::errc::address_not_available;
}

} // namespace

void ConnectionPool::resolved(std::size_t endpoint, std::vector<Address> const& addresses) {
    balance_.set_addresses(endpoint, addresses);
    if (addresses.empty()) {
        auto const now = Clock::now();
        endpoints_[endpoint]->state->failed({resolving, net::asio::error::host_not_found, now},
                                            Reach::none, now);
    }
    if (!std::exchange(endpoints_[endpoint]->is_resolved, true)) --pending_names_;
    if (pending_names_ == 0 || balance_.has_addresses())
        for (auto* const waiter : unresolved_)
            waiter->event.notify();
}

// At start-up, and after a reload, requests may arrive before the resolver's results.
net::Task<> ConnectionPool::wait_for_addresses(Acquisition& acquisition) {
    Waiter waiter{*this, acquisition.freshness()};
    Listed const listed{unresolved_, waiter};
    waiter.deadline.arm_after(acquisition.connect_limit().value_or(settings_.connect));
    Acquisition::Waits const waits{acquisition, waiter};
    if (!acquisition.is_interrupted()) co_await waiter.event.wait();
}

net::Task<Acquired> ConnectionPool::connect(Acquisition& acquisition, Balance::Round round,
                                            Slot slot) {
    if (pending_names_ > 0 && !balance_.has_addresses()) {
        co_await wait_for_addresses(acquisition);
        if (acquisition.is_interrupted())
            co_return interrupted_wait();
    }
    Error error = net::asio::error::host_not_found;
    std::size_t attempts = 0;
    std::size_t endpoints = 0;
    std::size_t last = endpoints_.size();
    while (auto const target = balance_.next(round, Clock::now())) {
        auto& endpoint = *endpoints_[target->endpoint];
        // The second endpoint may have an idle connection.
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
            reserve_idle(endpoint);
            slot.pass_on(**opened);
            co_return Lease{*this, std::move(*opened)};
        }
        error = opened.error();
        // A disconnected client is not a failure of the endpoint.
        if (acquisition.is_interrupted())
            co_return interrupted_wait();
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
    // Exceeding a time shorter than the pool's is not a failure of the endpoint.
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
    auto const carry = [&](std::unique_ptr<net::Stream> stream) {
        connection->exchange = http::make_client_exchange(*stream, loop_.buffers());
        connection->stream = std::move(stream);
    };
    connection->pool = this;
    connection->endpoint_index = target.endpoint;
    connection->endpoint = settings.text;
    connection->host = settings.host;
    if (settings.transport != Transport::https) {
        carry(std::make_unique<net::PlainStream>(std::move(socket), net::Peer{}));
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
    carry(std::move(stream));
    co_return std::move(connection);
}

} // namespace sallyport::upstream
