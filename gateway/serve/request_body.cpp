// Reads a request body whole, within its limit and the budget that all workers share.
#include "gateway/serve/request_body.h"

#include "gateway/http/content_coding.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sallyport::serve {

namespace {

using pipeline::Denial;
using pipeline::Exchange;
using pipeline::Reason;

std::unique_ptr<Denial> refuse(http::Refusal const& refusal) {
    return std::make_unique<Denial>(pipeline::denial_of(refusal));
}

/// There is nobody to tell.
std::unique_ptr<Denial> client_is_gone() {
    return std::make_unique<Denial>(Denial{Reason::client_closed, {}, {}, {}, {}});
}

std::unique_ptr<Denial> over_budget() {
    return std::make_unique<Denial>(Denial{
        Reason::overloaded, {}, {}, {{"Retry-After", "1"}}, "limits.buffered_bodies is used up"});
}

std::unique_ptr<Denial> too_large(Exchange const& exchange) {
    return std::make_unique<Denial>(Denial{Reason::body_too_large,
                                           "The request body may have at most "
                                               + std::to_string(exchange.body_limit) + " bytes",
                                           {},
                                           {},
                                           {}});
}

/// A body that grows in memory of the worker, every byte of which was granted before it was taken.
class Storage {
public:
    explicit Storage(Exchange& exchange) : exchange_{exchange} {
        exchange_.body_reservation = net::Reservation{exchange.services.buffered_bodies};
    }

    net::Granted make_room(std::size_t at_least) {
        auto& buffer = exchange_.body_storage;
        if (buffer && buffer.capacity() - size_ >= at_least) return net::Granted::yes;
        // Doubling: a client that declares much and sends little holds little.
        auto const wanted =
            net::Buffers::rounded(std::max(size_ + at_least, buffer.capacity() * 2));
        if (exchange_.body_reservation.grow_to(wanted) == net::Granted::no) return net::Granted::no;
        if (buffer) {
            buffer.grow(wanted, size_);
        } else {
            buffer = exchange_.services.loop.buffers().take(wanted);
        }
        return net::Granted::yes;
    }

    std::span<char> room() { return exchange_.body_storage.span().subspan(size_); }
    void add(std::size_t bytes) { size_ += bytes; }
    std::size_t size() const { return size_; }
    std::string_view view() const { return exchange_.body_storage.view(size_); }

private:
    Exchange& exchange_;
    std::size_t size_ = 0;
};

std::unique_ptr<Denial> append(Storage& storage, std::string_view bytes) {
    if (bytes.empty()) return nullptr;
    if (storage.make_room(bytes.size()) == net::Granted::no) return over_budget();
    std::memcpy(storage.room().data(), bytes.data(), bytes.size());
    storage.add(bytes.size());
    return nullptr;
}

std::unique_ptr<Denial> decode(http::ContentDecoder& decoder, std::string_view bytes,
                               Storage& storage) {
    constexpr std::size_t least_room = 4 * 1024;
    for (bool filled = false; !bytes.empty() || filled;) {
        if (storage.make_room(least_room) == net::Granted::no) return over_budget();
        auto const room = storage.room();
        auto const step = decoder.step(bytes, room);
        if (step.refused != nullptr) {
            return refuse(*step.refused);
        }
        storage.add(step.produced);
        bytes.remove_prefix(step.consumed);
        filled = step.produced == room.size();
    }
    return nullptr;
}

/// Null: told. Otherwise the connection broke, and there is nobody to tell.
std::unique_ptr<Denial> failed(http::BodyPart const& part, Exchange const& exchange) {
    if (part.refused != nullptr && part.refused->kind == http::RefusalKind::body_too_large) {
        // Where the operation takes none, the first byte is one too many.
        if (exchange.body_limit == 0) {
            return std::make_unique<Denial>(
                Denial{Reason::malformed_body, "This operation takes no request body", {}, {}, {}});
        }
        return too_large(exchange);
    }
    if (auto denial = pipeline::denial_of(part)) return denial;
    return client_is_gone();
}

using Read = net::Task<std::unique_ptr<Denial>>;

/// The usual case: it stands behind the head, and nothing is copied.
std::unique_ptr<Denial> take_whole(Exchange& exchange, std::string_view bytes) {
    exchange.body_reservation = net::Reservation{exchange.services.buffered_bodies};
    if (exchange.body_reservation.grow_to(bytes.size()) == net::Granted::no) return over_budget();
    exchange.body = bytes;
    return nullptr;
}

Read read_parts(Exchange& exchange, net::Task<http::BodyPart> first) {
    auto& transport = exchange.transport;
    auto part = co_await std::move(first);
    if (part.complete) co_return take_whole(exchange, part.bytes);
    Storage storage{exchange};
    for (;;) {
        if (part.refused != nullptr || part.error) co_return failed(part, exchange);
        if (auto denial = append(storage, part.bytes)) co_return denial;
        if (part.complete) break;
        part = co_await transport.read_body(exchange.body_limit, http::Gather::parts);
    }
    exchange.body = storage.view();
    co_return nullptr;
}

Read read_plain(Exchange& exchange) {
    using Reading = net::Task<http::BodyPart>;
    auto reading =
        exchange.transport.read_body(exchange.body_limit, http::Gather::whole_if_it_fits);
    if (!reading.has_ended()) return read_parts(exchange, std::move(reading));
    auto part = std::move(reading).take();
    if (part.complete) return Read::ended(take_whole(exchange, part.bytes));
    return read_parts(exchange, Reading::ended(std::move(part)));
}

Read read_coded(Exchange& exchange) {
    http::ContentDecoder decoder{exchange.coding, {.size = exchange.body_limit}};
    Storage storage{exchange};
    for (bool complete = false; !complete;) {
        auto const part =
            co_await exchange.transport.read_body(exchange.body_limit, http::Gather::parts);
        if (part.refused != nullptr || part.error) co_return failed(part, exchange);
        if (auto denial = decode(decoder, part.bytes, storage)) co_return denial;
        complete = part.complete;
    }
    if (auto const* const refused = decoder.finish()) {
        co_return refuse(*refused);
    }
    if (storage.size() != 0) exchange.body = storage.view();
    exchange.coding_removed = true;
    co_return nullptr;
}

Read read_asked_for(Exchange& exchange) {
    return exchange.coding == http::ContentCoding::identity ? read_plain(exchange)
                                                            : read_coded(exchange);
}

Read read_when_asked(Exchange& exchange, net::Task<net::Error> asking) {
    auto const error = co_await std::move(asking);
    if (error) co_return client_is_gone();
    co_return co_await read_asked_for(exchange);
}

} // namespace

net::Task<std::unique_ptr<Denial>> read_request_body(Exchange& exchange) {
    auto asking = exchange.transport.send_continue();
    if (!asking.has_ended()) return read_when_asked(exchange, std::move(asking));
    if (std::move(asking).take()) return Read::ended(client_is_gone());
    return read_asked_for(exchange);
}

} // namespace sallyport::serve
