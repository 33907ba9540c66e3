// The path of a request, top to bottom, one line a step.
#include "gateway/serve/serve.h"

#include "gateway/serve/certificate.h"
#include "gateway/serve/find_api.h"
#include "gateway/serve/handshake.h"
#include "gateway/serve/log_exchange.h"
#include "gateway/serve/options_response.h"
#include "gateway/serve/own_response.h"
#include "gateway/serve/preflight.h"
#include "gateway/serve/redirect.h"
#include "gateway/serve/refuse.h"
#include "gateway/serve/request_body.h"
#include "gateway/serve/response_watch.h"
#include "gateway/upstream/forward.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <span>
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

Reason reason_of(http::ClientLoss::Kind kind) {
    using Kind = http::ClientLoss::Kind;
    switch (kind) {
    case Kind::closed: break;
    case Kind::too_slow: return Reason::timeout;
    case Kind::flooded: return Reason::flooded;
    case Kind::protocol_failed: return Reason::protocol_failed;
    case Kind::gateway_failed: return Reason::internal_error;
    case Kind::cut_off: return Reason::draining;
    }
    return Reason::client_closed;
}

// A step knows that its client is gone, and the transport whose fault that is.
void name_fault(pipeline::Exchange const& exchange, pipeline::Outcome& outcome) {
    if (outcome.reason != Reason::client_closed) return;
    auto const loss = exchange.transport.client_loss();
    if (loss.kind == http::ClientLoss::Kind::closed) return;
    outcome.reason = reason_of(loss.kind);
    outcome.note = loss.note;
    outcome.error = {};
}

// Everything that an exchange needs: made when its request begins, so that it keeps the snapshot
// of that moment.
class Served {
public:
    Served(Connection& its_connection, http::Transport& its_transport)
        : connection{its_connection}, transport{its_transport}, view{connection.worker().current},
          exchange{connection.worker().exchanges.make(connection.client(), transport,
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
        name_fault(*exchange, exchange->outcome);
        auto const now = pipeline::Clock::now();
        auto const responded = exchange->outcome.timings.responded;
        // A client that keeps the rest of its request back must not look like a slow gateway.
        auto const ended = responded == pipeline::Clock::time_point{} ? now : responded;
        log_exchange(connection.worker(), *view, *exchange, ended, place_in_log);
        connection.idle_since(now);
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

// Whose request it is that came from a trusted proxy.
std::unique_ptr<Denial> find_client(Exchange& exchange) {
    auto& request = exchange.request;
    auto const& from = *request.client.proxied;
    http::ForwardedClient forwarded{request.client.address, {}, {}};
    // A proxy that passes on connections does not change the fields in them: they are a stranger's.
    if (!request.client.is_proxys_own) {
        auto const refused = http::read_forwarded(request.head.fields, from.proxies,
                                                  request.client.address, forwarded);
        if (refused != nullptr) return std::make_unique<Denial>(pipeline::denial_of(*refused));
    }
    bool const is_https = forwarded.is_https.value_or(request.client.is_tls);
    auto const caller = pipeline::caller_of_address(forwarded.address);
    bool const may_come = from.addresses.admit(forwarded.address);
    request.proxied = std::make_unique<pipeline::ProxiedClient const>(
        pipeline::ProxiedClient{std::move(forwarded.address), caller, is_https, forwarded.host});
    return may_come ? nullptr : address_denied();
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

// For so long a connection may have the worker, whatever its requests cost; then others go first.
constexpr std::chrono::milliseconds longest_turn{2};

// All that is ready on other connections is served before the caller goes on, and one such caller
// at a time: of many large bodies that end at once, or of clients that send without a pause.
net::Task<> yield_to_others(net::Loop& loop) {
    net::Event turn{loop.waiters()};
    co_await turn.last_turn();
}

upstream::Route route_of(Served& served, std::optional<ResponseWatch>& watch) {
    auto const upstream = served.exchange->decision.upstream();
    return {*served.view->pools[upstream], served.view->snapshot->upstreams[upstream].settings,
            served.connection.worker().tunnels, watch ? &*watch : nullptr};
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
net::Task<KeepAlive> serve_request(Connection& connection, http::Transport& transport) {
    Served served{connection, transport};
    auto const& snapshot = *served.view->snapshot;
    auto& exchange = *served.exchange;
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
        if (!denial) denial = find_api(exchange, snapshot.apis);
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
        co_return served.finish(co_await finish_exchange(exchange));
    } catch (std::exception const& exception) {
        report_exception(served, exception);
    }
    co_return co_await respond_to_exception(served);
}

// The limits of the current snapshot: those of an earlier one are gone.
http::ConnectionLimits const& limits_of(Connection& connection) {
    return connection.worker().current->snapshot->connections;
}

void report_failed_connection(Connection& connection, std::exception const& exception) {
    connection.worker().control_log.write(observe::Severity::error, "connection_failed",
                                          {{"what", exception.what()}});
}

net::Task<> close_in_order(Connection& connection, http::Codec& codec) {
    LingeringConnections::One const lingering{connection.worker().lingering,
                                              connection.client().caller};
    co_await codec.close(lingering.limits());
}

// --- HTTP/1: one request after another

// An idle connection has no exchange, and no frame of one.
net::Wait wait_for_request(Connection& connection) {
    connection.place().begin(WaitsFor::request, connection.idle_since());
    connection.http1().use(limits_of(connection));
    // The wait begins when the last exchange ended, which is known without another look at a clock.
    return connection.http1().wait_for_request(connection.idle_since());
}

// A busy worker may learn of a request only after the time of its idle connection is over.
bool has_late_request(Connection& connection) {
    connection.http1().use(limits_of(connection));
    return connection.http1().has_request();
}

// Requests that are there already make one turn, which begins when the first of them has ended: so
// no request needs a look at a clock for it.
net::Task<> serve_http1(Connection& connection) {
    auto& http1 = connection.http1();
    auto turn_began = net::Clock::time_point::max();
    for (;;) {
        auto waiting = wait_for_request(connection);
        if (!waiting.await_ready()) turn_began = net::Clock::time_point::max();
        auto const closed = co_await waiting;
        connection.place().end();
        if (closed && !has_late_request(connection)) break;
        if (connection.idle_since() - longest_turn >= turn_began) [[unlikely]] {
            co_await yield_to_others(connection.worker().loop);
            turn_began = net::Clock::time_point::max();
        }
        http1.use(limits_of(connection));
        auto const keep_alive = co_await serve_request(connection, http1.transport());
        if (keep_alive == KeepAlive::no) break;
        turn_began = std::min(turn_began, connection.idle_since());
    }
    co_await close_in_order(connection, http1);
}

// --- HTTP/2: many requests at once

using SharedConnection = std::shared_ptr<Connection>;

// A connection is idle while it has no stream.
void wait_if_idle(Connection& connection) {
    auto const& http2 = *connection.http2();
    if (http2.streams() != 0 || http2.end().kind != http2::ConnectionEnd::Kind::none) return;
    connection.place().begin(WaitsFor::request, connection.idle_since());
}

void end_stream(Connection& connection, http2::Http2Stream& stream) noexcept {
    connection.worker().metrics.http2_streams.subtract();
    connection.http2()->release(stream);
}

net::Task<> serve_stream(SharedConnection connection, http2::Http2Stream* stream) {
    try {
        co_await serve_request(*connection, *stream);
    } catch (std::exception const& exception) {
        report_failed_connection(*connection, exception);
    }
    end_stream(*connection, *stream);
    wait_if_idle(*connection);
}

void begin_stream(SharedConnection const& connection, http2::Http2Stream& stream) {
    auto& worker = connection->worker();
    worker.metrics.http2_streams.add();
    try {
        net::start(worker.loop.context(), serve_stream(connection, &stream));
    } catch (std::exception const& exception) {
        report_failed_connection(*connection, exception);
        end_stream(*connection, stream);
    }
}

net::Task<> write_frames(SharedConnection connection) {
    co_await http2::Http2::write_turns(connection->http2());
}

// The streams that begin with them, each of which must be begun; an error: the connection is over.
net::Result<std::span<http2::Http2Stream* const>> take_frames(Connection& connection) {
    auto& http2 = *connection.http2();
    http2.use(limits_of(connection));
    auto turn = http2.take_turn();
    connection.count_points();
    if (turn && !turn->empty()) connection.place().end();
    return turn;
}

net::Task<> serve_http2(SharedConnection const& connection) {
    auto& http2 = *connection->http2();
    auto& loop = connection->worker().loop;
    net::Event turn{loop.waiters()};
    try {
        net::start(loop.context(), write_frames(connection));
        wait_if_idle(*connection);
        for (;;) {
            co_await http2.wait_for_frames();
            auto const streams = take_frames(*connection);
            if (!streams) break;
            auto began = streams->size() > 1 ? net::Clock::now() : net::Clock::time_point{};
            for (auto* const stream : *streams) {
                // To begin one is to check its credentials, whatever that costs.
                if (stream != streams->front() && net::Clock::now() - began >= longest_turn) {
                    co_await turn.last_turn();
                    began = net::Clock::now();
                }
                begin_stream(connection, *stream);
            }
        }
    } catch (std::exception const& exception) {
        report_failed_connection(*connection, exception);
        http2.fail();
    }
    connection->place().end();
    log_end_of_http2(connection->worker(), connection->client(), http2.end());
    co_await close_in_order(*connection, http2);
}

} // namespace

net::Task<> serve_connection(std::shared_ptr<Connection> const& connection) {
    try {
        if (!co_await perform_handshake(*connection)) co_return;
        connection->make_codec();
        if (connection->http2() != nullptr) {
            co_await serve_http2(connection);
        } else {
            co_await serve_http1(*connection);
        }
    } catch (std::exception const& exception) {
        report_failed_connection(*connection, exception);
    }
}

} // namespace sallyport::serve
