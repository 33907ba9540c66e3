// Reads a request body, or its beginning, within its limit and the budget that all workers share.
#include "gateway/serve/request_body.h"

#include "gateway/http/content_coding.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/serve/body_buffer.h"
#include "gateway/serve/body_items.h"

#include <utility>

namespace sallyport::serve {

namespace {

using pipeline::Denial;
using pipeline::Exchange;
using pipeline::Reason;

std::unique_ptr<Denial> refuse(http::Refusal const& refusal) {
    return std::make_unique<Denial>(pipeline::denial_of(refusal));
}

// The client has disconnected: no response.
std::unique_ptr<Denial> client_is_gone() {
    return std::make_unique<Denial>(Denial{Reason::client_closed, {}, {}, {}, {}});
}

// Claims the whole budget: a request waits for it.
BodyBuffer make_buffer(Exchange& exchange) {
    return {exchange.services.loop.buffers(), exchange.services.buffered_bodies, exchange.caller()};
}

std::unique_ptr<Denial> decode(http::ContentDecoder& decoder, std::string_view bytes,
                               BodyBuffer& buffer) {
    auto const decoded = buffer.decode(decoder, bytes);
    if (decoded.granted == net::Granted::no) return over_budget(buffer);
    return decoded.refused == nullptr ? nullptr : refuse(*decoded.refused);
}

void keep(Exchange& exchange, BodyBuffer& buffer) {
    if (buffer.size() != 0) exchange.request.body = buffer.view();
    buffer.move_to(exchange.received.storage, exchange.received.reservation);
}

// The denial for a failed part; if the client has disconnected, one that is not sent.
std::unique_ptr<Denial> failed(http::BodyPart const& part, Exchange const& exchange) {
    if (part.refused != nullptr && part.refused->kind == http::RefusalKind::body_too_large) {
        return std::make_unique<Denial>(pipeline::excess_of(exchange.decision));
    }
    if (auto denial = pipeline::denial_of(part)) return denial;
    return client_is_gone();
}

using Read = net::Task<std::unique_ptr<Denial>>;

// The usual case: it is behind the head, and nothing is copied.
std::unique_ptr<Denial> take_whole(Exchange& exchange, std::string_view bytes) {
    auto& reservation = exchange.received.reservation;
    reservation = net::Reservation{exchange.services.buffered_bodies, exchange.caller()};
    if (reservation.grow_to(bytes.size()) == net::Granted::no) return over_budget(reservation);
    exchange.request.body = bytes;
    return nullptr;
}

Read read_parts(Exchange& exchange, net::Task<http::BodyPart> first) {
    auto& transport = exchange.transport;
    auto part = co_await std::move(first);
    if (part.complete) co_return take_whole(exchange, part.bytes);
    auto buffer = make_buffer(exchange);
    for (;;) {
        if (part.refused != nullptr || part.error) co_return failed(part, exchange);
        if (buffer.append(part.bytes) == net::Granted::no) co_return over_budget(buffer);
        if (part.complete) break;
        part = co_await transport.read_body(exchange.decision.body.limit, http::Gather::parts);
    }
    keep(exchange, buffer);
    co_return nullptr;
}

Read read_plain(Exchange& exchange) {
    using Reading = net::Task<http::BodyPart>;
    auto reading =
        exchange.transport.read_body(exchange.decision.body.limit, http::Gather::whole_if_it_fits);
    if (!reading.has_ended()) return read_parts(exchange, std::move(reading));
    auto part = std::move(reading).take();
    if (part.complete) return Read::ended(take_whole(exchange, part.bytes));
    return read_parts(exchange, Reading::ended(std::move(part)));
}

Read read_coded(Exchange& exchange) {
    http::ContentDecoder decoder{exchange.decision.body.coding,
                                 {.size = exchange.decision.body.limit}};
    auto buffer = make_buffer(exchange);
    for (bool complete = false, is_first = true; !complete; is_first = false) {
        auto const part = co_await exchange.transport.read_body(exchange.decision.body.limit,
                                                                http::Gather::parts);
        if (part.refused != nullptr || part.error) co_return failed(part, exchange);
        // An empty body counts as none, in any framing and coding.
        if (is_first && part.complete && part.bytes.empty()) co_return nullptr;
        if (auto denial = decode(decoder, part.bytes, buffer)) co_return denial;
        complete = part.complete;
    }
    if (auto const* const refused = decoder.finish()) {
        co_return refuse(*refused);
    }
    keep(exchange, buffer);
    exchange.received.coding_removed = true;
    co_return nullptr;
}

std::unique_ptr<Denial> keep_beginning(Exchange& exchange, http::BodyPart const& part) {
    if (part.refused != nullptr || part.error) return failed(part, exchange);
    // An empty body counts as none, in any framing.
    bool const is_missing = part.complete && part.bytes.empty();
    if (is_missing && exchange.decision.body.needs_beginning) {
        if (auto denial = pipeline::missing_body(exchange.decision)) return denial;
    }
    exchange.received.beginning = part;
    return nullptr;
}

Read wait_for_beginning(Exchange& exchange, net::Task<http::BodyPart> reading) {
    auto const part = co_await std::move(reading);
    co_return keep_beginning(exchange, part);
}

Read read_beginning(Exchange& exchange) {
    auto reading =
        exchange.transport.read_body(exchange.decision.body.limit, http::Gather::whole_if_small);
    if (!reading.has_ended()) return wait_for_beginning(exchange, std::move(reading));
    return Read::ended(keep_beginning(exchange, std::move(reading).take()));
}

// Until the first items are valid, so that a body that begins wrong reaches no upstream.
Read read_first_items(Exchange& exchange) {
    exchange.received.filter = std::make_unique<BodyItems>(exchange);
    for (;;) {
        auto part = co_await exchange.transport.read_body(exchange.decision.body.limit,
                                                          http::Gather::parts);
        if (part.refused == nullptr && !part.error) {
            auto passed = exchange.received.filter->take(part);
            if (passed.denial) co_return std::move(passed.denial);
            part.bytes = passed.bytes;
            if (part.bytes.empty() && !part.complete) continue;
        }
        co_return keep_beginning(exchange, part);
    }
}

Read read_as_planned(Exchange& exchange) {
    if (exchange.decision.body.handling == pipeline::BodyHandling::streamed)
        return exchange.decision.body.type == nullptr ? read_beginning(exchange)
                                                      : read_first_items(exchange);
    return exchange.decision.body.coding == http::ContentCoding::identity ? read_plain(exchange)
                                                                          : read_coded(exchange);
}

Read read_after_continue(Exchange& exchange, net::Task<net::Error> sending) {
    auto const error = co_await std::move(sending);
    if (error) co_return client_is_gone();
    co_return co_await read_as_planned(exchange);
}

} // namespace

net::Task<std::unique_ptr<Denial>> read_request_body(Exchange& exchange) {
    auto sending = exchange.transport.send_continue();
    if (!sending.has_ended()) return read_after_continue(exchange, std::move(sending));
    if (std::move(sending).take()) return Read::ended(client_is_gone());
    return read_as_planned(exchange);
}

} // namespace sallyport::serve
