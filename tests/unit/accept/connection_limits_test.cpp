// The limits on connections, and which addresses are counted together.
#include "gateway/accept/connection_limits.h"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

namespace connection_limits_test {

using namespace sallyport::accept;

TEST_CASE("connections are limited in total and per address") {
    ConnectionLimits limits{3, 2};
    CHECK(limits.admit("192.0.2.1") == Admission::admitted);
    CHECK(limits.admit("192.0.2.1") == Admission::admitted);
    CHECK(limits.admit("192.0.2.1") == Admission::too_many_from_address);
    CHECK(limits.admit("192.0.2.2") == Admission::admitted);
    CHECK(limits.admit("192.0.2.3") == Admission::too_many);
    limits.release("192.0.2.1");
    CHECK(limits.admit("192.0.2.1") == Admission::admitted);
    // For an address at its own limit that limit is reported first.
    CHECK(limits.admit("192.0.2.1") == Admission::too_many_from_address);
}

TEST_CASE("addresses of one 64-bit IPv6 network are counted together, others are not") {
    ConnectionLimits limits{100, 2};
    CHECK(limits.admit("2001:db8:1:2::1") == Admission::admitted);
    CHECK(limits.admit("2001:db8:1:2:ffff:ffff:ffff:ffff") == Admission::admitted);
    CHECK(limits.admit("2001:db8:1:2:3::") == Admission::too_many_from_address);
    CHECK(limits.admit("2001:db8:1:3::1") == Admission::admitted);
    CHECK(limits.admit("::1") == Admission::admitted);
    limits.release("2001:db8:1:2::1");
    CHECK(limits.admit("2001:db8:1:2::7") == Admission::admitted);
    // Text that is not an address, as for a unix socket, counts as itself.
    CHECK(limits.admit("") == Admission::admitted);
}

TEST_CASE("a connection that replaces another is counted, or refused, like any other") {
    ConnectionLimits limits{2, 2};
    CHECK(limits.admit("192.0.2.1") == Admission::admitted);
    CHECK(limits.admit("192.0.2.2") == Admission::admitted);
    CHECK(limits.admit("192.0.2.3") == Admission::too_many);
    CHECK(limits.replace("192.0.2.1", "192.0.2.3") == Admission::admitted);
    CHECK(limits.admit("192.0.2.1") == Admission::too_many);
    limits.set(1, 2);
    // The replaced connection is not counted any more, whatever the result.
    CHECK(limits.replace("192.0.2.2", "192.0.2.4") == Admission::too_many);
    limits.release("192.0.2.3");
    CHECK(limits.admit("192.0.2.4") == Admission::admitted);
}

TEST_CASE("connections that wait to replace another are limited") {
    ConnectionLimits limits{1, 1};
    {
        std::vector<ConnectionLimits::Search> searches;
        while (auto search = limits.begin_search())
            searches.push_back(std::move(*search));
        CHECK(searches.size() == 256);
        searches.pop_back();
        CHECK(limits.begin_search());
        CHECK(limits.begin_search());
    }
    CHECK(limits.begin_search());
}

} // namespace connection_limits_test
