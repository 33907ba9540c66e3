// Non-blocking sockets and OpenSSL under poll(2) with a time limit.
#include "tests/support/channel.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace sallyport::test {

char const* name_of(End end) {
    switch (end) {
    case End::data: return "data";
    case End::orderly: return "orderly";
    case End::truncated: return "truncated";
    case End::reset: return "reset";
    case End::time_limit: return "time limit";
    case End::interrupted: return "interrupted";
    case End::failed: return "failed";
    }
    return "?";
}

namespace {

[[noreturn]] void fail(std::string const& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

// OpenSSL's socket BIO has no MSG_NOSIGNAL; children get the default back before exec.
void ignore_broken_pipes() {
    static bool const once = [] { return std::signal(SIGPIPE, SIG_IGN) != SIG_ERR; }();
    (void)once;
}

void make_prompt(int socket) {
    int const one = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

bool is_reset(int error) {
    return error == ECONNRESET || error == EPIPE || error == ECONNABORTED;
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

sockaddr_un unix_address(std::filesystem::path const& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto const text = path.string();
    if (text.size() >= sizeof address.sun_path)
        throw std::runtime_error("path of a unix socket too long: " + text);
    std::memcpy(address.sun_path, text.data(), text.size());
    return address;
}

template <class Address>
sockaddr const* generic(Address const& address) {
    return reinterpret_cast<sockaddr const*>(&address);
}

} // namespace

void Channel::FreeTls::operator()(ssl_st* tls) const {
    SSL_free(tls);
}

Channel::Channel() = default;
Channel::Channel(Channel&&) noexcept = default;
Channel& Channel::operator=(Channel&&) noexcept = default;
Channel::~Channel() = default;

Channel::Channel(Descriptor socket) : socket_(std::move(socket)) {
    ignore_broken_pipes();
    make_prompt(socket_.get());
    if (::fcntl(socket_.get(), F_SETFL, O_NONBLOCK) != 0) fail("O_NONBLOCK");
}

End Channel::wait(short events, TimeLimit limit) const {
    std::array<pollfd, 2> polled{{{socket_.get(), events, 0}, {interrupt_, POLLIN, 0}}};
    for (;;) {
        auto const ready = ::poll(polled.data(), polled.size(), limit.left());
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return End::failed;
        if ((polled[1].revents & POLLIN) != 0) return End::interrupted;
        if (polled[0].revents != 0) return End::data;
        if (limit.has_passed()) return End::time_limit;
    }
}

// The meaning of a call that did not succeed: End::data means "call again".
End Channel::end_of_tls_call(int result, TimeLimit limit) const {
    auto const system_error = errno;
    switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ: return wait(POLLIN, limit);
    case SSL_ERROR_WANT_WRITE: return wait(POLLOUT, limit);
    case SSL_ERROR_ZERO_RETURN: return End::orderly;
    case SSL_ERROR_SYSCALL:
        return is_reset(system_error) ? End::reset
               : system_error == 0    ? End::truncated
                                      : End::failed;
    default:
        return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING
                   ? End::truncated
                   : End::failed;
    }
}

std::string Channel::shake_hands(TimeLimit limit) {
    for (;;) {
        ERR_clear_error();
        errno = 0;
        auto const result = SSL_do_handshake(tls_.get());
        if (result == 1) return {};
        auto const end = end_of_tls_call(result, limit);
        if (end == End::data) continue;
        std::array<char, 256> text{};
        ERR_error_string_n(ERR_peek_error(), text.data(), text.size());
        return std::string{name_of(end)} + ": " + text.data();
    }
}

std::string Channel::connect_tls(SSL_CTX* context, std::string const& server_name,
                                 TimeLimit limit) {
    tls_.reset(SSL_new(context));
    SSL_set_fd(tls_.get(), socket_.get());
    if (!server_name.empty()) {
        SSL_set_tlsext_host_name(tls_.get(), server_name.c_str());
        SSL_set1_host(tls_.get(), server_name.c_str());
    }
    SSL_set_connect_state(tls_.get());
    return shake_hands(limit);
}

std::string Channel::accept_tls(SSL_CTX* context, TimeLimit limit) {
    tls_.reset(SSL_new(context));
    SSL_set_fd(tls_.get(), socket_.get());
    SSL_set_accept_state(tls_.get());
    return shake_hands(limit);
}

ReadResult Channel::read_some(std::span<char> into, TimeLimit limit) {
    if (!is_open()) return {End::failed};
    for (;;) {
        errno = 0;
        if (tls_) {
            ERR_clear_error();
            std::size_t count = 0;
            auto const result = SSL_read_ex(tls_.get(), into.data(), into.size(), &count);
            if (result == 1) return {End::data, count};
            if (auto const end = end_of_tls_call(result, limit); end != End::data) return {end};
            continue;
        }
        auto const count = ::recv(socket_.get(), into.data(), into.size(), 0);
        if (count > 0) return {End::data, static_cast<std::size_t>(count)};
        if (count == 0) return {End::orderly};
        if (errno == EAGAIN) {
            if (auto const end = wait(POLLIN, limit); end != End::data) return {end};
        } else if (errno != EINTR) {
            return {is_reset(errno) ? End::reset : End::failed};
        }
    }
}

End Channel::write_all(std::string_view bytes, TimeLimit limit) {
    if (!is_open()) return End::failed;
    while (!bytes.empty()) {
        errno = 0;
        if (tls_) {
            ERR_clear_error();
            std::size_t count = 0;
            auto const result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &count);
            if (result == 1)
                bytes.remove_prefix(count);
            else if (auto const end = end_of_tls_call(result, limit); end != End::data)
                return end;
            continue;
        }
        auto const count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            if (auto const end = wait(POLLOUT, limit); end != End::data) return end;
        } else if (errno != EINTR) {
            return is_reset(errno) ? End::reset : End::failed;
        }
    }
    return End::data;
}

void Channel::send_close_notify() {
    if (tls_) {
        ERR_clear_error();
        SSL_shutdown(tls_.get());
    }
}

void Channel::half_close() {
    ::shutdown(socket_.get(), SHUT_WR);
}

void Channel::reset() {
    linger const at_once{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket_.close();
}

void Channel::limit_send_buffer(int bytes) {
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

void Channel::close() {
    socket_.close();
}

Descriptor connect_tcp(std::uint16_t port, ReceiveBuffer buffer) {
    Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (buffer == ReceiveBuffer::tiny) {
        int const size = 4096; // set before the connection is made, or the window is larger
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    auto const address = loopback(port);
    if (::connect(socket.get(), generic(address), sizeof address) != 0)
        fail("connect to port " + std::to_string(port));
    return socket;
}

Descriptor connect_unix(std::filesystem::path const& path) {
    Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    auto const address = unix_address(path);
    if (::connect(socket.get(), generic(address), sizeof address) != 0)
        fail("connect to " + path.string());
    return socket;
}

void wait_until_closed(std::uint16_t port) {
    TimeLimit const limit;
    Descriptor socket;
    auto const address = loopback(port);
    do {
        if (limit.has_passed())
            throw std::runtime_error("port " + std::to_string(port) + " is still open");
        socket = Descriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    } while (::connect(socket.get(), generic(address), sizeof address) == 0);
}

Listening listen_tcp(int backlog) {
    return begin_to_listen(bind_tcp(), backlog);
}

Listening begin_to_listen(Listening bound, int backlog) {
    if (::listen(bound.socket.get(), backlog) != 0) fail("listen");
    return bound;
}

Listening bind_tcp() {
    Listening listening{Descriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}, 0};
    auto address = loopback(0);
    socklen_t length = sizeof address;
    if (::bind(listening.socket.get(), generic(address), sizeof address) != 0
        || ::getsockname(listening.socket.get(), reinterpret_cast<sockaddr*>(&address), &length)
               != 0)
        fail("bind");
    listening.port = ntohs(address.sin_port);
    return listening;
}

Descriptor listen_unix(std::filesystem::path const& path) {
    Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    auto const address = unix_address(path);
    if (::bind(socket.get(), generic(address), sizeof address) != 0
        || ::listen(socket.get(), long_backlog) != 0)
        fail("listen on " + path.string());
    return socket;
}

} // namespace sallyport::test
