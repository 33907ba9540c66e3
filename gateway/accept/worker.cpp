// A worker: a thread with a loop of its own, which shares only what it is given.
#include "gateway/accept/worker.h"

#include "gateway/net/client_trust.h"
#include "gateway/net/held_signals.h"
#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "gateway/pipeline/client_certificate.h"
#include "gateway/serve/judge_again.h"
#include "gateway/serve/log_exchange.h"
#include "gateway/serve/serve.h"

#include <boost/asio/post.hpp>

#include <malloc.h>
#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace sallyport::accept {

using pipeline::Reason;

namespace {

// Long compared with a pause of a busy worker, short for an operator.
constexpr std::chrono::seconds memory_time{1};

// The worker's existing pool of `upstream` with its connections, if nothing that they depend on
// has changed.
std::shared_ptr<upstream::Pool> find_pool(serve::WorkerSnapshot const* before,
                                          lifecycle::Upstream const& upstream) {
    if (before == nullptr) return nullptr;
    auto const& upstreams = before->snapshot->upstreams;
    for (std::size_t i = 0; i < upstreams.size(); ++i) {
        bool const is_same = upstreams[i].config->name == upstream.config->name
                             && upstreams[i].connects_as == upstream.connects_as;
        if (is_same) return before->pools[i];
    }
    return nullptr;
}

std::shared_ptr<serve::WorkerSnapshot const>
wrap(std::shared_ptr<lifecycle::Snapshot const> snapshot, serve::WorkerState& state,
     Shared const& shared) {
    auto wrapped = std::make_shared<serve::WorkerSnapshot>();
    for (auto const& api : snapshot->apis.all()) {
        wrapped->pipelines.push_back(std::make_unique<pipeline::Pipeline>(*api, shared.plugins));
    }
    for (auto const& upstream : snapshot->upstreams) {
        auto& metrics = state.metrics.upstream(upstream.config->name);
        wrapped->upstream_metrics.push_back(&metrics);
        auto pool = find_pool(state.current.get(), upstream);
        if (pool == nullptr) {
            pool = upstream::make_pool(state.loop, *upstream.config, upstream.tls, upstream.hosts,
                                       shared.resolver, metrics, shared.endpoint_states);
        }
        wrapped->pools.push_back(std::move(pool));
    }
    wrapped->snapshot = std::move(snapshot);
    return wrapped;
}

lifecycle::Listener const* find_listener(lifecycle::Snapshot const& snapshot,
                                         std::string_view name) {
    auto const found = std::find_if(
        snapshot.listeners.begin(), snapshot.listeners.end(),
        [name](lifecycle::Listener const& listener) { return listener.config->name == name; });
    return found == snapshot.listeners.end() ? nullptr : &*found;
}

// What a reload may change of an open connection.
void set_rules(pipeline::ClientConnection& client, lifecycle::Listener const& listener) {
    client.redirect = listener.config->redirect;
    bool const is_proxy = listener.proxied && listener.proxied->proxies.has(client.address);
    client.proxied = is_proxy ? listener.proxied : nullptr;
    auto const trust = listener.tls ? listener.tls->clients() : nullptr;
    auto& certificate = client.certificate;
    bool const is_named_by_proxy = certificate && certificate->is_named_by_proxy;
    if (!trust && !is_named_by_proxy) return certificate.reset();
    if (!certificate) certificate = std::make_shared<pipeline::ClientCertificate>();
    certificate->trust = trust;
    certificate->asked_by =
        trust ? listener.config->tls->client_certificates.ca->origin.mark : config::yaml::Mark{};
    if (!trust) certificate->facts.reset();
}

// The protocol that a proxy has agreed upon with the client: RFC 7301, 6; empty: none.
bool is_served(std::string_view protocol) {
    return protocol.empty() || protocol == "http/1.1" || protocol == "http/1.0";
}

pipeline::ClientConnection client_of(lifecycle::Listener const& listener, net::Peer const& peer) {
    pipeline::ClientConnection client;
    client.address = peer.address;
    client.port = peer.port;
    client.listener = listener.config->name;
    client.caller = pipeline::caller_of_address(peer.address);
    client.is_tls = listener.tls != nullptr;
    set_rules(client, listener);
    return client;
}

contract::ValidatorLimits validator_limits(lifecycle::Snapshot const& snapshot) {
    contract::ValidatorLimits limits;
    limits.depth = snapshot.config.limits.json_depth;
    return limits;
}

} // namespace

void reset(net::FileDescriptor descriptor) noexcept {
    linger const at_once{1, 0};
    ::setsockopt(descriptor.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

Worker::Worker(std::uint32_t number, std::shared_ptr<lifecycle::Snapshot const> snapshot,
               observe::LogRing& ring, Shared const& shared)
    : shared_{shared}, state_{number,
                              shared.buffered_bodies,
                              shared.exchange_limits,
                              validator_limits(*snapshot),
                              ring,
                              shared.control_log},
      work_{state_.loop.executor()}, memory_{net::Deadline::calling<&Worker::give_memory_back>(
                                         state_.loop.deadlines(), *this)} {
    state_.services.failed_authentication = &shared.failed_authentication;
    state_.services.fetcher = &shared.fetcher;
    state_.services.passwords = &shared.passwords;
    state_.current = wrap(std::move(snapshot), state_, shared);
    state_.tunnels.judge_with([this](pipeline::Exchange& exchange) {
        auto const* const listener =
            find_listener(*state_.current->snapshot, exchange.request.client.listener);
        return serve::judge_again(state_, listener, exchange);
    });
}

Worker::~Worker() {
    join();
    work_.reset();
    // Interrupted connections are destroyed first: they use the pools, the services and the log.
    state_.loop.end();
}

void Worker::start() {
    net::HeldSignals const held;
    thread_ = std::thread{[this] {
        // Shown by top and perf.
        auto const name = "worker " + std::to_string(state_.number);
        ::pthread_setname_np(::pthread_self(), name.c_str());
        for (;;) {
            try {
                state_.loop.run();
                return;
            } catch (std::exception const& exception) {
                // Exceptions of a connection do not get here; one that does ends no other
                // connection.
                shared_.control_log.write(observe::Severity::error, "worker_caught_exception",
                                          {{"what", exception.what()}});
            }
        }
    }};
}

void Worker::hand_over(Incoming incoming) {
    state_.open_connections.fetch_add(1, std::memory_order_relaxed);
    net::asio::post(state_.loop.executor(), [this, incoming = std::move(incoming)]() mutable {
        take(std::move(incoming));
    });
}

void Worker::take(Incoming incoming) {
    auto const counted_as = incoming.counted_as;
    try {
        auto const& snapshot = *state_.current->snapshot;
        auto const* const listener = find_listener(snapshot, *incoming.listener);
        // Its listener was removed by a reload meanwhile.
        if (listener == nullptr) return connection_ended(counted_as);
        if (listener->config->proxy_protocol == config::ProxyProtocol::required)
            return net::start(state_.loop.context(), serve_proxy(this, std::move(incoming)));
        auto socket = std::make_unique<net::Socket>(state_.loop, std::move(incoming.descriptor));
        auto client = client_of(*listener, incoming.peer);
        client.counted_as = counted_as;
        begin(*listener, std::move(socket), std::move(incoming.peer), std::move(client));
    } catch (std::exception const& exception) {
        connection_failed(counted_as, exception);
    }
}

void Worker::begin(lifecycle::Listener const& listener, std::unique_ptr<net::Socket> socket,
                   net::Peer peer, pipeline::ClientConnection client) {
    std::unique_ptr<net::Stream> stream;
    if (listener.tls) {
        stream = std::make_unique<net::TlsStream>(std::move(socket), std::move(peer), listener.tls);
    } else {
        stream = std::make_unique<net::PlainStream>(std::move(socket), std::move(peer));
    }
    auto connection =
        std::make_shared<serve::Connection>(state_, std::move(stream), std::move(client));
    net::start(state_.loop.context(), serve(this, std::move(connection)));
}

// Its client may have more connections, if need be in place of one that is idle.
bool Worker::attribute(std::string const& address) {
    if (shared_.limits.attribute(address) == Admission::admitted) return true;
    auto* const longest_idle = state_.waiting.longest(serve::WaitsFor::request, address);
    if (longest_idle == nullptr) return false;
    auto const leaving = longest_idle->client().counted_as;
    longest_idle->give_way(serve::WaitsFor::request);
    shared_.limits.release(leaving);
    return shared_.limits.attribute(address) == Admission::admitted;
}

net::Task<> Worker::serve_proxy(Worker* worker, Incoming incoming) {
    try {
        auto socket =
            std::make_unique<net::Socket>(worker->state_.loop, std::move(incoming.descriptor));
        co_await worker->receive_header(incoming, std::move(socket));
    } catch (std::exception const& exception) {
        worker->connection_failed(incoming.counted_as, exception);
    }
}

// The proxy sends the header at once: it has the time of a handshake.
net::Task<> Worker::receive_header(Incoming& incoming, std::unique_ptr<net::Socket> socket) {
    auto deadline = net::Deadline::calling<&net::Socket::abort>(state_.loop.deadlines(), *socket);
    deadline.arm_after(state_.current->snapshot->config.limits.handshake);
    auto const received = co_await net::receive_proxy_header(*socket);
    deadline.disarm();
    if (received.error || !received.problem.empty()) {
        // A load balancer that checks whether the port is open connects, and leaves.
        bool const is_check = received.error == net::asio::error::eof && received.problem.empty();
        if (!is_check) serve::log_bad_proxy_header(state_, incoming.peer, received.problem);
        socket->abort();
        co_return connection_ended(incoming.counted_as);
    }
    take_proxied(incoming, std::move(socket), received.header);
}

void Worker::take_proxied(Incoming& incoming, std::unique_ptr<net::Socket> socket,
                          net::ProxyHeader const& header) {
    auto const* const listener = find_listener(*state_.current->snapshot, *incoming.listener);
    if (listener == nullptr) return connection_ended(incoming.counted_as);
    // Of its own connections, which check the gateway, the proxy says nothing.
    auto const& peer = header.client ? *header.client : incoming.peer;
    auto const end = [&] {
        socket->abort();
        connection_ended(incoming.counted_as);
    };
    if (listener->tls == nullptr && !is_served(header.protocol)) {
        serve::log_bad_proxy_header(state_, incoming.peer, "its ALPN is of another protocol");
        return end();
    }
    auto client = client_of(*listener, peer);
    if (header.client) client.peer = incoming.peer.address;
    client.is_proxys_own = !header.client;
    client.is_tls = client.is_tls || header.client_has_tls;
    if (listener->tls == nullptr && !header.authority.empty()) {
        client.certificate = std::make_shared<pipeline::ClientCertificate>();
        client.certificate->server_name = header.authority;
        client.certificate->is_named_by_proxy = true;
    }
    if (!client.proxied && header.client) {
        if (!listener->config->addresses.admit(client.address)) {
            shared_.limits.count_denied();
            serve::log_refused_connection(state_, peer, Reason::address_denied);
            return end();
        }
        if (!attribute(client.address)) {
            shared_.limits.count_refused();
            serve::log_refused_connection(state_, peer, Reason::too_many_connections);
            return end();
        }
        incoming.counted_as = client.counted_as = client.address;
    }
    begin(*listener, std::move(socket), peer, std::move(client));
}

void Worker::connection_failed(std::string const& counted_as,
                               std::exception const& exception) noexcept {
    shared_.control_log.write(observe::Severity::error, "connection_failed",
                              {{"what", exception.what()}});
    connection_ended(counted_as);
}

net::Task<> Worker::serve(Worker* worker, std::shared_ptr<serve::Connection> connection) {
    co_await serve::serve_connection(connection);
    bool const gave_place = connection->gave_place();
    auto const counted_as = connection->client().counted_as;
    connection.reset();
    if (gave_place) {
        worker->one_fewer();
    } else {
        worker->connection_ended(counted_as);
    }
}

void Worker::find_room(RoomSearch search) {
    net::asio::post(state_.loop.executor(), [this, search = std::move(search)]() mutable {
        search_for_room(std::move(search));
    });
}

serve::Connection* Worker::find_longest_idle(RoomSearch const& search) const {
    using serve::WaitsFor;
    return search.limit == Admission::too_many_from_address
               ? state_.waiting.longest(WaitsFor::request, search.incoming.counted_as)
               : state_.waiting.longest(WaitsFor::request);
}

void Worker::search_for_room(RoomSearch search) {
    if (search.searched == search.workers.size()) return make_room(std::move(search));
    auto* const longest_idle = find_longest_idle(search);
    if (longest_idle != nullptr && longest_idle->place().since() < search.since) {
        search.since = longest_idle->place().since();
        search.best = this;
    }
    ++search.searched;
    bool const is_last = search.searched == search.workers.size();
    auto* const next = is_last ? search.best : search.workers[search.searched].get();
    if (next == nullptr) return refuse(std::move(search));
    if (next == this) return make_room(std::move(search));
    next->find_room(std::move(search));
}

void Worker::make_room(RoomSearch search) {
    // It may have received a request meanwhile.
    auto* const longest_idle = find_longest_idle(search);
    if (longest_idle == nullptr || state_.draining) return refuse(std::move(search));
    auto const leaving = longest_idle->client().counted_as;
    longest_idle->give_way(serve::WaitsFor::request);
    if (shared_.limits.replace(leaving, search.incoming.counted_as) != Admission::admitted)
        return refuse(std::move(search));
    state_.open_connections.fetch_add(1, std::memory_order_relaxed);
    take(std::move(search.incoming));
}

void Worker::refuse(RoomSearch search) {
    shared_.limits.count_refused();
    serve::log_refused_connection(state_, search.incoming.peer, Reason::too_many_connections);
    reset(std::move(search.incoming.descriptor));
}

void Worker::connection_ended(std::string const& counted_as) noexcept {
    shared_.limits.release(counted_as);
    one_fewer();
}

void Worker::one_fewer() noexcept {
    auto const open = state_.open_connections.fetch_sub(1, std::memory_order_relaxed);
    most_connections_ = std::max(most_connections_, open);
    if (!memory_.is_armed()) memory_.arm_after(memory_time);
    end_if_drained();
}

// Frees the memory of a burst once it is over: blocks not needed since the last call, and what the
// allocator keeps of closed connections.
void Worker::give_memory_back() {
    auto& buffers = state_.loop.buffers();
    auto const freed = buffers.trim() + state_.exchanges.trim();
    // Since memory was freed, not since the last call: a burst may end slowly.
    bool const is_over = most_connections_ >= 64 && open_connections() <= most_connections_ / 4;
    if (is_over || most_connections_ < 64) most_connections_ = open_connections();
    if (freed >= 256UL * 1024 || is_over) ::malloc_trim(0);
    // Memory that is kept now may be unused the next time.
    if (buffers.cached_bytes() > 0 || !state_.exchanges.is_empty()) memory_.arm_after(memory_time);
}

void Worker::end_if_drained() {
    if (state_.draining && open_connections() == 0) state_.loop.stop();
}

void Worker::adopt(std::shared_ptr<lifecycle::Snapshot const> snapshot) {
    net::asio::post(state_.loop.executor(), [this, snapshot = std::move(snapshot)]() mutable {
        take_into_use(std::move(snapshot));
    });
}

void Worker::deny(std::shared_ptr<pipeline::DeniedSecrets const> secrets) {
    net::asio::post(state_.loop.executor(), [this, secrets = std::move(secrets)]() mutable {
        state_.services.denied_secrets = std::move(secrets);
        // Fields that were verified before are verified again.
        state_.services.known_callers.forget();
        state_.services.known_tokens.reset();
        state_.tunnels.judge_again();
    });
}

void Worker::take_into_use(std::shared_ptr<lifecycle::Snapshot const> snapshot) {
    auto const depth = state_.current->snapshot->config.limits.json_depth;
    if (snapshot->config.limits.json_depth != depth) {
        state_.services.validator = contract::Validator{validator_limits(*snapshot)};
    }
    state_.current = wrap(std::move(snapshot), state_, shared_);
    for (auto* connection = state_.connections; connection != nullptr;
         connection = connection->next()) {
        auto const* const listener =
            find_listener(*state_.current->snapshot, connection->client().listener);
        if (listener == nullptr) {
            connection->leave(state_.current->snapshot->config.drain);
        } else {
            set_rules(connection->client(), *listener);
        }
    }
    state_.tunnels.judge_again();
}

void Worker::judge_tunnels() {
    net::asio::post(state_.loop.executor(), [this] { state_.tunnels.judge_again(); });
}

void Worker::drain() {
    net::asio::post(state_.loop.executor(), [this] {
        state_.draining = true;
        for (auto* connection = state_.connections; connection != nullptr;
             connection = connection->next()) {
            connection->stop_after_exchange();
        }
        state_.tunnels.drain();
        end_if_drained();
    });
}

void Worker::post(std::function<void()> task) {
    net::asio::post(state_.loop.executor(), std::move(task));
}

bool Worker::is_alive() {
    if (asked_.exchange(true)) return false;
    net::asio::post(state_.loop.executor(), [this] { asked_.store(false); });
    return true;
}

void Worker::stop() {
    net::asio::post(state_.loop.executor(), [this] { state_.loop.stop(); });
}

void Worker::join() {
    if (thread_.joinable()) thread_.join();
}

} // namespace sallyport::accept
