// The parts of the test harness that need the system's network headers.
#include "tests/unit/net/harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace sallyport::net::test {

std::pair<FileDescriptor, FileDescriptor> make_tcp_pair() {
    FileDescriptor const listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener.get(), generic, size) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    REQUIRE(::getsockname(listener.get(), generic, &size) == 0);
    FileDescriptor near(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(near.get(), generic, size) == 0);
    FileDescriptor far(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(far);
    return {std::move(near), std::move(far)};
}

} // namespace sallyport::net::test
