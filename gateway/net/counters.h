// How many system calls this thread has made: what the gates on system calls per request count.
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

/// The counters of the calling thread; whoever reads them from elsewhere must have this thread copy
/// them.
[[nodiscard]] SystemCalls& system_calls() noexcept;

} // namespace sallyport::net
