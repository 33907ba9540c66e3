// A connected stream socket (TCP or unix) on a loop: non-blocking calls, and waiting for the next
// one.
#pragma once

#include "gateway/net/descriptor.h"
#include "gateway/net/event.h"
#include "gateway/net/executor.h"
#include "gateway/net/poller.h"
#include "gateway/net/stream.h"
#include "gateway/net/wait.h"

#include <boost/asio/generic/stream_protocol.hpp>

#include <sys/uio.h>

#include <memory>
#include <span>

namespace sallyport::net {

class Loop;

/// What PlainStream and TlsStream stand on. It remembers what the poller told, so that no call is
/// made that would only answer EAGAIN: a receive that did not fill its buffer has drained the
/// socket.
class Socket final : private Poller::Source, private Wait::Ending {
public:
    /// What happens while nobody reads; called at the bottom of the stack.
    class Watch {
    public:
        virtual void on_input() = 0; // bytes came
        virtual void on_end() = 0; // FIN, RST or an error; bytes may still be unread in front of it

    protected:
        ~Watch() = default;
    };

    enum class Wake { when_readable, when_readable_or_writable };

    /// Takes a connected socket: makes it non-blocking and TCP_NODELAY, and registers it. Where
    /// that fails, every operation answers with the reason.
    Socket(Loop& loop, FileDescriptor descriptor);
    ~Socket();

    /// would_block, eof, or what recv(2) said. A socket that always has bytes answers would_block
    /// after `turn_share` of them, so that whoever reads it waits for the loop's next turn and
    /// everybody else who is ready gets theirs.
    static constexpr std::size_t turn_share = std::size_t{128} * 1024;
    [[nodiscard]] Result<std::size_t> receive(std::span<char> into) noexcept;
    /// As receive(), but takes nothing. What comes is a part only where `into` is full.
    [[nodiscard]] Result<std::size_t> peek(std::span<char> into) noexcept;
    /// What lies there is not enough: wait_readable() waits for more, or for the end.
    void await_more() noexcept { readable_ = ended_; }
    /// Whether nothing has come and the peer has not gone. Costs a system call: what the poller
    /// told may be older than what lies in the socket.
    [[nodiscard]] bool is_quiet() noexcept;
    /// Whether the caller has more to send at once: then the kernel may wait for it to fill a
    /// segment (MSG_MORE of send(2)).
    enum class Follows : bool { nothing, more };

    /// Some or all of the pieces, in one system call; would_block, or what sendmsg(2) said.
    [[nodiscard]] Result<std::size_t> send(std::span<iovec const> pieces,
                                           Follows follows = Follows::nothing) noexcept;

    [[nodiscard]] Wait wait_readable(Wake wake = Wake::when_readable);
    [[nodiscard]] Task<Error> wait_writable();

    void watch(Watch& watch);
    void unwatch() noexcept { watch_ = nullptr; }

    void interrupt() noexcept;
    void shut_down_sending() noexcept;
    /// Closes; the peer sees an orderly end.
    void close() noexcept;
    /// Closes; the peer sees RST.
    void abort() noexcept;

    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(descriptor_); }
    /// As far as the poller told. Also while it lets others go first.
    [[nodiscard]] bool is_readable() const noexcept { return readable_ || rests_; }
    /// Whether receive() may have something at once.
    [[nodiscard]] bool can_receive() const noexcept { return readable_; }
    [[nodiscard]] bool is_writable() const noexcept { return writable_; }
    [[nodiscard]] bool has_ended() const noexcept { return ended_; }
    /// Receives as much as the limits allow and throws it away, until the peer's end.
    [[nodiscard]] Task<> drain(LingerLimits limits);

    Loop& loop() noexcept { return loop_; }
    /// For socket options and tests; not for reading and writing.
    [[nodiscard]] int native_handle() const noexcept { return descriptor_.get(); }

private:
    Error end_wait() noexcept override;
    friend Result<std::unique_ptr<Socket>>
    begin_connect(Loop& loop, asio::generic::stream_protocol::endpoint const& to);
    struct Connecting {};
    Socket(Loop& loop, FileDescriptor descriptor, Connecting);

    void note(std::uint32_t events) noexcept override;
    void on_ready(std::uint32_t events) override;
    void add_to_poller();
    void end(Error reason) noexcept;
    Result<std::size_t> discard(std::size_t most) noexcept;

    Loop& loop_;
    FileDescriptor descriptor_;
    Event read_event_;
    Event write_event_;
    Watch* watch_ = nullptr;
    Error failure_; // why it is not open
    bool readable_ = false;
    bool writable_ = true;
    bool ended_ = false;
    bool has_urgent_ = false;  // RFC 6093: a receive stops at the mark, with more behind it
    std::size_t received_ = 0; // since its reader last waited
    bool rests_ = false;       // there is more, but it has had its share of this turn
    bool reader_waits_ = false;
    bool writer_waits_ = false;
    bool reader_wants_write_ = false;
    bool read_interrupted_ = false;
    bool write_interrupted_ = false;
};

/// A connection on its way: what comes back is to be given to finish_connect() before anything
/// else.
[[nodiscard]] Result<std::unique_ptr<Socket>>
begin_connect(Loop& loop, asio::generic::stream_protocol::endpoint const& to);

/// Waits until it is made; asio::error::timed_out after `timeout`, operation_aborted when
/// interrupted.
[[nodiscard]] Task<Error> finish_connect(Socket& socket, Clock::duration timeout);

/// Both. Owned by the caller, on the loop's thread.
[[nodiscard]] Task<Result<std::unique_ptr<Socket>>>
connect(Loop& loop, asio::generic::stream_protocol::endpoint to, Clock::duration timeout);

} // namespace sallyport::net
