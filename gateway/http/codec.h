// One connection of a client, whatever the version of HTTP: what its worker, a reload and a drain
// see of it.
#pragma once

#include "gateway/http/head.h"
#include "gateway/http/transport.h"
#include "gateway/net/executor.h"
#include "gateway/net/loop.h"
#include "gateway/net/stream.h"

#include <chrono>
#include <cstdint>
#include <memory>

namespace sallyport::http {

struct ConnectionLimits {
    HeadLimits head;
    std::chrono::milliseconds head_time{10'000}; // absolute: bytes that trickle do not move it
    std::chrono::milliseconds idle{75'000};      // between requests
    // Between two reads of a body, and for each part of a response.
    std::chrono::milliseconds body_idle{30'000};
    std::uint64_t minimum_rate = 500; // bytes/s of a request body, beyond body_idle
    // By which a body that came faster than that may fall back behind it later.
    std::chrono::milliseconds most_credit{60'000};
};

/// Owned by its connection, used by the coroutine that serves it.
class Codec {
public:
    virtual ~Codec() = default;

    /// From the next wait or head on; `limits` stay as long as the exchange does.
    virtual void use(ConnectionLimits const& limits) noexcept = 0;

    /// Returns when bytes of the next request are there; an error where the client closed, or was
    /// idle too long (since `now`): nothing to respond to or log. While nothing comes no buffer is
    /// held, and no frame but the socket's.
    virtual net::Wait wait_for_request(net::Clock::time_point now) = 0;

    /// What carries the request that has begun.
    virtual Transport& transport() noexcept = 0;

    /// Makes the running exchange the last, or the next one where none runs: its response says so.
    /// While nothing comes the connection stays for a short time only. For draining.
    virtual void stop_after_exchange() noexcept = 0;

    /// The orderly end of the connection, its last response read by the client.
    virtual net::Task<> close(net::LingerLimits limits = {}) = 0;
};

/// By what the handshake of `stream` agreed on (ALPN, RFC 7301); HTTP/1.1 where it agreed on
/// nothing, or there was none. All three outlive the codec.
std::unique_ptr<Codec> make_codec(net::Stream& stream, net::Loop& loop,
                                  ConnectionLimits const& limits);

} // namespace sallyport::http
