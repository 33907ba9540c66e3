// Listening sockets, opened here or inherited, and what their connections inherit.
#include "gateway/accept/listening_socket.h"

#include "tests/support/channel.h"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace listening_socket_test {

using namespace sallyport;
using namespace sallyport::accept;

namespace {

config::Address const loopback{"127.0.0.1", 0};
constexpr std::size_t most = 512UL << 10;

std::uint16_t port_of(Listening const& listening) {
    return static_cast<std::uint16_t>(
        std::stoul(listening.address.substr(listening.address.rfind(':') + 1)));
}

// How many bytes of one response the kernel accepts for a client that does not read.
std::size_t taken_for_who_does_not_read(Listening const& listening) {
    auto const client = test::connect_tcp(port_of(listening), test::ReceiveBuffer::tiny);
    net::FileDescriptor const accepted{
        ::accept4(listening.descriptor.get(), nullptr, nullptr, SOCK_NONBLOCK)};
    REQUIRE(accepted.get() >= 0);
    std::string const piece(64UL << 10, 'x');
    std::size_t taken = 0;
    for (ssize_t sent = 1; sent > 0; taken += sent > 0 ? static_cast<std::size_t>(sent) : 0)
        sent = ::send(accepted.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
    return taken;
}

} // namespace

TEST_CASE("the kernel accepts only a part of a response that its client does not read") {
    auto const opened = open_listener(loopback);
    REQUIRE(opened.problem.empty());
    SECTION("on a socket opened here") {
        CHECK(taken_for_who_does_not_read(opened.listening) < most);
    }
    SECTION("on a socket inherited from a program without this limit") {
        int const unlimited = 0;
        int const descriptor = opened.listening.descriptor.get();
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unlimited, sizeof unlimited);
        REQUIRE(taken_for_who_does_not_read(opened.listening) > most);
        InheritedSockets inherited{{{"public", ::dup(descriptor)}}};
        CHECK(taken_for_who_does_not_read(inherited.take("public", loopback)) < most);
    }
}

} // namespace listening_socket_test
