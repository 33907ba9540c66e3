// A client's connection while it is served: owned by the coroutine of serve_connection().
#pragma once

#include "gateway/http/http1.h"
#include "gateway/net/stream.h"
#include "gateway/pipeline/client.h"
#include "gateway/serve/waiting_connections.h"
#include "gateway/serve/worker_state.h"

#include <memory>

namespace sallyport::serve {

/// Known to its worker, which tells it when the gateway drains.
class Connection {
public:
    Connection(WorkerState& worker, std::unique_ptr<net::Stream> stream,
               pipeline::ClientConnection client, http::Http1Limits const& limits);
    ~Connection();
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;

    WorkerState& worker() { return worker_; }
    net::Stream& stream() { return *stream_; }
    http::Http1& http() { return http_; }
    pipeline::ClientConnection& client() { return client_; }
    WaitingConnections::Place& place() { return place_; }
    /// When the handshake or the last exchange ended.
    net::Clock::time_point idle_since() const { return idle_since_; }
    void idle_since(net::Clock::time_point moment) { idle_since_ = moment; }

    /// Ends one that waits at once, for another: in order where it is idle, else with a reset. Its
    /// coroutine notices at the loop's next turn.
    void give_way(WaitsFor what);
    /// Whether it did so while it was idle: its place among the connections is another's.
    bool gave_place() const { return gave_place_; }

    Connection* next() const { return next_; }

private:
    WorkerState& worker_;
    std::unique_ptr<net::Stream> stream_;
    pipeline::ClientConnection client_;
    http::Http1 http_;
    WaitingConnections::Place place_;
    net::Clock::time_point idle_since_ = net::Clock::now();
    bool gave_place_ = false;
    Connection* previous_ = nullptr;
    Connection* next_ = nullptr;
};

} // namespace sallyport::serve
