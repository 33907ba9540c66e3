// A client's connection while it is served: owned by the coroutines that serve it.
#pragma once

#include "gateway/http/codec.h"
#include "gateway/http2/http2.h"
#include "gateway/net/deadlines.h"
#include "gateway/net/stream.h"
#include "gateway/pipeline/client.h"
#include "gateway/serve/exchange_places.h"
#include "gateway/serve/waiting_connections.h"
#include "gateway/serve/worker_state.h"

#include <chrono>
#include <memory>
#include <optional>

namespace sallyport::serve {

/// In the list of its worker, which stops it when the gateway drains.
class Connection {
public:
    Connection(WorkerState& worker, std::unique_ptr<net::Stream> stream,
               pipeline::ClientConnection client);
    ~Connection();
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;

    WorkerState& worker() { return worker_; }
    net::Stream& stream() { return *stream_; }
    /// Called when the handshake has selected the protocol.
    void make_codec();
    /// Null: it speaks HTTP/1.
    http2::Http2* http2() { return http2_ ? &http2_->codec : nullptr; }
    http::SerialCodec& http1() { return *http1_; }
    /// What has cost its client patience since the last call goes into the metrics (HTTP/2).
    void count_points();
    pipeline::ClientConnection& client() { return client_; }
    WaitingConnections::Place& place() { return place_; }
    /// When the handshake or the last exchange ended.
    [[nodiscard]] net::Clock::time_point idle_since() const { return idle_since_; }
    void idle_since(net::Clock::time_point moment) { idle_since_ = moment; }

    /// Accepts no more requests after the current one, or the one in flight.
    void stop_after_exchange();
    /// The same where its listener was removed; what is not complete after `time` is cut off.
    void leave(std::chrono::milliseconds time);

    /// Ends a waiting connection at once in favour of another: in order if it is idle, else with a
    /// reset. Its coroutine ends at the loop's next turn.
    void give_way(WaitsFor what);
    /// Whether it did so while it was idle: its place is already counted for the other connection.
    [[nodiscard]] bool gave_place() const { return gave_place_; }

    [[nodiscard]] Connection* next() const { return next_; }

private:
    void cut_off();

    WorkerState& worker_;
    std::unique_ptr<net::Stream> stream_;
    pipeline::ClientConnection client_;
    struct OfHttp2 {
        OfHttp2(Connection& connection, WorkerState& worker);
        ExchangePlaces places;
        http2::Http2 codec;
        http2::Patience counted; // what is in the metrics
    };
    // Both are null until the handshake is complete, one of them later.
    std::unique_ptr<http::SerialCodec> http1_;
    std::unique_ptr<OfHttp2> http2_;
    WaitingConnections::Place place_;
    std::unique_ptr<net::Deadline> leaves_; // not null: after leave()
    net::Clock::time_point idle_since_ = net::Clock::now();
    bool gave_place_ = false;
    Connection* previous_ = nullptr;
    Connection* next_ = nullptr;
};

} // namespace sallyport::serve
