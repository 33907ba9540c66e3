// A connection without TLS: TCP or unix.
#pragma once

#include "gateway/net/socket.h"
#include "gateway/net/stream.h"

#include <memory>

namespace sallyport::net {

class PlainStream final : public Stream, private Socket::Watch {
public:
    PlainStream(std::unique_ptr<Socket> socket, Peer peer);
    PlainStream(Loop& loop, FileDescriptor descriptor, Peer peer);
    ~PlainStream() override;

    using Stream::shutdown;
    using Stream::write;

    Result<std::size_t> try_read(std::span<char> into) override;
    Wait wait_readable() override;
    [[nodiscard]] bool has_pending() const noexcept override;
    bool is_quiet() override;
    Task<Error> write(std::span<std::string_view const> pieces) override;
    PeerState watch_peer(PeerWatcher& watcher) override;
    void unwatch_peer() noexcept override;
    void interrupt() noexcept override;
    Task<> shutdown(LingerLimits limits) override;
    void abort() noexcept override;
    void close() noexcept override;
    [[nodiscard]] bool is_open() const noexcept override;
    /// For socket options and tests; not for reading and writing.
    [[nodiscard]] int native_handle() const noexcept { return socket_->native_handle(); }

private:
    class Pieces;

    Error send(Pieces& left);
    Task<Error> write_rest(Pieces left);
    void on_input() override {}
    void on_end() override;

    std::unique_ptr<Socket> socket_;
    PeerWatcher* watcher_ = nullptr;
};

} // namespace sallyport::net
