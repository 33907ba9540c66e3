// Tells sockets when they can be read or written: an edge-triggered epoll inside the loop's
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

/// One per loop. A socket is registered once, for everything, edge-triggered: after that neither
/// waiting nor a change of what is waited for costs a system call, and the end of the peer's side
/// (EPOLLRDHUP) is told even where bytes are still unread in front of it. Asio's own reactor asks
/// epoll_ctl for each wait.
class Poller {
public:
    class Source {
    public:
        /// What is new, as EPOLL* bits: to be remembered, and nobody to be called. All sources of a
        /// batch are told before any of them acts.
        virtual void note(std::uint32_t events) noexcept = 0;
        /// Then each acts on it. Called at the bottom of the stack; may destroy any source, itself
        /// too.
        virtual void on_ready(std::uint32_t events) = 0;

    protected:
        ~Source() = default;
    };

    explicit Poller(asio::io_context& context);
    ~Poller();
    Poller(Poller const&) = delete;
    Poller& operator=(Poller const&) = delete;

    [[nodiscard]] Error add(int descriptor, Source& source);
    /// Before the descriptor is closed; nothing is told to `source` from here on.
    void remove(int descriptor, Source& source) noexcept;

    /// Lets go of the io_context, which is about to end; add() fails from here on, remove() still
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
    // After so long the rest of a batch waits for the loop's next turn.
    static constexpr std::chrono::milliseconds longest_turn{2};
    using Descriptor = asio::posix::basic_stream_descriptor<Executor>;

    int epoll_;
    std::optional<Descriptor> descriptor_; // owns epoll_
    std::array<epoll_event, batch> events_{};
    int next_ = 0;
    int ready_ = 0;
    std::size_t sources_ = 0;
    // on_ready() will be called, or is running. Never is it asked for twice: each further call
    // would ask for itself again, at every turn and for good.
    bool listening_ = false;
};

} // namespace sallyport::net
