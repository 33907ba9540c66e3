// The key by which the use of shared resources is counted per caller.
#include "double.h"

#include "gateway/pipeline/caller.h"

#include <catch2/catch.hpp>

namespace caller_test {

using namespace sallyport::pipeline;
using sallyport::pipeline::test::Fixture;

TEST_CASE("a caller is an IPv4 address, or a 64-bit IPv6 network") {
    auto const ipv4 = caller_of_address("192.0.2.1");
    CHECK(caller_of_address("192.0.2.1") == ipv4);
    CHECK(caller_of_address("192.0.2.2") != ipv4);
    auto const ipv6 = caller_of_address("2001:db8:1:2:3:4:5:6");
    CHECK(caller_of_address("2001:db8:1:2::1") == ipv6);
    CHECK(caller_of_address("2001:db8:1:3:3:4:5:6") != ipv6);
    CHECK(caller_of_address("2001:db8:1:2::") == ipv6);
}

TEST_CASE("a credential is a caller of its own, from any address, and equals no address") {
    Fixture one{"GET / HTTP/1.1\r\nHost: h\r\n\r\n"};
    one.client.caller = caller_of_address("192.0.2.1");
    CHECK(one.exchange.caller() == caller_of_address("192.0.2.1"));
    CredentialTable table;
    Credential credential;
    credential.identity.name = "192.0.2.1";
    table.add("basic", {"id"}, credential);
    credential.identity.name = "other";
    table.add("bearer", {"a key"}, credential);
    auto const now = std::chrono::system_clock::now();
    auto const* const found = table.find("bearer", "a key", now).valid();
    REQUIRE(found != nullptr);
    one.exchange.decision.caller = &found->identity;
    CHECK(one.exchange.caller() == caller_of_credential("other"));
    CHECK(caller_of_credential("192.0.2.1") != caller_of_address("192.0.2.1"));
    CHECK(caller_of_credential("192.0.2.1") != caller_of_credential("other"));
}

} // namespace caller_test
