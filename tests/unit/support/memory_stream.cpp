// A stream for tests: scripted input, recorded output, faults on demand.
#include "tests/unit/support/memory_stream.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstring>

namespace sallyport::net::test {

MemoryStream::MemoryStream(Loop& loop, Peer peer)
    : loop_(loop), read_event_(loop.waiters()), write_event_(loop.waiters()) {
    peer_ = std::move(peer);
}

MemoryStream& MemoryStream::receive(std::string_view piece) {
    if (!piece.empty()) script_.emplace_back(std::string(piece));
    changed();
    return *this;
}

MemoryStream& MemoryStream::receive_in_pieces(std::string_view bytes, std::size_t size) {
    for (std::size_t at = 0; at < bytes.size(); at += size)
        receive(bytes.substr(at, size));
    return *this;
}

MemoryStream& MemoryStream::receive_end(Error error) {
    script_.emplace_back(error);
    has_end_ = true;
    changed();
    return *this;
}

MemoryStream& MemoryStream::stall() {
    script_.emplace_back(Stall{});
    ++stalls_;
    return *this;
}

void MemoryStream::resume() {
    auto const stall = std::find_if(script_.begin(), script_.end(), [](Step const& step) {
        return std::holds_alternative<Stall>(step);
    });
    if (stall != script_.end()) {
        script_.erase(stall);
        --stalls_;
    }
    changed();
}

MemoryStream& MemoryStream::fail_at(std::size_t operation, Error error) {
    fail_at_ = operation;
    fail_with_ = error;
    return *this;
}

MemoryStream& MemoryStream::take_before_failure(std::size_t bytes) {
    take_before_failure_ = bytes;
    return *this;
}

MemoryStream& MemoryStream::write_in_pieces(std::size_t bytes) {
    write_piece_ = bytes;
    return *this;
}

MemoryStream& MemoryStream::stall_writing() {
    writing_stalled_ = true;
    return *this;
}

void MemoryStream::resume_writing() {
    writing_stalled_ = false;
    if (write_event_.has_waiter()) write_event_.notify();
}

std::size_t MemoryStream::unread() const noexcept {
    std::size_t total = 0;
    for (auto const& step : script_)
        if (auto const* piece = std::get_if<std::string>(&step)) total += piece->size();
    return total - offset_;
}

// The bytes that a read waits for have arrived, or a watched peer has closed.
void MemoryStream::changed() {
    if (is_readable() && read_event_.has_waiter()) read_event_.notify();
    if (has_end_ && stalls_ == 0 && watcher_ != nullptr)
        std::exchange(watcher_, nullptr)->peer_gone();
}

bool MemoryStream::is_readable() const noexcept {
    return !script_.empty() && !std::holds_alternative<Stall>(script_.front());
}

std::optional<Error> MemoryStream::next_operation() {
    if (!is_open()) return asio::error::operation_aborted;
    if (++operations_ == fail_at_) return fail_with_;
    return std::nullopt;
}

Result<std::size_t> MemoryStream::try_read(std::span<char> into) {
    if (auto const fault = next_operation()) return *fault;
    if (!is_readable()) return Error(asio::error::would_block);
    if (auto const* error = std::get_if<Error>(&script_.front())) return *error;
    auto const& piece = std::get<std::string>(script_.front());
    auto const count = std::min(into.size(), piece.size() - offset_);
    std::memcpy(into.data(), piece.data() + offset_, count);
    offset_ += count;
    if (offset_ == piece.size()) {
        script_.pop_front();
        offset_ = 0;
    }
    return count;
}

Wait MemoryStream::wait_readable() {
    if (auto const fault = next_operation()) return Wait::ended(*fault);
    if (is_readable()) return Wait::ended();
    read_event_.clear();
    return Wait{read_event_, *this};
}

Error MemoryStream::end_wait() noexcept {
    bool const is_over = std::exchange(read_interrupted_, false) || !is_open();
    return is_over ? Error{asio::error::operation_aborted} : Error{};
}

bool MemoryStream::has_pending() const noexcept {
    return is_readable();
}

bool MemoryStream::is_quiet() {
    return is_open() && !is_readable();
}

Task<Error> MemoryStream::write(std::span<std::string_view const> pieces) {
    auto const fault = next_operation();
    std::string bytes;
    for (auto const piece : pieces)
        bytes += piece;
    if (fault) {
        if (is_open()) sent_ += bytes.substr(0, take_before_failure_);
        co_return *fault;
    }
    writes_.push_back(bytes.size());
    std::size_t done = 0;
    while (done < bytes.size()) {
        while (writing_stalled_) {
            write_event_.clear();
            co_await write_event_.wait();
            if (!is_open() || std::exchange(write_interrupted_, false))
                co_return asio::error::operation_aborted;
        }
        auto const count = write_piece_ == 0 ? bytes.size() : write_piece_;
        sent_ += bytes.substr(done, count);
        done += std::min(count, bytes.size() - done);
        if (done < bytes.size()) {
            Event turn{loop_.waiters()};
            asio::post(loop_.executor(), [&turn] { turn.notify_now(); });
            co_await turn.wait();
        }
        if (!is_open()) co_return asio::error::operation_aborted;
    }
    co_return Error{};
}

PeerState MemoryStream::watch_peer(PeerWatcher& watcher) {
    if (!is_open()) return PeerState::gone;
    if (!script_.empty() && std::holds_alternative<Error>(script_.front())) return PeerState::gone;
    watcher_ = &watcher;
    return PeerState::present;
}

void MemoryStream::unwatch_peer() noexcept {
    watcher_ = nullptr;
}

void MemoryStream::interrupt() noexcept {
    if (read_event_.has_waiter()) {
        read_interrupted_ = true;
        read_event_.notify();
    }
    if (write_event_.has_waiter()) {
        write_interrupted_ = true;
        write_event_.notify();
    }
}

Task<> MemoryStream::shutdown(LingerLimits) {
    end(Ending::shut_down);
    co_return;
}

void MemoryStream::abort() noexcept {
    end(Ending::aborted);
}

void MemoryStream::close() noexcept {
    end(Ending::closed);
}

void MemoryStream::end(Ending how) noexcept {
    if (!is_open()) return;
    ending_ = how;
    watcher_ = nullptr;
    if (read_event_.has_waiter()) read_event_.notify();
    if (write_event_.has_waiter()) write_event_.notify();
}

} // namespace sallyport::net::test
