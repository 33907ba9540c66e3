// The interface that the rest of the program reads from and writes to: a byte stream, plain, TLS,
// or in a test's memory.
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

/// The peer's address, fixed when the connection is made.
struct Peer {
    std::string address; // as text, without port; empty for unix sockets
    std::uint16_t port = 0;
};

enum class Resumed : bool { no, yes };

/// Valid after the handshake. The views are OpenSSL's constants.
struct TlsInfo {
    std::string_view version; // "TLSv1.3"
    std::string_view cipher;  // "TLS_AES_128_GCM_SHA256"
    std::string_view group;   // of the key exchange: "X25519MLKEM768"; empty where a session of TLS 1.2 was resumed
    Resumed resumed = Resumed::no;
    std::string_view protocol; // that ALPN has selected (RFC 7301): "h2"; empty: none
    std::string server_name;   // lower case; empty where none was sent
};

enum class PeerState { present, gone };

/// Called once when the peer closes while it is watched.
class PeerWatcher {
public:
    /// Called at the bottom of the call stack. May interrupt or abort any stream (their waiters
    /// resume at the loop's next turn), must not destroy the watched one.
    virtual void peer_gone() = 0;

protected:
    ~PeerWatcher() = default;
};

/// The limits of shutdown(): how many bytes are read and discarded, and for how long, so that the
/// last response is not lost to a reset (RFC 9112, 9.6).
struct LingerLimits {
    /// Enough for bytes that are in flight; where the rest of a body may still follow, the caller
    /// sets a larger value (serve/lingering.h).
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

    /// Reads the available bytes, at least one; asio::error::would_block if there are none,
    /// asio::error::eof after an orderly end (FIN on a plain stream, close_notify on TLS), and
    /// StreamError::truncated if a TLS stream ended without one. `into` must not be empty.
    [[nodiscard]] virtual Result<std::size_t> try_read(std::span<char> into) = 0;

    /// Returns when bytes, an end or an error arrived, so that try_read is worth a call. Holds no
    /// buffer meanwhile. (A part of a TLS record counts as bytes; try_read then returns would_block
    /// once.)
    [[nodiscard]] virtual Wait wait_readable() = 0;

    /// Like try_read, but waits for the first byte, without a time
    /// limit.
    [[nodiscard]] Task<Result<std::size_t>> read_some(std::span<char> into);

    /// Whether bytes are known to be available to try_read: inside the stream, or in the socket as
    /// reported by the poller. Costs no system call, so bytes that arrive at this moment may be
    /// missed.
    [[nodiscard]] virtual bool has_pending() const noexcept = 0;

    /// Whether no bytes have arrived and the peer has not closed. Required just before a request is
    /// written to a kept connection, because pending bytes would be read as its response. Costs one
    /// system call.
    [[nodiscard]] virtual bool is_quiet() = 0;

    // --- writing

    /// Writes all pieces, in order; a head and a small body leave in one system call, and in one
    /// TLS record. The array of pieces and the memory that they view must stay valid until the task
    /// ends. After an error an unknown part has been sent.
    [[nodiscard]] virtual Task<Error> write(std::span<std::string_view const> pieces) = 0;
    /// The same for one piece.
    [[nodiscard]] Task<Error> write(std::string_view piece);

    // --- the peer

    /// Calls `watcher` once when the peer closes: FIN, RST or close_notify. Bytes that arrive
    /// meanwhile stay unread for the next read. Costs no system call. If the peer has closed
    /// already, the result says so and the watcher is not called. Unwatch before the watcher is
    /// destroyed. (A close_notify behind pipelined bytes is seen when those are read, or by the FIN
    /// that follows it.)
    [[nodiscard]] virtual PeerState watch_peer(PeerWatcher& watcher) = 0;
    /// Ends the watch; the watcher is not called afterwards.
    virtual void unwatch_peer() noexcept = 0;

    // --- ending

    /// Ends a pending read, wait or write with operation_aborted at the loop's next turn; no effect
    /// if nothing is pending. After an interrupted read the stream is unchanged; after an
    /// interrupted write only abort() is allowed, because an unknown part has been sent.
    virtual void interrupt() noexcept = 0;

    /// The orderly end: sends close_notify and FIN, discards what still arrives within `limits`,
    /// then closes the connection. abort() ends it early.
    [[nodiscard]] virtual Task<> shutdown(LingerLimits limits) = 0;
    [[nodiscard]] Task<> shutdown() { return shutdown(LingerLimits{}); }

    /// Ends at once, so that the peer cannot take truncated data for complete: RST instead of FIN,
    /// no close_notify. Pending and later operations end with operation_aborted.
    virtual void abort() noexcept = 0;

    /// Ends at once and in order (close_notify if it fits into the socket, FIN). Unread bytes make
    /// the kernel send RST nevertheless: use shutdown() after a response. Pending operations end as
    /// with abort().
    virtual void close() noexcept = 0;

    /// False after close(), abort() or a completed shutdown().
    [[nodiscard]] virtual bool is_open() const noexcept = 0;

    // --- properties

    [[nodiscard]] Peer const& peer() const noexcept { return peer_; }
    /// Null on plain streams, and before the handshake has finished.
    [[nodiscard]] virtual TlsInfo const* tls() const noexcept { return nullptr; }

protected:
    Peer peer_;

private:
    Task<Result<std::size_t>> read_when_readable(std::span<char> into);
};

} // namespace sallyport::net
