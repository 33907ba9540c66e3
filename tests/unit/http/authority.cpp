// Authorities: valid ones, equality, and the form of hosts for routes.
#include "gateway/http/authority.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>

namespace authority {

using namespace sallyport::http;

TEST_CASE("text that is not a host with an optional port is not an authority") {
    for (auto const text : {"",
                            ":",
                            ":80",
                            "a:b",
                            "a:-1",
                            "a:65536",
                            "a:123456",
                            "a:80 ",
                            " a",
                            "a b",
                            "a,b",
                            "a/b",
                            "a?b",
                            "a#b",
                            "a@b",
                            "@a",
                            "a:80:80",
                            "a:80@b",
                            "[",
                            "]",
                            "[]",
                            "[::1",
                            "::1",
                            "[::1]80",
                            "[::1]:x",
                            "[::g]",
                            "[1.2.3.4]",
                            "[::1%25eth0]",
                            "[fe80::1%eth0]",
                            "[v1.a]",
                            "[::1]]",
                            "a]",
                            ".",
                            "..",
                            ".a",
                            "a..b",
                            "a%2eb",
                            "a!b",
                            "a$b",
                            "a&b",
                            "a'b",
                            "a(b",
                            "a*b",
                            "a+b",
                            "a;b",
                            "a=b",
                            "a\\b",
                            "a\"b",
                            "a<b",
                            "a|b",
                            "\xc3\xa9",
                            "http://a"}) {
        INFO(text);
        CHECK(!parse_authority(text));
    }
    CHECK(!parse_authority(std::string(max_host_size + 1, 'a')));
    CHECK(!parse_authority(std::string(1000, ':')));
    CHECK(!parse_authority("[" + std::string(1000, ':') + "]"));
}

TEST_CASE("an authority is split into host and port") {
    struct Case {
        std::string_view text, host;
        std::optional<std::uint16_t> port;
    };
    for (auto const& c : {
             Case{"a", "a", {}},
             Case{"a.b-c.example", "a.b-c.example", {}},
             Case{"service_name:8080", "service_name", 8080},
             Case{"A.Example:443", "A.Example", 443},
             Case{"a.", "a.", {}},
             Case{"a:", "a", {}},
             Case{"a:00080", "a", 80},
             Case{"a:65535", "a", 65535},
             Case{"127.0.0.1:80", "127.0.0.1", 80},
             Case{"[::1]", "[::1]", {}},
             Case{"[2001:db8::1]:8443", "[2001:db8::1]", 8443},
             Case{"[::ffff:1.2.3.4]:1", "[::ffff:1.2.3.4]", 1},
             Case{"~", "~", {}},
         }) {
        INFO(c.text);
        auto const authority = parse_authority(c.text);
        REQUIRE(authority);
        CHECK(authority->text == c.text);
        CHECK(authority->host == c.host);
        CHECK(authority->port == c.port);
    }
    CHECK(parse_authority(std::string(max_host_size, 'a')));
}

TEST_CASE("authorities are the same in any letter case, with the same port") {
    auto const same = [](std::string_view a, std::string_view b) {
        return is_same_authority(*parse_authority(a), *parse_authority(b));
    };
    CHECK(!same("a", "b"));
    CHECK(!same("a", "a:80"));
    CHECK(!same("a:80", "a:81"));
    CHECK(!same("a", "a."));
    CHECK(same("A.b:80", "a.B:0080"));
    CHECK(same("a", "a:"));
}

TEST_CASE("a host is compared in lower case and without the root's dot") {
    std::array<char, 9> storage{};
    auto const normalized = [&](std::string_view text) {
        return std::string{normalized_host(*parse_authority(text), storage)};
    };
    CHECK(normalized("A.Example:80") == "a.example");
    CHECK(normalized("A.Example.") == "a.example");
    CHECK(normalized("[::F]:1") == "[::f]");
    CHECK(normalized("too.long.for.it") == "");
}

} // namespace authority
