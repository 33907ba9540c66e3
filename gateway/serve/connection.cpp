// A client's connection while it is served: owned by the coroutines that serve it.
#include "gateway/serve/connection.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sallyport::serve {

namespace {

// As ALPN writes it (RFC 9113, 3.1).
constexpr std::string_view alpn_of_http2 = "h2";

http2::Http2Limits limits_of(config::Limits const& all) {
    auto const& from = all.http2;
    http2::Http2Limits limits;
    // SETTINGS announce `limits.head`, and a client may keep to it: uncompressed it is larger than
    // its block, since each field counts 32 bytes more (RFC 9113, 6.5.2).
    auto const head = static_cast<std::size_t>(all.head.bytes);
    auto const frames = head / http2::most_frame_payload;
    limits.frames.head_block = std::max(limits.frames.head_block, head);
    limits.frames.continuations *= static_cast<unsigned>(std::max<std::size_t>(frames, 1));
    limits.streams = from.streams;
    limits.most_window = static_cast<std::uint32_t>(from.window.bytes);
    limits.patience.points = from.patience;
    limits.patience.per_second = from.patience_per_second;
    return limits;
}

// A trusted proxy has the requests of all its clients.
std::optional<pipeline::CallerKey> address_of(pipeline::ClientConnection const& client) {
    if (client.counted_as.empty()) return std::nullopt;
    return client.caller;
}

} // namespace

Connection::OfHttp2::OfHttp2(Connection& connection, WorkerState& worker)
    : places{worker.exchange_limits, address_of(connection.client_), worker.metrics.http2_refused},
      codec{*connection.stream_,
            worker.loop,
            worker.current->snapshot->connections,
            limits_of(worker.current->snapshot->config.limits),
            worker.services.buffered_bodies,
            connection.client_.caller,
            &places},
      counted{codec.patience()} {}

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
    auto const* const tls = stream_->tls();
    if (tls != nullptr && tls->protocol == alpn_of_http2) {
        http2_ = std::make_unique<OfHttp2>(*this, worker_);
        worker_.metrics.http2_connections.add();
    } else {
        http1_ = http::make_codec(*stream_, worker_.loop, worker_.current->snapshot->connections);
    }
    // It was handed over, or completed its handshake, when the gateway had begun to drain, or its
    // listener was removed.
    if (worker_.draining || leaves_) stop_after_exchange();
}

void Connection::count_points() {
    auto const& now = http2_->codec.patience();
    auto& before = http2_->counted;
    if (now.all_spent() == before.all_spent()) return;
    for (std::size_t i = 0; i < http2::annoyances; ++i) {
        auto const kind = static_cast<http2::Annoyance>(i);
        auto const points = now.spent(kind) - before.spent(kind);
        if (points != 0) worker_.metrics.http2_points.add(http2::name_of(kind), points);
    }
    before = now;
}

void Connection::stop_after_exchange() {
    if (http1_) http1_->stop_after_exchange();
    if (http2_) http2_->codec.stop_after_exchange();
}

void Connection::leave(std::chrono::milliseconds time) {
    stop_after_exchange();
    if (leaves_) return; // since an earlier reload
    leaves_.reset(new net::Deadline{
        net::Deadline::calling<&Connection::cut_off>(worker_.loop.deadlines(), *this)});
    leaves_->arm_after(time);
}

void Connection::cut_off() {
    if (http1_) {
        http1_->cut_off();
    } else if (http2_) {
        http2_->codec.cut_off();
    } else {
        stream().abort(); // within its handshake
    }
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
