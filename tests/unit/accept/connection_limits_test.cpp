// How many connections there may be, and who is counted as one.
#include "gateway/accept/connection_limits.h"

#include <catch2/catch.hpp>

using namespace sallyport::accept;

TEST_CASE("connections are limited in all, and from each address") {
    ConnectionLimits limits{3, 2};
    CHECK(limits.admit("192.0.2.1") == Admission::admitted);
    CHECK(limits.admit("192.0.2.1") == Admission::admitted);
    CHECK(limits.admit("192.0.2.1") == Admission::too_many_from_address);
    CHECK(limits.admit("192.0.2.2") == Admission::admitted);
    CHECK(limits.admit("192.0.2.3") == Admission::too_many);
    limits.release("192.0.2.1");
    CHECK(limits.admit("192.0.2.1") == Admission::admitted);
    CHECK(limits.refused() == 2);
}

TEST_CASE("addresses of one IPv6 network of 64 bits are counted together, others are not") {
    ConnectionLimits limits{100, 2};
    CHECK(limits.admit("2001:db8:1:2::1") == Admission::admitted);
    CHECK(limits.admit("2001:db8:1:2:ffff:ffff:ffff:ffff") == Admission::admitted);
    CHECK(limits.admit("2001:db8:1:2:3::") == Admission::too_many_from_address);
    CHECK(limits.admit("2001:db8:1:3::1") == Admission::admitted);
    CHECK(limits.admit("::1") == Admission::admitted);
    limits.release("2001:db8:1:2::1");
    CHECK(limits.admit("2001:db8:1:2::7") == Admission::admitted);
    // What is no address is itself, as of a unix socket.
    CHECK(limits.admit("") == Admission::admitted);
}
