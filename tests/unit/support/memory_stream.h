// A stream for tests: scripted input in any pieces, recorded output, faults on demand; no socket.
#pragma once

#include "gateway/net/event.h"
#include "gateway/net/loop.h"
#include "gateway/net/stream.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sallyport::net::test {

/// The script is read front to back; where it ends, reads wait until more is scripted (or the
/// stream is interrupted). One operation is one try_read, one wait or one write: fail_at(n) makes
/// the n-th of them fail (counted from 1), so that a test injects a fault at 1, 2, 3, ... until the
/// whole succeeds.
class MemoryStream final : public Stream, private Wait::Ending {
public:
    enum class Ending { none, shut_down, closed, aborted };

    explicit MemoryStream(Loop& loop, Peer peer = {"192.0.2.1", 40000});
    ~MemoryStream() override = default;

    // --- the script; each may be called during a wait, which it wakes

    /// One piece: a try_read returns bytes of one piece at most.
    MemoryStream& receive(std::string_view piece);
    MemoryStream& receive_in_pieces(std::string_view bytes, std::size_t size);
    /// The result of later reads: asio::error::eof, StreamError::truncated, a reset ...
    MemoryStream& receive_end(Error error = asio::error::eof);
    /// Reads wait here until resume(), whatever is scripted after it.
    MemoryStream& stall();
    void resume();

    // --- faults

    MemoryStream& fail_at(std::size_t operation, Error error);
    /// A failing write accepts this many bytes first.
    MemoryStream& take_before_failure(std::size_t bytes);
    /// A write accepts `bytes` per turn of the loop; 0: all at once.
    MemoryStream& write_in_pieces(std::size_t bytes);
    /// Writes wait until resume_writing().
    MemoryStream& stall_writing();
    void resume_writing();
    void set_tls(TlsInfo info) { tls_ = std::move(info); }

    // --- results

    std::string const& sent() const noexcept { return sent_; }
    /// The bytes of each write(), in order.
    std::vector<std::size_t> const& writes() const noexcept { return writes_; }
    std::size_t operations() const noexcept { return operations_; }
    Ending ending() const noexcept { return ending_; }
    bool is_watched() const noexcept { return watcher_ != nullptr; }
    /// Scripted bytes that have not been read.
    std::size_t unread() const noexcept;

    using Stream::shutdown;
    using Stream::write;

    Result<std::size_t> try_read(std::span<char> into) override;
    Wait wait_readable() override;
    bool has_pending() const noexcept override;
    bool is_quiet() override;
    Task<Error> write(std::span<std::string_view const> pieces) override;
    PeerState watch_peer(PeerWatcher& watcher) override;
    void unwatch_peer() noexcept override;
    void interrupt() noexcept override;
    Task<> shutdown(LingerLimits limits) override;
    void abort() noexcept override;
    void close() noexcept override;
    bool is_open() const noexcept override { return ending_ == Ending::none; }
    TlsInfo const* tls() const noexcept override { return tls_ ? &*tls_ : nullptr; }

private:
    struct Stall {};
    using Step = std::variant<std::string, Error, Stall>;

    Error end_wait() noexcept override;
    std::optional<Error> next_operation();
    bool is_readable() const noexcept;
    void changed();
    void end(Ending how) noexcept;

    Loop& loop_;
    Event read_event_;
    Event write_event_;
    std::deque<Step> script_;
    std::size_t offset_ = 0; // into the first piece
    std::size_t stalls_ = 0; // in the script
    bool has_end_ = false;   // likewise
    std::string sent_;
    std::vector<std::size_t> writes_;
    std::size_t operations_ = 0;
    std::size_t fail_at_ = 0;
    Error fail_with_;
    std::size_t take_before_failure_ = 0;
    std::size_t write_piece_ = 0;
    PeerWatcher* watcher_ = nullptr;
    std::optional<TlsInfo> tls_;
    Ending ending_ = Ending::none;
    bool writing_stalled_ = false;
    bool read_interrupted_ = false;
    bool write_interrupted_ = false;
};

} // namespace sallyport::net::test
