// The path of a request, top to bottom, one line a step.
#include "gateway/serve/serve.h"

#include "gateway/http/first_bytes.h"
#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "gateway/serve/certificate.h"
#include "gateway/serve/log_exchange.h"
#include "gateway/serve/options_response.h"
#include "gateway/serve/preflight.h"
#include "gateway/serve/redirect.h"
#include "gateway/serve/refuse.h"
#include "gateway/serve/request_body.h"
#include "gateway/serve/response_watch.h"
#include "gateway/upstream/forward.h"

#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace sallyport::serve {

namespace {

using http::HeadRead;
using http::KeepAlive;
using pipeline::Denial;
using pipeline::Exchange;
using pipeline::Reason;
using pipeline::Until;

// The status that was sent before the exchange broke off within its response.
void write_status_sent(Exchange& exchange) {
    if (exchange.outcome.status == 0 && exchange.transport.head_sent())
        exchange.outcome.status = exchange.outcome.upstream.status;
}

// Everything that an exchange needs: made when its request begins, so that it keeps the snapshot
// of that moment.
class Served {
public:
    explicit Served(Connection& its_connection)
        : connection{its_connection}, transport{connection.codec().transport()},
          view{connection.worker().current}, exchange{connection.worker().exchanges.make(
                                                 connection.client(), transport,
                                                 connection.worker().services)} {
        exchange->outcome.timings.started = pipeline::Clock::now();
        exchange->request.id = exchange->services.request_ids.next();
        exchange->outcome.generation = view->snapshot->generation;
    }
    ~Served() {
        if (!is_finished) {
            // The loop ended during the exchange: a partial response must not look complete.
            exchange->outcome.reason = Reason::draining;
            write_status_sent(*exchange);
            transport.abort();
        }
        auto const ended = pipeline::Clock::now();
        log_exchange(connection.worker(), *view, *exchange, ended, place_in_log);
        connection.idle_since(ended);
    }
    Served(Served const&) = delete;
    Served& operator=(Served const&) = delete;

    pipeline::Pipeline& pipeline() { return *view->pipelines[exchange->decision.api->index]; }
    // The exchange is complete: the destructor does not cut anything off.
    KeepAlive finish(KeepAlive keep_alive) {
        is_finished = true;
        return keep_alive;
    }

    Connection& connection;
    http::Transport& transport;
    std::shared_ptr<WorkerSnapshot const> view;
    ExchangePool::Handle exchange;
    bool is_finished = false;
    PlaceInLog place_in_log = PlaceInLog::any;
};

// Why a head is not complete. A denial without a reason: no response is possible.
std::unique_ptr<Denial> judge_head(HeadRead read, http::Transport const& transport) {
    switch (read) {
    case HeadRead::refused:
        return std::make_unique<Denial>(pipeline::denial_of(*transport.refused()));
    case HeadRead::timeout:
        return std::make_unique<Denial>(
            Denial{Reason::timeout, {}, {}, {}, "the head was too slow"});
    case HeadRead::not_tls:
        return std::make_unique<Denial>(
            Denial{Reason::tls_failed, {}, {}, {}, "behind the handshake"});
    case HeadRead::complete:
    case HeadRead::closed:
    case HeadRead::broken: break;
    }
    return std::make_unique<Denial>(Denial{Reason::client_closed, {}, {}, {}, {}});
}

std::unique_ptr<Denial> address_denied() {
    return std::make_unique<Denial>(Denial{Reason::address_denied, {}, {}, {}, {}});
}

// Whose request it is that came from a trusted proxy.
std::unique_ptr<Denial> find_client(Exchange& exchange) {
    auto& request = exchange.request;
    auto const& from = *request.client.proxied;
    http::ForwardedClient forwarded;
    auto const refused =
        http::read_forwarded(request.head.fields, from.proxies, request.client.address, forwarded);
    if (refused != nullptr) return std::make_unique<Denial>(pipeline::denial_of(*refused));
    bool const is_https = forwarded.is_https.value_or(request.client.is_tls);
    auto const caller = pipeline::caller_of_address(forwarded.address);
    bool const may_come = from.addresses.admit(forwarded.address);
    request.proxied = std::make_unique<pipeline::ProxiedClient const>(
        pipeline::ProxiedClient{std::move(forwarded.address), caller, is_https, forwarded.host});
    return may_come ? nullptr : address_denied();
}

// Unauthenticated clients learn only which API owns a path, if any.
std::unique_ptr<Denial> find_api(Exchange& exchange, lifecycle::Snapshot const& snapshot) {
    exchange.request.host =
        http::normalized_host(exchange.request.authority(), exchange.request.host_storage);
    exchange.decision.api =
        snapshot.apis.find(exchange.request.host, exchange.request.head.target.path);
    if (exchange.decision.api == nullptr)
        return std::make_unique<Denial>(
            Denial{Reason::unknown_operation, "No API here has this path", {}, {}, {}});
    auto const* const addresses = exchange.decision.api->addresses.get();
    if (addresses == nullptr || addresses->admit(exchange.request.address())) return nullptr;
    return address_denied();
}

// For operators that must log every request: space for its line is reserved before anything else.
std::unique_ptr<Denial> keep_place_in_log(Served& served) {
    auto const& log = served.view->snapshot->config.access_log;
    if (log.when_full != config::WhenLogIsFull::refuse) return nullptr;
    if (served.connection.worker().ring.reserve()) {
        served.place_in_log = PlaceInLog::reserved;
        return nullptr;
    }
    return std::make_unique<Denial>(
        Denial{Reason::overloaded, {}, {}, {{"Retry-After", "1"}}, "access_log.buffer is used up"});
}

// For checks that wait for a fact; usually there is none.
net::Task<pipeline::Admission> fetch_missing(Served& served, pipeline::Admission admission,
                                             Until until) {
    while (admission.is_missing()) {
        admission = co_await served.pipeline().learn(*served.exchange, std::move(admission), until);
    }
    co_return admission;
}

// A body whose check takes longer than a turn of the loop should, in bytes.
constexpr std::size_t large_body = std::size_t{64} * 1024;

// Many large bodies may end at once; other connections are served between them.
net::Task<> yield_to_others(net::Loop& loop) {
    net::Event turn{loop.waiters()};
    co_await turn.last_turn();
}

upstream::Route route_of(Served& served, std::optional<ResponseWatch>& watch) {
    auto const upstream = served.exchange->decision.upstream();
    return {*served.view->pools[upstream], served.view->snapshot->upstreams[upstream].settings,
            watch ? &*watch : nullptr};
}

void write_outcome(pipeline::Outcome& outcome, upstream::Forwarded const& forwarded) {
    outcome.status = forwarded.status;
    outcome.reason = forwarded.reason;
    outcome.note = forwarded.note;
    outcome.error = forwarded.error;
}

net::Task<KeepAlive> refuse(Served& served, std::unique_ptr<Denial> denial) {
    return send_refusal(*served.exchange, std::move(denial));
}

// A bug, or no memory: the request fails and its connection ends, without effect on others.
void report_exception(Served const& served, std::exception const& exception) {
    served.connection.worker().control_log.write(
        observe::Severity::error, "internal_error",
        {{"request_id", served.exchange->request.id.text()}, {"what", exception.what()}});
}

net::Task<KeepAlive> respond_to_exception(Served& served) {
    served.is_finished = true;
    if (!served.transport.head_sent()) return refuse(served, std::make_unique<Denial>());
    write_status_sent(*served.exchange);
    served.exchange->outcome.reason = Reason::internal_error;
    served.transport.abort();
    return net::Task<KeepAlive>::ended(KeepAlive::no);
}

// One coroutine: another one for what may throw would cost every request its frame.
net::Task<KeepAlive> serve_request(Connection& connection) {
    Served served{connection};
    auto const& snapshot = *served.view->snapshot;
    auto& exchange = *served.exchange;
    connection.codec().use(snapshot.connections);
    auto const read = co_await served.transport.read_head(exchange.request.head);
    if (read == HeadRead::closed) {
        exchange.outcome.is_silent = true;
        co_return served.finish(KeepAlive::no);
    }
    try {
        std::unique_ptr<Denial> denial;
        if (read != HeadRead::complete) [[unlikely]]
            denial = judge_head(read, served.transport);
        if (!denial) denial = keep_place_in_log(served);
        if (connection.client().proxied && !denial) [[unlikely]]
            denial = find_client(exchange);
        if (auto const port = connection.client().redirect; port && !denial) {
            // What has come to a proxy as https is where it should be.
            if (!exchange.request.is_https())
                co_return served.finish(co_await redirect(exchange, *port));
        }
        if (!denial) denial = find_api(exchange, snapshot);
        if (connection.client().certificate && !denial) [[unlikely]]
            denial = check_certificate(connection, exchange);
        if (denial) co_return served.finish(co_await refuse(served, std::move(denial)));
        if (is_preflight(exchange))
            co_return served.finish(co_await respond_to_preflight(exchange));
        // Authenticate, find operation, authorize, limit.
        auto admission = served.pipeline().admit(exchange, Until::body);
        if (admission.is_missing())
            admission = co_await fetch_missing(served, std::move(admission), Until::body);
        if (admission.needs_body()) {
            denial = co_await read_request_body(exchange);
            if (denial) co_return served.finish(co_await refuse(served, std::move(denial)));
            if (exchange.request.body.size() > large_body)
                co_await yield_to_others(connection.worker().loop);
            admission = served.pipeline().admit(exchange, Until::end); // validate, transform
            if (admission.is_missing())
                admission = co_await fetch_missing(served, std::move(admission), Until::end);
        }
        if (!admission.permit()) {
            denial = std::move(admission).take_denial();
            co_return served.finish(co_await refuse(served, std::move(denial)));
        }
        if (ends_here(exchange)) co_return served.finish(co_await options_response(exchange));
        std::optional<ResponseWatch> watch;
        auto const interest = interest_in_response(exchange, snapshot);
        if (interest.is_any()) watch.emplace(exchange, snapshot, interest);
        auto const route = route_of(served, watch);
        auto forwarded = co_await upstream::forward(std::move(*admission.permit()), route);
        write_outcome(exchange.outcome, forwarded);
        if (watch) watch->finish();
        if (forwarded.denial)
            co_return served.finish(co_await refuse(served, std::move(forwarded.denial)));
        co_return served.finish(co_await served.transport.finish_exchange());
    } catch (std::exception const& exception) {
        report_exception(served, exception);
    }
    co_return co_await respond_to_exception(served);
}

// An idle connection has no exchange, and no frame of one.
net::Wait wait_for_request(Connection& connection) {
    connection.place().begin(WaitsFor::request, connection.idle_since());
    connection.codec().use(connection.worker().current->snapshot->connections);
    // The wait begins when the last exchange ended, which is known without another look at a clock.
    return connection.codec().wait_for_request(connection.idle_since());
}

// A busy worker may learn of a request only after the time of its idle connection is over. The
// limits of the wait may be gone: a reload replaces them.
bool has_late_request(Connection& connection) {
    connection.codec().use(connection.worker().current->snapshot->connections);
    return connection.codec().has_request();
}

// Null: another handshake is allowed.
Connection* handshake_to_end(Connection& connection) {
    auto& waiting = connection.worker().waiting;
    auto const& limits = connection.worker().current->snapshot->config.limits;
    auto const& place = connection.place();
    // A trusted proxy has those of all its clients.
    bool const has_limit = connection.client().proxied == nullptr;
    if (has_limit && place.count_of_address(WaitsFor::handshake) >= limits.handshakes_per_address)
        return place.longest_of_address(WaitsFor::handshake);
    if (waiting.count(WaitsFor::handshake) < limits.handshakes) return nullptr;
    return waiting.longest(WaitsFor::handshake);
}

// Beyond the limit the oldest handshake that waits for its client is closed. If all of them wait
// for this worker the limit is exceeded for a while, and several are closed later.
void bound_handshakes(Connection& connection) {
    constexpr int most_at_once = 16;
    for (int i = 0; i < most_at_once; ++i) {
        auto* const leaving = handshake_to_end(connection);
        if (leaving == nullptr) return;
        leaving->give_way(WaitsFor::handshake);
    }
}

constexpr std::string_view https_only =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 60\r\n"
    "Connection: close\r\n\r\n"
    "This port speaks HTTPS: repeat the request with https://...\n";
static_assert(https_only.substr(https_only.find("\r\n\r\n") + 4).size() == 60);

// Plain HTTP on a TLS port, probably from a person: a readable response. Other bytes get
// none.
net::Task<> respond_to_plain_http(Connection& connection, net::TlsStream& tls) {
    net::PlainStream plain{tls.release_socket(), {}};
    auto& worker = connection.worker();
    auto deadline = net::Deadline::calling<&net::Stream::abort>(worker.loop.deadlines(),
                                                                static_cast<net::Stream&>(plain));
    deadline.arm_after(worker.current->snapshot->config.limits.handshake);
    std::array<char, 32> bytes{};
    std::size_t size = 0;
    auto first = http::FirstBytes::unfinished;
    while (first == http::FirstBytes::unfinished) {
        auto const read = co_await plain.read_some({bytes.data() + size, bytes.size() - size});
        if (!read) co_return;
        size += *read;
        first = http::judge_first_bytes({bytes.data(), size});
    }
    if (first != http::FirstBytes::request) co_return plain.close();
    note_failed_handshake(worker, connection.client(), "plain HTTP came to a port of HTTPS");
    auto const error = co_await plain.write(https_only);
    if (!error) co_await plain.shutdown();
}

// RFC 8446: peers without TLS, or without a supported version, are not served.
net::Task<bool> perform_handshake(Connection& connection) {
    auto* const tls = dynamic_cast<net::TlsStream*>(&connection.stream());
    if (tls == nullptr) co_return true;
    auto& worker = connection.worker();
    auto deadline = net::Deadline::calling<&net::Stream::abort>(worker.loop.deadlines(),
                                                                static_cast<net::Stream&>(*tls));
    deadline.arm_after(worker.current->snapshot->config.limits.handshake);
    bound_handshakes(connection);
    connection.place().begin(WaitsFor::handshake, connection.idle_since());
    auto const error = co_await tls->handshake();
    connection.place().end();
    deadline.disarm();
    if (error) {
        worker.metrics.handshakes_failed.add();
        log_failed_handshake(worker, connection.client(), error);
        if (error == net::StreamError::not_tls) co_await respond_to_plain_http(connection, *tls);
        co_return false;
    }
    auto& client = connection.client();
    auto const& info = *tls->tls();
    client.tls_version = info.version;
    client.tls_cipher = info.cipher;
    client.tls_resumed = info.resumed == net::Resumed::yes;
    if (client.certificate) keep_certificate(*client.certificate, *tls);
    worker.metrics.handshakes_completed.add();
    if (client.tls_resumed) worker.metrics.handshakes_resumed.add();
    connection.idle_since(net::Clock::now());
    co_return true;
}

} // namespace

net::Task<> serve_connection(Connection& connection) {
    try {
        if (!co_await perform_handshake(connection)) co_return;
        connection.make_codec();
        for (;;) {
            auto const closed = co_await wait_for_request(connection);
            connection.place().end();
            if (closed && !has_late_request(connection)) break;
            auto const keep_alive = co_await serve_request(connection);
            if (keep_alive == KeepAlive::no) break;
        }
        LingeringConnections::One const lingering{connection.worker().lingering,
                                                  connection.client().caller};
        co_await connection.codec().close(lingering.limits());
    } catch (std::exception const& exception) {
        connection.worker().control_log.write(observe::Severity::error, "connection_failed",
                                              {{"what", exception.what()}});
    }
}

} // namespace sallyport::serve
