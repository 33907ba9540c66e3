// The processes that listen on a port: sockets of this very process.
#include "gateway/commands/socket_holders.h"

#include "gateway/net/descriptor.h"

#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <unistd.h>

namespace socket_holders_test {

using namespace sallyport;
using namespace sallyport::commands;

namespace {

struct Listening {
    net::FileDescriptor descriptor;
    std::uint16_t port = 0;
};

Listening listen_at(char const* ip) {
    boost::asio::ip::tcp::endpoint at{boost::asio::ip::make_address(ip), 0};
    Listening made{
        net::FileDescriptor{::socket(at.data()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0)}, 0};
    if (!made.descriptor) return made;
    auto size = static_cast<socklen_t>(at.capacity());
    bool const listens =
        ::bind(made.descriptor.get(), at.data(), static_cast<socklen_t>(at.size())) == 0
        && ::listen(made.descriptor.get(), 1) == 0
        && ::getsockname(made.descriptor.get(), at.data(), &size) == 0;
    REQUIRE(listens);
    made.port = at.port();
    return made;
}

bool is_in_the_way(Listening const& listening, std::string const& ip) {
    auto const found = sockets_in_the_way_of({ip, listening.port});
    REQUIRE(found.is_known);
    if (found.sockets.empty()) return false;
    CHECK(found.sockets.size() == 1);
    CHECK(found.sockets[0].owner == ::getuid());
    CHECK(found.sockets[0].holders == std::vector<pid_t>{::getpid()});
    return true;
}

} // namespace

TEST_CASE("a listening socket occupies its own address and the address of all") {
    auto const listening = listen_at("127.0.0.1");
    CHECK(is_in_the_way(listening, "127.0.0.1"));
    CHECK(is_in_the_way(listening, "0.0.0.0"));
    CHECK(is_in_the_way(listening, "::")); // has the addresses of IPv4 as well
    CHECK_FALSE(is_in_the_way(listening, "127.0.0.2"));
    CHECK_FALSE(is_in_the_way(listening, "::1"));
    auto other = listening.port;
    CHECK(sockets_in_the_way_of({"127.0.0.1", ++other}).sockets.empty());
}

TEST_CASE("a socket for all addresses occupies each of them") {
    auto const listening = listen_at("0.0.0.0");
    CHECK(is_in_the_way(listening, "127.0.0.1"));
    CHECK(is_in_the_way(listening, "127.0.0.2"));
    CHECK_FALSE(is_in_the_way(listening, "::1"));
}

TEST_CASE("an IPv6 socket occupies its own family, and both if it is for all addresses") {
    auto const one = listen_at("::1");
    if (!one.descriptor) return; // a machine without IPv6
    CHECK(is_in_the_way(one, "::1"));
    CHECK(is_in_the_way(one, "::"));
    CHECK_FALSE(is_in_the_way(one, "127.0.0.1"));
    auto const all = listen_at("::");
    CHECK(is_in_the_way(all, "::1"));
    CHECK(is_in_the_way(all, "127.0.0.1"));
    CHECK(is_in_the_way(all, "0.0.0.0"));
}

TEST_CASE("a process has the name of its command") {
    CHECK(name_of_process(::getpid()) == "unit_commands");
    CHECK(name_of_process(0) == "process");
}

} // namespace socket_holders_test
