// The limits of a connection of HTTP/2, besides those that it shares with HTTP/1.
#pragma once

#include "gateway/http2/frame_reader.h"
#include "gateway/http2/patience.h"
#include "gateway/http2/window.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace sallyport::http2 {

struct Http2Limits {
    FrameLimits frames;
    PatienceLimits patience;
    /// Streams whose coroutine has not ended, which is later than their frames say: neither a
    /// client's reset nor ours frees a place before the upstream was let go of.
    std::uint32_t streams = 100;
    /// Bytes that a stream may send, and all streams together, until a body is read.
    std::uint32_t window = initial_window;
    /// The largest window of a stream, which it gets only if the budget of bodies grants it.
    std::uint32_t most_window = std::uint32_t{1} << 20;
    /// Bytes of frames that wait to be written, beyond which no more bodies are added.
    std::size_t unsent = std::size_t{64} * 1024;
    /// The same of replies to the client's own frames, beyond which nothing is read.
    std::size_t control_unsent = std::size_t{16} * 1024;
    /// Streams that begin in one turn of the loop.
    std::size_t begun_per_turn = 32;
    /// By when our SETTINGS must be acknowledged.
    std::chrono::milliseconds settings_ack{10'000};
    /// How long the rest of a body is awaited behind an early refusal.
    std::chrono::milliseconds refused_rest{1'000};
    /// How long a drain waits at most for the streams that the client has begun meanwhile.
    std::chrono::milliseconds going_away{1'000};
};

} // namespace sallyport::http2
