// A connected stream socket (TCP or unix) on a loop: non-blocking calls, and waiting for
// readiness.
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

/// The base of PlainStream and TlsStream. It remembers what the poller reported and makes no
/// call that would only return EAGAIN: a receive that did not fill its buffer has drained the
/// socket.
class Socket final : private Poller::Source, private Wait::Ending {
public:
    /// Receives events while no read is waiting; called at the bottom of the call stack.
    class Watch {
    public:
        virtual void on_input() = 0; // bytes arrived
        virtual void on_end() = 0; // FIN, RST or an error; bytes may still be unread in front of it

    protected:
        ~Watch() = default;
    };

    enum class Wake { when_readable, when_readable_or_writable };

    /// Takes a connected socket, makes it non-blocking and TCP_NODELAY, and registers it. If that
    /// fails, every operation returns that error.
    Socket(Loop& loop, FileDescriptor descriptor);
    ~Socket();

    static constexpr std::size_t turn_share = std::size_t{128} * 1024;
    /// Bytes received, or would_block, eof, or the error of recv(2). After `turn_share` bytes
    /// without a wait it returns would_block, so that the reader waits for the loop's next turn and
    /// other ready handlers run.
    [[nodiscard]] Result<std::size_t> receive(std::span<char> into) noexcept;
    /// Like receive(), but leaves the bytes in the socket. The result is incomplete only if `into`
    /// is full.
    [[nodiscard]] Result<std::size_t> peek(std::span<char> into) noexcept;
    /// The bytes in the socket are not enough: wait_readable() then waits for more, or for the end.
    void await_more() noexcept { readable_ = ended_; }
    /// Whether no bytes have arrived and the peer has not closed. Costs a system call: the last
    /// report of the poller may be older than the state of the socket.
    [[nodiscard]] bool is_quiet() noexcept;
    /// Whether the caller has more to send at once: the kernel may then wait for it to fill a
    /// segment (MSG_MORE of send(2)).
    enum class Follows : bool { nothing, more };

    /// Sends some or all of the pieces in one system call; returns the bytes sent, would_block, or
    /// the error of sendmsg(2).
    [[nodiscard]] Result<std::size_t> send(std::span<iovec const> pieces,
                                           Follows follows = Follows::nothing) noexcept;

    /// Waits until receive() (or also send(), by `wake`) is worth a call. The result is an error
    /// after interrupt(), abort() or close().
    [[nodiscard]] Wait wait_readable(Wake wake = Wake::when_readable);
    /// Waits until send() is worth a call.
    [[nodiscard]] Task<Error> wait_writable();

    /// Calls `watch` for events while no read is waiting, until unwatch().
    void watch(Watch& watch);
    void unwatch() noexcept { watch_ = nullptr; }

    /// Ends pending waits with operation_aborted at the loop's next turn.
    void interrupt() noexcept;
    /// Sends FIN; receiving is still possible.
    void shut_down_sending() noexcept;
    /// Closes; the peer sees an orderly end.
    void close() noexcept;
    /// Closes; the peer sees RST.
    void abort() noexcept;

    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(descriptor_); }
    /// Whether the poller has reported bytes, also while this socket yields its turn.
    [[nodiscard]] bool is_readable() const noexcept { return readable_ || rests_; }
    /// Whether receive() may return bytes at once.
    [[nodiscard]] bool can_receive() const noexcept { return readable_; }
    [[nodiscard]] bool is_writable() const noexcept { return writable_; }
    [[nodiscard]] bool has_ended() const noexcept { return ended_; }
    /// Receives and discards bytes within the limits, until the peer's end.
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
    bool rests_ = false;       // more bytes are there, but it has used its share of this turn
    bool reader_waits_ = false;
    bool writer_waits_ = false;
    bool reader_wants_write_ = false;
    bool read_interrupted_ = false;
    bool write_interrupted_ = false;
};

/// Begins a connection; pass the result to finish_connect() before any other
/// use.
[[nodiscard]] Result<std::unique_ptr<Socket>>
begin_connect(Loop& loop, asio::generic::stream_protocol::endpoint const& to);

/// Waits until the connection is established; asio::error::timed_out after `timeout`,
/// operation_aborted when interrupted.
[[nodiscard]] Task<Error> finish_connect(Socket& socket, Clock::duration timeout);

/// begin_connect() and finish_connect(). Call it on the loop's thread; the caller owns the result.
[[nodiscard]] Task<Result<std::unique_ptr<Socket>>>
connect(Loop& loop, asio::generic::stream_protocol::endpoint to, Clock::duration timeout);

} // namespace sallyport::net
