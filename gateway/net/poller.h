// Notifies sockets of readiness: an edge-triggered epoll inside the loop's
// io_context.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace sallyport::net {

/// One per loop. A socket is registered once, for all events, edge-triggered: afterwards neither
/// waiting nor a change of the awaited events costs a system call, and the end of the peer's side
/// (EPOLLRDHUP) is reported even while bytes are unread. Asio's own reactor calls epoll_ctl for
/// each wait.
class Poller {
public:
    class Source {
    public:
        /// Stores the new EPOLL* bits and must call nothing else: all sources of a batch store
        /// theirs before any of them acts.
        virtual void note(std::uint32_t events) noexcept = 0;
        /// Acts on the stored events. Called at the bottom of the call stack; may destroy any
        /// source, itself included.
        virtual void on_ready(std::uint32_t events) = 0;

    protected:
        ~Source() = default;
    };

    explicit Poller(asio::io_context& context);
    ~Poller();
    Poller(Poller const&) = delete;
    Poller& operator=(Poller const&) = delete;

    /// Registers a descriptor for all events; `source` must be removed before it is destroyed.
    /// Fails if epoll does not accept the descriptor.
    [[nodiscard]] Error add(int descriptor, Source& source);
    /// Call before the descriptor is closed; `source` is not called afterwards.
    void remove(int descriptor, Source& source) noexcept;

    /// Releases the io_context before that is destroyed; afterwards add() fails and remove() still
    /// works.
    void stop() noexcept;

private:
    struct OnReady;
    struct Rearm;

    void listen();
    void on_ready();
    void look() noexcept;
    void dispatch();

    static constexpr int batch = 128;
    // After this time the rest of a batch is left to the loop's next turn.
    static constexpr std::chrono::milliseconds longest_turn{2};
    using Descriptor = asio::posix::basic_stream_descriptor<Executor>;

    int epoll_;
    std::optional<Descriptor> descriptor_; // owns epoll_
    std::array<epoll_event, batch> events_{};
    int next_ = 0;
    int ready_ = 0;
    std::size_t sources_ = 0;
    // on_ready() is scheduled or running. It must not be scheduled twice: each extra call would
    // schedule itself again at every turn, forever.
    bool listening_ = false;
};

} // namespace sallyport::net
