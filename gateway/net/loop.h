// The event loop of one thread with everything in net/ that belongs to a thread: poller, deadlines,
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

/// Owned by the thread that runs it (another thread may construct it before). Nothing in it is
/// shared; other threads use asio::post(loop.executor(), ...). On destruction every waiting
/// coroutine is destroyed without being resumed.
class Loop {
public:
    Loop()
        : context_{std::in_place, 1}, waiters_{*context_}, poller_{*context_},
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

    /// Runs until no work is left or stop() is called. Exceptions of handlers propagate.
    void run() { context_->run(); }
    /// Makes run() return; from a handler, or through asio::post from another thread.
    void stop() { context_->stop(); }

    /// Destroys every waiting coroutine while the objects that it uses still exist. Call it after
    /// run() has returned; nothing runs on this loop afterwards.
    void end() noexcept;

private:
    // The context is destroyed first, together with the handlers in its queues, which still use the
    // other members.
    Buffers buffers_;
    TlsBufferKeepers tls_buffer_keepers_;
    std::optional<asio::io_context> context_;
    Waiters waiters_;
    Poller poller_;
    Deadlines deadlines_;
};

} // namespace sallyport::net
