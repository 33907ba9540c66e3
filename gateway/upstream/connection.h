// A connection to an endpoint, as used by its pool and its lease.
#pragma once

#include "gateway/http/client_exchange.h"
#include "gateway/net/holders.h"
#include "gateway/net/stream.h"
#include "gateway/observe/metrics.h"

#include <cstddef>
#include <memory>
#include <string_view>

namespace sallyport::upstream {

class ConnectionPool;

/// Owned by the pool while it is idle, by a lease while it is used. While it is idle the pool is
/// notified of its end.
struct Connection final : net::PeerWatcher {
    /// `metrics` outlives it.
    explicit Connection(observe::EndpointMetrics& its_metrics) noexcept : metrics{its_metrics} {
        metrics.connections.add();
    }
    ~Connection() { metrics.connections.subtract(); }
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;

    void peer_gone() override;

    observe::EndpointMetrics& metrics; // of its endpoint
    std::unique_ptr<net::Stream> stream;
    std::unique_ptr<http::ClientExchange> exchange; // on the stream, one after another
    std::string_view endpoint; // as configured
    std::string_view host;     // for the Host field
    bool is_reused = false;
    ConnectionPool* pool = nullptr; // null: it is not kept
    net::Holder* holder = nullptr; // its user; null while it is idle
    std::size_t endpoint_index = 0;
    net::Clock::time_point idle_since{};
};

} // namespace sallyport::upstream
