// Hosts, and origins as browsers send them.
#include "gateway/text/origin.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace origin_test {

using namespace sallyport::text;

TEST_CASE("an origin is a scheme, a host and another port than the scheme's") {
    for (auto const* const text :
         {"https://app.example.com", "http://localhost", "http://localhost:3000", "https://a_b-c.d",
          "https://192.0.2.1:65535", "http://[2001:db8::1]", "http://[::1]:8080",
          "chrome-extension://abcdefgh", "http://a.example:443"}) {
        INFO(text);
        CHECK(judge_origin(text) == OriginFault::none);
    }
    for (auto const* const text : {"",
                                   "*",
                                   "null",
                                   "app.example.com",
                                   "://a",
                                   "1a://b",
                                   "-a://b",
                                   "a_b://c",
                                   "https://",
                                   "https://A.example",
                                   "HTTPS://a.example",
                                   "https://a..b",
                                   "https://.a",
                                   "https://a.",
                                   "https://*.example.com",
                                   "https://a b",
                                   "https://a@b",
                                   "https://a?b",
                                   "https://a#b",
                                   "https://[1.2.3.4]",
                                   "https://[::1",
                                   "https://[::1%eth0]",
                                   "https://[]",
                                   "https://a%20b",
                                   "https://\xc3\xa4.example"}) {
        INFO(text);
        CHECK(judge_origin(text) == OriginFault::malformed);
    }
    CHECK(judge_origin("https://a.example/") == OriginFault::has_path);
    for (auto const* const text : {"https://a:", "https://a:0", "https://a:65536", "https://a:+1",
                                   "https://a:8443x", "https://[::1]:0"}) {
        INFO(text);
        CHECK(judge_origin(text) == OriginFault::bad_port);
    }
    CHECK(judge_origin("https://a:443") == OriginFault::default_port);
    CHECK(judge_origin("http://a:80") == OriginFault::default_port);
}

TEST_CASE("a host has at most 253 characters, and an address in brackets has no zone") {
    CHECK(is_host(std::string(253, 'a')));
    CHECK_FALSE(is_host(std::string(254, 'a')));
    CHECK(is_host("[::ffff:192.0.2.1]"));
    CHECK_FALSE(is_host("[fe80::1%1]"));
    CHECK_FALSE(is_host("::1"));
    CHECK_FALSE(is_host(std::string_view{"a\0b", 3}));
}

} // namespace origin_test
