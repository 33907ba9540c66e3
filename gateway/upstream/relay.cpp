// The part of an exchange from the head of its response on.
#include "gateway/http/date.h"
#include "gateway/http/forward_fields.h"
#include "gateway/pipeline/stream.h"
#include "gateway/upstream/forwarding.h"
#include "gateway/upstream/tunnel.h"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace sallyport::upstream {

void Forwarding::client_failed(Error error) {
    exchange_.transport.abort();
    result_.reason = error == net::asio::error::timed_out ? Reason::response_too_slow
                     // HTTP/2: no memory for a part that waits for its window.
                     : error == net::asio::error::no_buffer_space ? Reason::overloaded
                                                                  : Reason::client_closed;
}

net::Task<net::Error> Forwarding::send_response_head(std::string_view first, Ends ends) {
    http::LineRuns kept;
    http::fields_to_return(response_, kept);
    result_.status = has_switched() ? websocket_->prepare_for_client(kept) : response_.status;
    std::string changes; // read until the head is sent
    if (auto const* const edge = exchange_.decision.api->edge.get(); edge != nullptr) [[unlikely]]
        pipeline::change_response(*edge, exchange_, kept, changes);
    std::string announced; // likewise
    if (returns_trailers()) [[unlikely]] {
        announced = "Trailer: " + trailers_->response.text() + "\r\n";
        kept.add(announced);
    }
    std::array<http::AddedField, 2> added{{{"X-Request-Id", exchange_.request.id.text()}, {}}};
    std::size_t count = 1;
    // RFC 9110, 6.6.1: a response without a date gets the time of its arrival.
    std::optional<http::Date> date;
    if (!response_.fields.has(http::FieldId::date))
        added[count++] = {"Date", date.emplace(std::chrono::system_clock::now())};
    http::OutgoingHead const outgoing{.status = response_.status,
                                      .reason = response_.reason,
                                      .kept = {kept.begin(), kept.size()},
                                      .added = {added.data(), count},
                                      .length = response_.framing.declared_length,
                                      .has_body = response_.framing.body.kind
                                                  != http::BodyFraming::Kind::none,
                                      .lasts = is_stream_};
    return exchange_.transport.send_head(outgoing, first, ends);
}

net::Task<> Forwarding::relay() {
    bool const leaves_body = exchange_.decision.body.handling == pipeline::BodyHandling::streamed
                             && upload_ && !upload_->is_done();
    // A client that wanted a WebSocket may have sent frames already, which are no request.
    if (leaves_body || websocket_) exchange_.transport.close_after_response();

    if (route_.tap != nullptr) route_.tap->see(first_part_.bytes);
    auto const ends = ends_with(first_part_);
    is_stream_ = ends == Ends::no && pipeline::is_stream(exchange_);
    auto sending = send_response_head(first_part_.bytes, ends);
    if (!sending.has_ended() || ends == Ends::no) return finish_relay(std::move(sending));
    auto const error = std::move(sending).take();
    if (error) {
        client_failed(error);
    } else {
        end_relay();
    }
    return net::Task<>::ended();
}

// From its 101 on. The connection is never used again.
net::Task<> Forwarding::relay_websocket() {
    exchange_.transport.unwatch_client();
    if (client_gone_) {
        end(Reason::client_closed, {});
        co_return;
    }
    auto sending = send_response_head({}, Ends::no);
    if (auto const error = co_await std::move(sending)) co_return client_failed(error);
    exchange_.response = nullptr; // its memory is freed
    TunnelLimits const limits{.reserved = websocket_->reserved_bits(),
                              .idle = exchange_.decision.time_of(&contract::Timeouts::idle)
                                          .value_or(exchange_.decision.api->websocket_idle()),
                              .expires = exchange_.decision.caller == nullptr
                                             ? std::chrono::system_clock::time_point::max()
                                             : exchange_.decision.caller->expires,
                              .known_until =
                                  pipeline::known_until(exchange_.request, exchange_.decision)};
    Tunnel tunnel{exchange_, lease_.exchange(), route_.tunnels, limits};
    auto running = tunnel.run();
    auto const ended = co_await std::move(running);
    result_.reason = ended.reason;
    result_.note = ended.note;
    result_.error = ended.error;
    if (ended.reason == Reason::client_closed) co_return;
    auto ending = exchange_.transport.send_body({}, Ends::yes);
    co_await std::move(ending);
}

net::Task<> Forwarding::finish_relay(net::Task<Error> sending) {
    if (auto const error = co_await std::move(sending)) {
        client_failed(error);
        co_return;
    }
    if (!first_part_.complete) co_await relay_body();
    if (returns_trailers() && result_.reason == Reason::none) [[unlikely]]
        co_await end_with_trailers();
    end_relay();
}

net::Task<> Forwarding::end_with_trailers() {
    auto const lines = trailers_->response.select(lease_.exchange().trailers());
    auto sending = exchange_.transport.send_trailers(lines);
    if (auto const error = co_await std::move(sending)) client_failed(error);
}

// The connection is given back only if nothing of this exchange is left on it.
void Forwarding::end_relay() {
    deadline_.disarm();
    now_ = Clock::now();
    exchange_.outcome.timings.upstream_total = pipeline::microseconds_between(started_, now_);
    if (result_.reason == Reason::none && lease_.exchange().is_reusable()) lease_.give_back(now_);
}

// Until the body is complete or has failed: result_ has the reason.
net::Task<> Forwarding::relay_body() {
    auto& exchange = lease_.exchange();
    auto const idle = is_stream_ ? begin_stream() : idle_time();
    for (bool complete = false; !complete;) {
        http::BodyPart part;
        if (!exchange.take_part(part)) {
            now_ = Clock::now();
            arm(idle);
            auto reading = exchange.read_more(exchange_.transport.part_size());
            auto const error = co_await std::move(reading);
            if (error) co_return break_off(error);
            deadline_.disarm(); // the transport limits slow clients
            continue;
        }
        if (part.refused != nullptr) {
            exchange_.transport.abort();
            result_.reason = Reason::upstream_incomplete;
            result_.note = part.refused->rule;
            co_return;
        }
        complete = part.complete;
        if (route_.tap != nullptr) route_.tap->see(part.bytes);
        if (auto const error = co_await exchange_.transport.send_body(part.bytes, ends_with(part)))
            co_return client_failed(error);
    }
}

// The times of the upstream are for responses that it makes at once. Those of the operation are
// meant for its streams. Returns the longest silence.
std::chrono::milliseconds Forwarding::begin_stream() {
    auto const& decision = exchange_.decision;
    if (!decision.time_of(&contract::Timeouts::total)) total_end_ = Clock::time_point::max();
    return decision.time_of(&contract::Timeouts::idle).value_or(contract::stream_idle);
}

// The rest of the body will not arrive.
void Forwarding::break_off(Error error) {
    exchange_.transport.abort();
    result_.reason = client_gone_ ? Reason::client_closed : Reason::upstream_incomplete;
    result_.note = client_gone_ ? "the client closed the connection during the response"
                   : late_      ? "the upstream was too slow"
                                : "the upstream broke off";
    // If we ended it the error is only that of the interruption.
    if (!late_ && !client_gone_) result_.error = error;
}

} // namespace sallyport::upstream
