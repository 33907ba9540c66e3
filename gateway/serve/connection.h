// A client's connection while it is served: owned by the coroutine of serve_connection().
#pragma once

#include "gateway/http/codec.h"
#include "gateway/net/stream.h"
#include "gateway/pipeline/client.h"
#include "gateway/serve/waiting_connections.h"
#include "gateway/serve/worker_state.h"

#include <memory>

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
    http::SerialCodec& codec() { return *codec_; }
    pipeline::ClientConnection& client() { return client_; }
    WaitingConnections::Place& place() { return place_; }
    /// When the handshake or the last exchange ended.
    [[nodiscard]] net::Clock::time_point idle_since() const { return idle_since_; }
    void idle_since(net::Clock::time_point moment) { idle_since_ = moment; }

    /// Accepts no more requests after the current one, or the one in flight.
    void stop_after_exchange();

    /// Ends a waiting connection at once in favour of another: in order if it is idle, else with a
    /// reset. Its coroutine ends at the loop's next turn.
    void give_way(WaitsFor what);
    /// Whether it did so while it was idle: its place is already counted for the other connection.
    [[nodiscard]] bool gave_place() const { return gave_place_; }

    [[nodiscard]] Connection* next() const { return next_; }

private:
    WorkerState& worker_;
    std::unique_ptr<net::Stream> stream_;
    pipeline::ClientConnection client_;
    std::unique_ptr<http::SerialCodec> codec_; // null until the handshake is complete
    WaitingConnections::Place place_;
    net::Clock::time_point idle_since_ = net::Clock::now();
    bool gave_place_ = false;
    Connection* previous_ = nullptr;
    Connection* next_ = nullptr;
};

} // namespace sallyport::serve
