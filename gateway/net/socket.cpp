// A connected stream socket on a loop.
#include "gateway/net/socket.h"

#include "gateway/net/counters.h"
#include "gateway/net/loop.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace sallyport::net {

namespace {

Error system_error(int number) {
    return {number, boost::system::system_category()};
}

bool is_would_block(int number) {
    return number == EAGAIN || number == EWOULDBLOCK;
}

Error make_non_blocking(int descriptor) {
    int const flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0) return system_error(errno);
    if ((flags & O_NONBLOCK) == 0 && ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0)
        return system_error(errno);
    return {};
}

// Every message is sent when it is written: heads and bodies are joined before. Fails on unix
// sockets, which have no delay.
void disable_delay(int descriptor) {
    int const on = 1;
    ++system_calls().controls;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// recv(2), repeated if a signal interrupts it.
ssize_t receive_from(int descriptor, std::span<char> into, int flags) noexcept {
    for (;;) {
        ++system_calls().receives;
        auto const got = ::recv(descriptor, into.data(), into.size(), flags);
        if (got >= 0 || errno != EINTR) return got;
    }
}

// The error of a call that received no bytes; clears `readable` until the poller reports more.
Error why_nothing_came(ssize_t got, bool& readable) noexcept {
    if (got == 0) return asio::error::eof;
    if (!is_would_block(errno)) return system_error(errno);
    readable = false;
    return asio::error::would_block;
}

} // namespace

Socket::Socket(Loop& loop, FileDescriptor descriptor)
    : loop_{loop}, descriptor_{std::move(descriptor)}, read_event_{loop.waiters()},
      write_event_{loop.waiters()} {
    if (auto const error = make_non_blocking(descriptor_.get())) {
        failure_ = error;
        descriptor_.reset();
        return;
    }
    disable_delay(descriptor_.get());
    add_to_poller();
}

Socket::Socket(Loop& loop, FileDescriptor descriptor, Connecting)
    : loop_{loop}, descriptor_{std::move(descriptor)}, read_event_{loop.waiters()},
      write_event_{loop.waiters()}, writable_{false} {
    disable_delay(descriptor_.get());
    add_to_poller();
}

Socket::~Socket() {
    abort();
}

void Socket::add_to_poller() {
    failure_ = loop_.poller().add(descriptor_.get(), *this);
    if (failure_) descriptor_.reset();
}

Result<std::size_t> Socket::receive(std::span<char> into) noexcept {
    if (!is_open()) return failure_;
    if (!readable_) return Error(asio::error::would_block);
    if (received_ >= turn_share) {
        rests_ = true;
        readable_ = false;
        return Error(asio::error::would_block);
    }
    auto const got = receive_from(descriptor_.get(), into, 0);
    if (got <= 0) return why_nothing_came(got, readable_);
    received_ += static_cast<std::size_t>(got);
    // Fewer bytes than requested: the socket is drained, and the poller reports the next ones.
    // Except after the end was reported: no edge comes for it again. And except after urgent data:
    // a receive stops at their mark (tcp(7)), and no edge comes for the bytes behind it.
    if (static_cast<std::size_t>(got) < into.size() && !ended_ && !has_urgent_) readable_ = false;
    return static_cast<std::size_t>(got);
}

Result<std::size_t> Socket::peek(std::span<char> into) noexcept {
    if (!is_open()) return failure_;
    if (!readable_) return Error(asio::error::would_block);
    auto const got = receive_from(descriptor_.get(), into, MSG_PEEK);
    if (got <= 0) return why_nothing_came(got, readable_);
    return static_cast<std::size_t>(got);
}

bool Socket::is_quiet() noexcept {
    if (!is_open() || ended_) return false;
    for (;;) {
        char byte = 0;
        ++system_calls().receives;
        auto const got = ::recv(descriptor_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && is_would_block(errno)) {
            readable_ = false;
            return true;
        }
        if (!rests_) readable_ = true;
        return false;
    }
}

Result<std::size_t> Socket::send(std::span<iovec const> pieces, Follows follows) noexcept {
    if (!is_open()) return failure_;
    if (!writable_) return Error(asio::error::would_block);
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    int const flags = MSG_NOSIGNAL | (follows == Follows::more ? MSG_MORE : 0);
    for (;;) {
        ++system_calls().sends;
        // One piece is the usual case, and send() is cheaper for it.
        auto const sent = pieces.size() == 1 ? ::send(descriptor_.get(), pieces.front().iov_base,
                                                      pieces.front().iov_len, flags)
                                             : ::sendmsg(descriptor_.get(), &message, flags);
        if (sent >= 0) return static_cast<std::size_t>(sent);
        if (errno == EINTR) continue;
        if (is_would_block(errno)) {
            writable_ = false;
            return Error(asio::error::would_block);
        }
        return system_error(errno);
    }
}

Wait Socket::wait_readable(Wake wake) {
    if (!is_open()) return Wait::ended(failure_);
    bool const is_ready = readable_ || (wake == Wake::when_readable_or_writable && writable_);
    if (is_ready) return Wait::ended();
    reader_wants_write_ = wake == Wake::when_readable_or_writable;
    reader_waits_ = true;
    read_event_.clear();
    return {read_event_, *this, rests_ ? Wait::Until::next_turn : Wait::Until::notified};
}

Error Socket::end_wait() noexcept {
    if (std::exchange(rests_, false)) readable_ = true;
    received_ = 0;
    reader_waits_ = false;
    reader_wants_write_ = false;
    if (!is_open()) return failure_;
    if (std::exchange(read_interrupted_, false)) return asio::error::operation_aborted;
    return {};
}

Task<Error> Socket::wait_writable() {
    if (!is_open()) co_return failure_;
    if (writable_) co_return Error{};
    writer_waits_ = true;
    write_event_.clear();
    co_await write_event_.wait();
    writer_waits_ = false;
    if (!is_open()) co_return failure_;
    if (std::exchange(write_interrupted_, false)) co_return asio::error::operation_aborted;
    co_return Error{};
}

void Socket::note(std::uint32_t events) noexcept {
    bool const is_end = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    if (is_end || (events & EPOLLIN) != 0) readable_ = true;
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) writable_ = true;
    if (is_end) ended_ = true;
    if ((events & EPOLLPRI) != 0) has_urgent_ = true;
}

void Socket::on_ready(std::uint32_t events) {
    // The watch is called once at the end, and removed.
    if (watch_ != nullptr && ended_) {
        watch_->on_end();
    } else if (watch_ != nullptr && (events & EPOLLIN) != 0 && !reader_waits_) {
        watch_->on_input();
    }
    bool const wake_reader =
        read_event_.has_waiter() && (readable_ || (reader_wants_write_ && writable_));
    bool const wake_writer = write_event_.has_waiter() && writable_;
    // The last one is resumed at once, because it may destroy this socket.
    if (wake_reader && wake_writer) write_event_.notify();
    if (wake_reader) {
        read_event_.notify_now();
    } else if (wake_writer) {
        write_event_.notify_now();
    }
}

void Socket::watch(Watch& watch) {
    watch_ = &watch;
}

void Socket::interrupt() noexcept {
    // Also if the wake-up is already posted: the waiter must see the interruption.
    if (reader_waits_) {
        read_interrupted_ = true;
        read_event_.notify();
    }
    if (writer_waits_) {
        write_interrupted_ = true;
        write_event_.notify();
    }
}

void Socket::shut_down_sending() noexcept {
    if (!is_open()) return;
    ++system_calls().controls;
    ::shutdown(descriptor_.get(), SHUT_WR);
}

void Socket::end(Error reason) noexcept {
    if (!is_open()) return;
    failure_ = reason;
    watch_ = nullptr;
    loop_.poller().remove(descriptor_.get(), *this);
    ++system_calls().controls;
    descriptor_.reset();
    if (read_event_.has_waiter()) read_event_.notify();
    if (write_event_.has_waiter()) write_event_.notify();
}

void Socket::close() noexcept {
    end(asio::error::operation_aborted);
}

void Socket::abort() noexcept {
    if (!is_open()) return;
    // close(2) then discards unsent data and sends RST.
    linger const at_once{1, 0};
    ++system_calls().controls;
    ::setsockopt(descriptor_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    end(asio::error::operation_aborted);
}

Result<std::size_t> Socket::discard(std::size_t most) noexcept {
    std::array<char, 16 << 10> nowhere;
    return receive(std::span(nowhere).first(std::min(most, nowhere.size())));
}

Task<> Socket::drain(LingerLimits limits) {
    auto deadline = Deadline::calling<&Socket::interrupt>(loop_.deadlines(), *this);
    deadline.arm_after(limits.time);
    std::size_t left = limits.bytes;
    while (left > 0) {
        auto const got = discard(left);
        if (got) {
            left -= *got;
            continue;
        }
        if (got.error() != asio::error::would_block || deadline.has_expired()) co_return;
        if (co_await wait_readable()) co_return;
    }
}

Result<std::unique_ptr<Socket>> begin_connect(Loop& loop,
                                              asio::generic::stream_protocol::endpoint const& to) {
    FileDescriptor descriptor(
        ::socket(to.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!descriptor) return system_error(errno);
    ++system_calls().controls;
    if (::connect(descriptor.get(), to.data(), static_cast<socklen_t>(to.size())) != 0
        && errno != EINPROGRESS && errno != EINTR)
        return system_error(errno);
    return std::unique_ptr<Socket>(new Socket(loop, std::move(descriptor), Socket::Connecting{}));
}

Task<Error> finish_connect(Socket& socket, Clock::duration timeout) {
    auto deadline = Deadline::calling<&Socket::interrupt>(socket.loop().deadlines(), socket);
    deadline.arm_after(timeout);
    if (auto const error = co_await socket.wait_writable())
        co_return deadline.has_expired() ? Error(asio::error::timed_out) : error;
    int reason = 0;
    socklen_t size = sizeof reason;
    ++system_calls().controls;
    ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_ERROR, &reason, &size);
    co_return system_error(reason);
}

Task<Result<std::unique_ptr<Socket>>>
connect(Loop& loop, asio::generic::stream_protocol::endpoint to, Clock::duration timeout) {
    auto begun = begin_connect(loop, to);
    if (!begun) co_return begun.error();
    if (auto const error = co_await finish_connect(**begun, timeout)) co_return error;
    co_return std::move(*begun);
}

} // namespace sallyport::net
