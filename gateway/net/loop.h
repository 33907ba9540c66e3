// One thread's event loop, with everything of net that belongs to a thread: poller, deadlines,
// buffers.
#pragma once

#include "gateway/net/buffers.h"
#include "gateway/net/deadlines.h"
#include "gateway/net/event.h"
#include "gateway/net/executor.h"
#include "gateway/net/poller.h"
#include "gateway/net/tls_buffer_keepers.h"

#include <optional>

namespace sallyport::net {

/// Owned by the thread that runs it (it may be made by another, before). Nothing of it is shared;
/// other threads talk to it with asio::post(loop.executor(), ...). On destruction every coroutine
/// that still waits is destroyed without being resumed.
class Loop {
public:
    Loop()
        : context_(std::in_place, 1), waiters_(*context_), poller_(*context_),
          deadlines_(*context_) {}
    ~Loop();
    Loop(Loop const&) = delete;
    Loop& operator=(Loop const&) = delete;

    asio::io_context& context() noexcept { return *context_; }
    Executor executor() noexcept { return context_->get_executor(); }
    Waiters& waiters() noexcept { return waiters_; }
    Poller& poller() noexcept { return poller_; }
    Deadlines& deadlines() noexcept { return deadlines_; }
    Buffers& buffers() noexcept { return buffers_; }
    TlsBufferKeepers& tls_buffer_keepers() noexcept { return tls_buffer_keepers_; }

    /// Until nothing is left to do or stop() is called. Exceptions of handlers pass through.
    void run() { context_->run(); }
    void stop() { context_->stop(); }

    /// Destroys every coroutine that waits, while whatever it uses is still there. After run() has
    /// returned; nothing runs on this loop from then on.
    void end() noexcept;

private:
    // The context goes first, and with it what waits in its queues; that still finds the others.
    Buffers buffers_;
    TlsBufferKeepers tls_buffer_keepers_;
    std::optional<asio::io_context> context_;
    Waiters waiters_;
    Poller poller_;
    Deadlines deadlines_;
};

} // namespace sallyport::net
