// Sends a request body to the upstream while the response may already arrive.
#include "gateway/upstream/upload.h"

#include <exception>
#include <utility>

namespace sallyport::upstream {

using pipeline::Denial;
using pipeline::Reason;

Upload::Upload(pipeline::Exchange& exchange, http::ClientExchange& upstream,
               UploadObserver& observer)
    : exchange_{exchange}, upstream_{upstream}, observer_{observer},
      finished_{exchange.services.loop.waiters()} {}

void Upload::start(net::Task<net::Error> beginning) {
    net::start(exchange_.services.loop.context(), pump(this, std::move(beginning)));
}

net::Task<> Upload::pump(Upload* upload, net::Task<net::Error> beginning) {
    try {
        auto sending = upload->send(std::move(beginning));
        co_await std::move(sending);
    } catch (std::exception const&) {
        // Out of memory, or a bug: the upstream must not take a partial request for complete.
        upload->denial_ = std::make_unique<Denial>(Denial{
            Reason::internal_error, "The gateway failed", {}, {}, "an exception in an upload"});
        upload->observer_.upload_failed();
    }
    upload->done_ = true;
    upload->finished_.notify();
}

net::Task<> Upload::send(net::Task<net::Error> beginning) {
    // A failed write ends the upload, not the exchange: a response may have arrived before it.
    auto first = finish(std::move(beginning));
    auto error = co_await std::move(first);
    for (bool complete = !is_streamed(); !complete && !error;) {
        auto const part = co_await next_part();
        if (stopping_) co_return;
        if (denial_ || part.refused != nullptr || part.error) {
            if (!denial_) refuse(part);
            observer_.upload_failed();
            co_return;
        }
        complete = part.complete;
        if (part.bytes.empty() && !complete) continue;
        auto const ends = complete && trailers_ == nullptr ? http::Ends::yes : http::Ends::no;
        auto writing = finish(upstream_.send_body(part.bytes, ends));
        error = co_await std::move(writing);
    }
    if (trailers_ != nullptr && !error) {
        auto writing = finish(send_end());
        error = co_await std::move(writing);
    }
    observer_.upload_ended();
}

net::Task<http::BodyPart> Upload::next_part() {
    if (!exchange_.received.beginning) {
        auto reading =
            exchange_.transport.read_body(exchange_.decision.body.limit, http::Gather::parts);
        return exchange_.received.filter ? filter(std::move(reading)) : std::move(reading);
    }
    auto const part = *exchange_.received.beginning;
    exchange_.received.beginning.reset();
    return net::Task<http::BodyPart>::ended(part);
}

// What passes of it; perhaps nothing yet.
net::Task<http::BodyPart> Upload::filter(net::Task<http::BodyPart> reading) {
    auto part = co_await std::move(reading);
    if (stopping_ || part.refused != nullptr || part.error) co_return part;
    auto passed = exchange_.received.filter->take(part);
    denial_ = std::move(passed.denial);
    part.bytes = passed.bytes;
    co_return part;
}

net::Task<net::Error> Upload::send_end() {
    auto writing = upstream_.send_body(body_, http::Ends::no);
    if (auto const error = co_await std::move(writing)) co_return error;
    auto const lines = trailers_->select(exchange_.transport.trailers());
    auto ending = upstream_.send_trailers(lines);
    co_return co_await std::move(ending);
}

net::Task<net::Error> Upload::finish(net::Task<net::Error> writing) {
    if (!writing.has_ended()) observer_.upload_waits();
    auto const error = co_await std::move(writing);
    observer_.upload_goes_on();
    co_return error;
}

void Upload::refuse(http::BodyPart const& part) {
    if (auto denial = pipeline::denial_of(part)) {
        denial_ = std::move(denial);
    } else {
        client_failed_ = true;
    }
}

net::Task<> Upload::stop() {
    stopping_ = true;
    if (is_streamed()) exchange_.transport.stop_reading_body();
    while (!done_)
        co_await finished_.wait();
}

} // namespace sallyport::upstream
