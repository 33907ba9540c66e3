// A client's connection while it is served: owned by the coroutine of serve_connection().
#include "gateway/serve/connection.h"

#include <utility>

namespace sallyport::serve {

Connection::Connection(WorkerState& worker, std::unique_ptr<net::Stream> stream,
                       pipeline::ClientConnection client)
    : worker_{worker}, stream_{std::move(stream)}, client_{std::move(client)},
      place_{worker.waiting, client_.address, *this}, next_{worker.connections} {
    if (next_ != nullptr) next_->previous_ = this;
    worker.connections = this;
    worker.metrics.connections_accepted.add();
}

Connection::~Connection() {
    if (next_ != nullptr) next_->previous_ = previous_;
    (previous_ != nullptr ? previous_->next_ : worker_.connections) = next_;
}

void Connection::make_codec() {
    codec_ = http::make_codec(*stream_, worker_.loop, worker_.current->snapshot->connections);
    // It was handed over, or completed its handshake, when the gateway had begun to drain.
    if (worker_.draining) codec_->stop_after_exchange();
}

void Connection::stop_after_exchange() {
    if (codec_) codec_->stop_after_exchange();
}

void Connection::give_way(WaitsFor what) {
    place_.end();
    if (what == WaitsFor::request) {
        gave_place_ = true;
        worker_.metrics.idle_gave_way.add();
        stream_->close();
    } else {
        worker_.metrics.handshakes_gave_way.add();
        stream_->abort();
    }
}

} // namespace sallyport::serve
