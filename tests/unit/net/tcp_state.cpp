// Reads more of tcp_info than the structure of <netinet/tcp.h> has.
#include "tests/unit/net/tcp_state.h"

#include <catch2/catch.hpp>

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace sallyport::net::test {

int held_back(int tcp_socket) {
    int unsent = -1;
    REQUIRE(::ioctl(tcp_socket, SIOCOUTQNSD, &unsent) == 0);
    return unsent;
}

unsigned segments_sent(int tcp_socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    REQUIRE(::getsockopt(tcp_socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0);
    return info.tcpi_data_segs_out;
}

} // namespace sallyport::net::test
