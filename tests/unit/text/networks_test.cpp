// Addresses and networks: both families, masks within a byte, and what is refused.
#include "gateway/text/networks.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string_view>

namespace networks_test {

using namespace sallyport::text;

namespace {

Network network(std::string_view text) {
    auto const parsed = parse_network(text);
    REQUIRE(parsed.error == NetworkError::none);
    return parsed.network;
}

bool has(std::string_view of, std::string_view address) {
    auto const bits = parse_ip(address);
    REQUIRE(bits);
    return network(of).has(*bits);
}

AddressRules rules(std::initializer_list<std::string_view> allow,
                   std::initializer_list<std::string_view> deny) {
    AddressRules made;
    for (auto const text : allow)
        made.allow.push_back(network(text));
    for (auto const text : deny)
        made.deny.push_back(network(text));
    return made;
}

} // namespace

TEST_CASE("what is no network is refused") {
    for (auto const text :
         {"", "/", "/8", "a", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
          "10.0.0.0/08", "10.0.0.0/8 ", " 10.0.0.0/8", "10.0.0/8", "10.0.0.0/8/8", "010.0.0.0/8",
          "2001:db8::/129", "2001:db8::/a", "2001:db8:::/32", "[::1]", "fe80::1%eth0", "::1:",
          "10.0.0.0/255.0.0.0", "1.2.3.4.5", "*"}) {
        CAPTURE(text);
        CHECK(parse_network(text).error == NetworkError::malformed);
    }
    using namespace std::string_view_literals;
    CHECK(parse_network("10.0.0.0\0/8"sv).error == NetworkError::malformed);
}

TEST_CASE("bits behind the length of a network are refused") {
    for (auto const text : {"10.0.0.1/8", "10.0.0.0/4", "192.0.2.129/24", "2001:db8::1/32",
                            "2001:db8::/31", "::1/0"}) {
        CAPTURE(text);
        bool const is_fine = std::string_view{text} == "2001:db8::/31"; // 0x0db8 is even
        CHECK((parse_network(text).error == NetworkError::has_host_bits) != is_fine);
    }
}

TEST_CASE("a network has the addresses that begin as it does") {
    CHECK(has("10.0.0.0/8", "10.255.0.1"));
    CHECK_FALSE(has("10.0.0.0/8", "11.0.0.0"));
    CHECK(has("192.0.2.128/25", "192.0.2.128"));
    CHECK_FALSE(has("192.0.2.128/25", "192.0.2.127"));
    CHECK(has("192.0.2.1", "192.0.2.1"));
    CHECK_FALSE(has("192.0.2.1/32", "192.0.2.2"));
    CHECK(has("0.0.0.0/0", "255.255.255.255"));
    CHECK(has("2001:db8::/33", "2001:db8:7fff::1"));
    CHECK_FALSE(has("2001:db8::/33", "2001:db8:8000::1"));
    CHECK(has("::1", "0:0:0:0:0:0:0:1"));
    CHECK(has("::/0", "2001:db8::1"));
}

TEST_CASE("an address of IPv4 is the same in both spellings, and no other address of IPv6") {
    CHECK(has("192.0.2.0/24", "::ffff:192.0.2.7"));
    CHECK(has("::ffff:192.0.2.0/120", "192.0.2.7"));
    CHECK_FALSE(has("0.0.0.0/0", "::1"));
    CHECK(parse_ip("fe80::1%eth0") == parse_ip("fe80::1"));
}

TEST_CASE("what is denied does not pass where it is allowed too") {
    CHECK(rules({}, {}).admit("192.0.2.1"));
    CHECK(rules({"192.0.2.0/24"}, {}).admit("192.0.2.1"));
    CHECK_FALSE(rules({"192.0.2.0/24"}, {}).admit("192.0.3.1"));
    CHECK_FALSE(rules({"192.0.2.0/24"}, {"192.0.2.1"}).admit("192.0.2.1"));
    CHECK(rules({"192.0.2.0/24"}, {"192.0.2.1"}).admit("192.0.2.2"));
    CHECK_FALSE(rules({}, {"::/0"}).admit("2001:db8::1"));
    CHECK(rules({}, {"2001:db8::/32"}).admit("192.0.2.1"));
}

TEST_CASE("an address that cannot be read passes no rules") {
    CHECK_FALSE(rules({"::/0"}, {}).admit(""));
    CHECK_FALSE(rules({}, {"192.0.2.1"}).admit("unknown"));
}

} // namespace networks_test
