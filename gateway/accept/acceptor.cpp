// Accepts the connections of one listener and hands each to the worker that has the fewest.
#include "gateway/accept/acceptor.h"

#include "gateway/observe/access_record.h"

#include <boost/asio/ip/address.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace sallyport::accept {

namespace {

constexpr int backlog = 4096; // the kernel cuts it to net.core.somaxconn
/// In one go, so that a flood of connections does not keep those that are there from being served.
constexpr int most_at_once = 64;
constexpr std::chrono::milliseconds pause_time{100};

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* data() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress to_socket_address(config::Address const& address) {
    SocketAddress result;
    auto const ip = net::asio::ip::make_address(address.ip);
    if (ip.is_v4()) {
        auto& v4 = reinterpret_cast<sockaddr_in&>(result.storage);
        v4.sin_family = AF_INET;
        v4.sin_port = htons(address.port);
        v4.sin_addr.s_addr = htonl(ip.to_v4().to_uint());
        result.size = sizeof v4;
    } else {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(result.storage);
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(address.port);
        auto const bytes = ip.to_v6().to_bytes();
        std::memcpy(&v6.sin6_addr, bytes.data(), bytes.size());
        result.size = sizeof v6;
    }
    return result;
}

/// An IPv4 client of an IPv6 socket keeps its IPv4 address: limits and logs know one spelling of
/// it.
net::Peer to_peer(SocketAddress const& from) {
    net::Peer peer;
    if (from.storage.ss_family == AF_INET) {
        auto const& v4 = reinterpret_cast<sockaddr_in const&>(from.storage);
        peer.address = net::asio::ip::make_address_v4(ntohl(v4.sin_addr.s_addr)).to_string();
        peer.port = ntohs(v4.sin_port);
    } else if (from.storage.ss_family == AF_INET6) {
        auto const& v6 = reinterpret_cast<sockaddr_in6 const&>(from.storage);
        net::asio::ip::address_v6::bytes_type bytes;
        std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
        net::asio::ip::address_v6 const address{bytes};
        peer.address =
            address.is_v4_mapped()
                ? net::asio::ip::make_address_v4(net::asio::ip::v4_mapped, address).to_string()
                : address.to_string();
        peer.port = ntohs(v6.sin6_port);
    }
    return peer;
}

std::string spell(config::Address const& address, std::uint16_t port) {
    bool const is_ipv6 = address.ip.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + address.ip + "]" : address.ip) + ":" + std::to_string(port);
}

} // namespace

Opened open_listener(config::Address const& address) {
    auto to = to_socket_address(address);
    auto const failed = [&](char const* what) {
        return Opened{{},
                      "cannot " + std::string{what} + " " + spell(address, address.port) + ": "
                          + std::system_category().message(errno)};
    };
    net::FileDescriptor descriptor{
        ::socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!descriptor) return failed("open a socket for");
    int const on = 1;
    // A restart binds while connections of the last run are still in TIME_WAIT.
    ::setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(descriptor.get(), to.data(), to.size) != 0) return failed("bind");
    if (::listen(descriptor.get(), backlog) != 0) return failed("listen on");
    SocketAddress bound;
    if (::getsockname(descriptor.get(), bound.data(), &bound.size) != 0) return failed("look at");
    auto const port = to_peer(bound).port;
    return Opened{{std::move(descriptor), spell(address, port)}, {}};
}

Acceptor::Acceptor(net::Executor executor, Listening listening, std::size_t listener,
                   std::span<std::unique_ptr<Worker> const> workers, ConnectionLimits& limits,
                   observe::LogRing& ring, observe::ControlLog& control_log)
    : descriptor_{executor, listening.descriptor.release()}, pause_{executor},
      address_{std::move(listening.address)}, listener_{listener}, workers_{workers},
      limits_{limits}, ring_{ring}, control_log_{control_log} {}

void Acceptor::start() {
    wait();
}

void Acceptor::stop() {
    pause_.cancel();
    boost::system::error_code ignored;
    descriptor_.close(ignored);
}

void Acceptor::wait() {
    descriptor_.async_wait(net::asio::posix::descriptor_base::wait_read, [this](net::Error error) {
        if (!error && descriptor_.is_open()) accept_all();
    });
}

void Acceptor::accept_all() {
    for (int i = 0; i < most_at_once; ++i) {
        SocketAddress from;
        net::FileDescriptor descriptor{::accept4(descriptor_.native_handle(), from.data(),
                                                 &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (descriptor) {
            accepted(std::move(descriptor), to_peer(from));
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            pause(errno);
            return;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) break;
        // Everything else is the fate of one connection that ended before it was accepted:
        // accept(2).
    }
    wait();
}

void Acceptor::pause(int error) {
    // Waiting for the socket would only spin: it stays readable. Connections wait in the kernel
    // meanwhile.
    if (trouble_lines_.take(observe::RateCap::Clock::now()) == observe::Pass::yes) {
        auto const what = std::system_category().message(error);
        control_log_.write(observe::Severity::error, "accept_paused",
                           {{"listener", address_}, {"what", what}});
    }
    pause_.expires_after(pause_time);
    pause_.async_wait([this](net::Error aborted) {
        if (!aborted && descriptor_.is_open()) accept_all();
    });
}

void Acceptor::accepted(net::FileDescriptor descriptor, net::Peer peer) {
    if (limits_.admit(peer.address) != Admission::admitted) {
        refuse(std::move(descriptor), peer);
        return;
    }
    least_busy().hand_over({std::move(descriptor), std::move(peer), listener_});
}

void Acceptor::refuse(net::FileDescriptor descriptor, net::Peer const& peer) {
    // A reset costs nothing here and tells the client at once.
    linger const at_once{1, 0};
    ::setsockopt(descriptor.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (refused_lines_.take(observe::RateCap::Clock::now()) == observe::Pass::no) return;
    observe::AccessRecord record;
    record.time = std::chrono::system_clock::now();
    record.worker = static_cast<std::uint32_t>(workers_.size());
    record.seq = ring_.take_seq();
    record.client = peer.address;
    record.reason = pipeline::word(pipeline::Reason::too_many_connections);
    static_cast<void>(ring_.push(observe::format_access_line(record, line_)));
}

Worker& Acceptor::least_busy() const {
    auto const fewest =
        std::min_element(workers_.begin(), workers_.end(), [](auto const& left, auto const& right) {
            return left->open_connections() < right->open_connections();
        });
    return **fewest;
}

} // namespace sallyport::accept
