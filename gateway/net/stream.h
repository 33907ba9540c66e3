// What the rest of the program reads from and writes to: bytes in order, plain or TLS, or a test's
// memory.
#pragma once

#include "gateway/net/errors.h"
#include "gateway/net/executor.h"
#include "gateway/net/wait.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::net {

/// Who is at the other end, fixed when the connection is made.
struct Peer {
    std::string address; // as text, without port; empty for unix sockets
    std::uint16_t port = 0;
};

enum class Resumed : bool { no, yes };

/// Valid after the handshake. The views are OpenSSL's constants.
struct TlsInfo {
    std::string_view version; // "TLSv1.3"
    std::string_view cipher;  // "TLS_AES_128_GCM_SHA256"
    Resumed resumed = Resumed::no;
    std::string server_name; // lower case; empty where none was sent
};

enum class PeerState { present, gone };

/// Told once when the peer goes away while it is watched.
class PeerWatcher {
public:
    /// Called at the bottom of the stack. May interrupt or abort any stream (their waiters resume
    /// at the loop's next turn), must not destroy the watched one.
    virtual void peer_gone() = 0;

protected:
    ~PeerWatcher() = default;
};

/// The end of shutdown(): how much is read and thrown away, and how long, so that the last response
/// is not lost to a reset (RFC 9112, 9.6).
struct LingerLimits {
    /// Enough for what was on its way; who may owe a client the time to send a whole body says more
    /// (serve/lingering.h).
    std::size_t bytes = std::size_t{1} << 20;
    Clock::duration time = std::chrono::seconds(5);
};

/// A connection. Owned by the coroutine that serves it, used on one thread: at most one reader and
/// one writer wait at a time. Errors are values; no member throws.
class Stream {
public:
    virtual ~Stream() = default;
    Stream() = default;
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;

    // --- reading

    /// What can be had now, at least one byte; asio::error::would_block where nothing is there,
    /// asio::error::eof after an orderly end (FIN on a plain stream, close_notify on TLS), and
    /// StreamError::truncated where a TLS stream ended without one. `into` must not be empty.
    [[nodiscard]] virtual Result<std::size_t> try_read(std::span<char> into) = 0;

    /// Returns when try_read is worth a call: bytes, an end or an error came. Holds no buffer
    /// meanwhile. (A part of a TLS record counts as bytes; try_read then answers would_block once.)
    [[nodiscard]] virtual Wait wait_readable() = 0;

    /// try_read, waiting as long as it takes.
    /// (At once where something is there.)
    [[nodiscard]] Task<Result<std::size_t>> read_some(std::span<char> into);

    /// Whether something is known to be there for try_read: inside the stream, or in the socket as
    /// far as the poller told. Costs no system call, so what came in this very moment may be
    /// missed.
    [[nodiscard]] virtual bool has_pending() const noexcept = 0;

    /// Whether nothing has come and the peer has not gone: what a kept connection must be just
    /// before a request is written to it, because what lies there would be read as its response.
    /// The socket itself is asked (one system call).
    [[nodiscard]] virtual bool is_quiet() = 0;

    // --- writing

    /// All pieces, in order; a head and a small body leave in one system call, and in one TLS
    /// record. The array of pieces and what they show must stay until the task ends. After an error
    /// an unknown part has been sent.
    [[nodiscard]] virtual Task<Error> write(std::span<std::string_view const> pieces) = 0;
    [[nodiscard]] Task<Error> write(std::string_view piece);

    // --- the peer

    /// From now on `watcher` is told, once, when the peer goes away: FIN, RST or close_notify.
    /// Bytes that it sends meanwhile stay unread for the next read. Costs no system call. Where it
    /// is gone already, the result says so and the watcher is not told. Unwatch before the watcher
    /// is destroyed. (A close_notify behind pipelined bytes is seen when those are read, or by the
    /// FIN that follows it.)
    [[nodiscard]] virtual PeerState watch_peer(PeerWatcher& watcher) = 0;
    virtual void unwatch_peer() noexcept = 0;

    // --- ending

    /// A pending read, wait or write ends with operation_aborted at the loop's next turn; without
    /// one nothing happens. After an interrupted read the stream is as before; after an interrupted
    /// write only abort() is left, because an unknown part has been sent.
    virtual void interrupt() noexcept = 0;

    /// The orderly end: close_notify, FIN, then what still comes is thrown away within `limits`,
    /// then the connection is closed. abort() ends it early.
    [[nodiscard]] virtual Task<> shutdown(LingerLimits limits) = 0;
    [[nodiscard]] Task<> shutdown() { return shutdown(LingerLimits{}); }

    /// Ends at once so that the peer cannot take what it has for complete: RST instead of FIN, no
    /// close_notify. Whatever is pending, or is called later, ends with operation_aborted.
    virtual void abort() noexcept = 0;

    /// Ends at once and in order (close_notify where it fits into the socket, FIN). Unread bytes
    /// make the kernel send RST after all: use shutdown() after a response. Pending operations end
    /// as with abort().
    virtual void close() noexcept = 0;

    [[nodiscard]] virtual bool is_open() const noexcept = 0;

    // --- what it is

    [[nodiscard]] Peer const& peer() const noexcept { return peer_; }
    /// Null on plain streams, and before the handshake is done.
    [[nodiscard]] virtual TlsInfo const* tls() const noexcept { return nullptr; }

protected:
    Peer peer_;

private:
    Task<Result<std::size_t>> read_when_readable(std::span<char> into);
};

} // namespace sallyport::net
