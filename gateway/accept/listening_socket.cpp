// Listening sockets: opened here, or taken over from a predecessor or from systemd.
#include "gateway/accept/listening_socket.h"

#include <boost/asio/ip/address.hpp>

#include <systemd/sd-daemon.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace sallyport::accept {

namespace {

namespace ip = net::asio::ip;

constexpr int backlog = 4096; // the kernel reduces it to net.core.somaxconn

// How much of a response the kernel accepts before the client's window has room for it: otherwise a
// client that does not read makes it hold three megabytes, and a thousand of them use up the
// machine's TCP memory (tcp_mem of tcp(7)).
constexpr int most_unsent = 128 << 10;

// Inherited by every connection accepted here.
void limit_unsent(int descriptor) {
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most_unsent, sizeof most_unsent);
}

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* data() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress to_socket_address(config::Address const& address) {
    SocketAddress result;
    auto const parsed = ip::make_address(address.ip);
    if (parsed.is_v4()) {
        auto& v4 = reinterpret_cast<sockaddr_in&>(result.storage);
        v4.sin_family = AF_INET;
        v4.sin_port = htons(address.port);
        v4.sin_addr.s_addr = htonl(parsed.to_v4().to_uint());
        result.size = sizeof v4;
    } else {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(result.storage);
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(address.port);
        auto const bytes = parsed.to_v6().to_bytes();
        std::memcpy(&v6.sin6_addr, bytes.data(), bytes.size());
        result.size = sizeof v6;
    }
    return result;
}

ip::address_v6 v6_address(sockaddr_in6 const& from) {
    ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &from.sin6_addr, bytes.size());
    return ip::address_v6{bytes};
}

config::Address to_address(sockaddr_storage const& from) {
    if (from.ss_family == AF_INET6) {
        auto const& v6 = reinterpret_cast<sockaddr_in6 const&>(from);
        return {v6_address(v6).to_string(), ntohs(v6.sin6_port)};
    }
    auto const& v4 = reinterpret_cast<sockaddr_in const&>(from);
    return {ip::make_address_v4(ntohl(v4.sin_addr.s_addr)).to_string(), ntohs(v4.sin_port)};
}

std::string spell(config::Address const& address, std::uint16_t port) {
    bool const is_ipv6 = address.ip.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + address.ip + "]" : address.ip) + ":" + std::to_string(port);
}

} // namespace

net::Peer to_peer(sockaddr_storage const& from) {
    net::Peer peer;
    if (from.ss_family == AF_INET) {
        auto const address = to_address(from);
        peer.address = address.ip;
        peer.port = address.port;
    } else if (from.ss_family == AF_INET6) {
        auto const& v6 = reinterpret_cast<sockaddr_in6 const&>(from);
        auto const address = v6_address(v6);
        peer.address = address.is_v4_mapped()
                           ? ip::make_address_v4(ip::v4_mapped, address).to_string()
                           : address.to_string();
        peer.port = ntohs(v6.sin6_port);
    }
    return peer;
}

bool listens(int descriptor) {
    int value = 0;
    socklen_t size = sizeof value;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0;
}

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
    // A restart can bind while old connections are still in TIME_WAIT.
    ::setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    limit_unsent(descriptor.get());
    if (::bind(descriptor.get(), to.data(), to.size) != 0) return failed("bind");
    if (::listen(descriptor.get(), backlog) != 0) return failed("listen on");
    SocketAddress bound;
    if (::getsockname(descriptor.get(), bound.data(), &bound.size) != 0) return failed("look at");
    return Opened{{std::move(descriptor), spell(address, to_address(bound.storage).port)}, {}};
}

void InheritedSockets::add(int descriptor, std::string name) {
    SocketAddress bound;
    net::FileDescriptor owned{descriptor};
    bool const is_good =
        listens(descriptor) && ::getsockname(descriptor, bound.data(), &bound.size) == 0
        && (bound.storage.ss_family == AF_INET || bound.storage.ss_family == AF_INET6);
    if (!is_good) return;
    limit_unsent(descriptor);
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    sockets_.push_back({std::move(name), to_address(bound.storage), std::move(owned)});
}

InheritedSockets::InheritedSockets(std::vector<NamedDescriptor> const& of_predecessor) {
    char** names = nullptr;
    int const count = ::sd_listen_fds_with_names(1, &names);
    for (int i = 0; i < count; ++i) {
        add(SD_LISTEN_FDS_START + i, names[i]);
        std::free(names[i]);
    }
    std::free(names);
    for (auto const& socket : of_predecessor)
        add(socket.descriptor, socket.name);
}

Listening InheritedSockets::take(std::string_view name, config::Address const& address) {
    auto const fits = [&](Socket const& socket) {
        // Port 0 means any port, hence the predecessor's.
        bool const is_there = socket.bound.ip == address.ip
                              && (address.port == socket.bound.port || address.port == 0);
        return is_there && (address.port != 0 || socket.name == name);
    };
    auto const found = std::find_if(sockets_.begin(), sockets_.end(), fits);
    if (found == sockets_.end()) return {};
    Listening taken{std::move(found->descriptor), spell(found->bound, found->bound.port)};
    sockets_.erase(found);
    return taken;
}

std::vector<std::string> InheritedSockets::left_over() const {
    std::vector<std::string> texts;
    for (auto const& socket : sockets_)
        texts.push_back(spell(socket.bound, socket.bound.port));
    return texts;
}

} // namespace sallyport::accept
