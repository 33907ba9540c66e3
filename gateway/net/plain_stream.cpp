// A connection without TLS.
#include "gateway/net/plain_stream.h"

#include "gateway/net/loop.h"

#include <array>

namespace sallyport::net {

// The unsent part of some pieces, in the form that sendmsg(2) takes.
class PlainStream::Pieces {
public:
    static constexpr std::size_t most = 16; // at once; more pieces take another call

    explicit Pieces(std::span<std::string_view const> pieces) : pieces_{pieces} { skip(0); }

    bool is_empty() const noexcept { return pieces_.empty(); }

    std::span<iovec const> next() noexcept {
        std::size_t count = 0;
        std::size_t offset = offset_;
        for (auto const piece : pieces_) {
            if (count == most) break;
            if (piece.size() > offset)
                vectors_[count++] = {const_cast<char*>(piece.data() + offset),
                                     piece.size() - offset};
            offset = 0;
        }
        return std::span(vectors_).first(count);
    }

    void skip(std::size_t sent) noexcept {
        offset_ += sent;
        while (!pieces_.empty() && offset_ >= pieces_.front().size()) {
            offset_ -= pieces_.front().size();
            pieces_ = pieces_.subspan(1);
        }
    }

private:
    std::span<std::string_view const> pieces_;
    std::size_t offset_ = 0;
    std::array<iovec, most> vectors_;
};

PlainStream::PlainStream(std::unique_ptr<Socket> socket, Peer peer) : socket_{std::move(socket)} {
    peer_ = std::move(peer);
}

PlainStream::PlainStream(Loop& loop, FileDescriptor descriptor, Peer peer)
    : PlainStream(std::make_unique<Socket>(loop, std::move(descriptor)), std::move(peer)) {}

PlainStream::~PlainStream() = default;

Result<std::size_t> PlainStream::try_read(std::span<char> into) {
    return socket_->receive(into);
}

Wait PlainStream::wait_readable() {
    return socket_->wait_readable();
}

bool PlainStream::has_pending() const noexcept {
    return socket_->is_readable();
}

bool PlainStream::is_quiet() {
    return socket_->is_quiet();
}

// Sends until nothing is left, the socket's buffer is full (would_block), or it fails.
Error PlainStream::send(Pieces& left) {
    while (!left.is_empty()) {
        auto const sent = socket_->send(left.next());
        if (!sent) return sent.error();
        left.skip(*sent);
    }
    return {};
}

Task<Error> PlainStream::write(std::span<std::string_view const> pieces) {
    Pieces left{pieces};
    auto const error = send(left);
    if (error == asio::error::would_block) return write_rest(left);
    return Task<Error>::ended(error);
}

Task<Error> PlainStream::write_rest(Pieces left) {
    for (;;) {
        if (auto const error = co_await socket_->wait_writable()) co_return error;
        auto const error = send(left);
        if (error != asio::error::would_block) co_return error;
    }
}

PeerState PlainStream::watch_peer(PeerWatcher& watcher) {
    if (!socket_->is_open() || socket_->has_ended()) return PeerState::gone;
    watcher_ = &watcher;
    socket_->watch(*this);
    return PeerState::present;
}

void PlainStream::unwatch_peer() noexcept {
    watcher_ = nullptr;
    socket_->unwatch();
}

void PlainStream::on_end() {
    socket_->unwatch();
    if (auto* const watcher = std::exchange(watcher_, nullptr)) watcher->peer_gone();
}

void PlainStream::interrupt() noexcept {
    socket_->interrupt();
}

Task<> PlainStream::shutdown(LingerLimits limits) {
    unwatch_peer();
    socket_->shut_down_sending();
    co_await socket_->drain(limits);
    socket_->close();
}

void PlainStream::abort() noexcept {
    unwatch_peer();
    socket_->abort();
}

void PlainStream::close() noexcept {
    unwatch_peer();
    socket_->close();
}

bool PlainStream::is_open() const noexcept {
    return socket_->is_open();
}

} // namespace sallyport::net
