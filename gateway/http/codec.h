// One connection of a client in any version of HTTP, as its worker, a reload and a drain use
// it.
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
    std::chrono::milliseconds head_time{10'000}; // absolute: slowly arriving bytes do not extend it
    std::chrono::milliseconds idle{75'000};      // between requests
    /// Between two reads of a body, and for each part of a response.
    std::chrono::milliseconds body_idle{30'000};
    std::uint64_t minimum_rate = 500; // bytes/s of a request body, beyond body_idle
    /// How much time a body gains by arriving faster than that.
    std::chrono::milliseconds most_credit{60'000};
};

/// Owned by its connection, used by the coroutine that serves it.
class Codec {
public:
    virtual ~Codec() = default;

    /// Takes effect with the next wait or head; `limits` must stay valid as long as the exchange.
    virtual void use(ConnectionLimits const& limits) noexcept = 0;

    /// Makes the current exchange the last one, or the next one if none is active, and its response
    /// announces that. An idle connection is closed after a short time. For draining.
    virtual void stop_after_exchange() noexcept = 0;

    /// Ends what is under way now: its client is lost (ClientLoss::Kind::cut_off).
    virtual void cut_off() noexcept = 0;

    /// Closes the connection in order, so that the client can read its last response. With several
    /// exchanges at once: after the last of them.
    virtual net::Task<> close(net::LingerLimits limits = {}) = 0;
};

/// A version of HTTP with one exchange at a time.
class SerialCodec : public Codec {
public:
    /// Returns when bytes of the next request have arrived, or an error if the client closed or was
    /// idle too long (since `now`): then there is nothing to respond to or log. Holds no buffer
    /// meanwhile, and no frame but the socket's.
    virtual net::Wait wait_for_request(net::Clock::time_point now) = 0;

    /// After that wait ended with an error: whether bytes of a request have arrived all the same,
    /// because the client sent it at the moment in which the time was over.
    [[nodiscard]] virtual bool has_request() = 0;

    /// The transport of the request that has begun.
    virtual Transport& transport() noexcept = 0;
};

/// HTTP/1.1. The arguments outlive the codec.
std::unique_ptr<SerialCodec> make_codec(net::Stream& stream, net::Loop& loop,
                                        ConnectionLimits const& limits);

} // namespace sallyport::http
