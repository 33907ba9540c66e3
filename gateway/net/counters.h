// How many system calls this thread has made, for the tests that limit system calls per request.
#pragma once

#include <cstdint>

namespace sallyport::net {

struct SystemCalls {
    std::uint64_t receives = 0;
    std::uint64_t sends = 0;
    std::uint64_t polls = 0;    // turns of the nested epoll
    std::uint64_t controls = 0; // epoll_ctl, shutdown, socket options, close

    [[nodiscard]] std::uint64_t total() const { return receives + sends + polls + controls; }
};

/// The counters of the calling thread. Another thread must let this thread copy them for
/// it.
[[nodiscard]] SystemCalls& system_calls() noexcept;

} // namespace sallyport::net
