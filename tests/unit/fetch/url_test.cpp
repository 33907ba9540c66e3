// Which URLs the gateway requests, and how they are read.
#include "gateway/fetch/url.h"

#include <catch2/catch.hpp>

namespace url_test {

using namespace sallyport::fetch;

TEST_CASE("a URL that is not plain is refused with the reason") {
    struct Row {
        std::string text;
        std::string_view problem;
    };
    auto const row = GENERATE(values<Row>({
        {"", "does not begin with https://"},
        {"issuer.example/keys", "does not begin with https://"},
        {"ftp://issuer.example/", "does not begin with https://"},
        {"HTTPS://issuer.example/", "does not begin with https://"},
        {"https://", "has no valid host and port"},
        {"https:///keys", "has no valid host and port"},
        {"https://:443/", "has no valid host and port"},
        {"https://issuer.example:0/", "has no valid host and port"},
        {"https://issuer.example:65536/", "has no valid host and port"},
        {"https://issuer.example:x/", "has no valid host and port"},
        {"https://issuer..example/", "has no valid host and port"},
        {"https://[::1/", "has no valid host and port"},
        {"https://[fe80::1%25eth0]/", "has no valid host and port"},
        {"https://user:secret@issuer.example/", "has a user name or a password"},
        {"https://issuer.example/keys#1", "has a fragment"},
        {"https://issuer.example/a b", "has a character that must be escaped"},
        {"https://issuer.example/a\r\nX: y", "has a character that must be escaped"},
        {"https://issuer.example/?a=\x01", "has a character that must be escaped"},
        {"https://issuer.example/\xc3\xa4", "has a character that must be escaped"},
        {"https://issuer.example/a/../b", "has a path or a query that is not plain"},
        {"https://issuer.example/a%2fb", "has a path or a query that is not plain"},
        {"https://issuer.example/?a=%zz", "has a path or a query that is not plain"},
        {"https://issuer.example/" + std::string(2048, 'a'), "is longer than 2,048 bytes"},
    }));
    INFO(row.text);
    CHECK(parse_url(row.text).problem == row.problem);
}

TEST_CASE("a URL is read into what a request needs") {
    auto const parsed = parse_url("https://Issuer.Example./oauth2/keys?p=policy&x=%20");
    REQUIRE(parsed.problem == "");
    CHECK(parsed.url
          == Url{Url::Scheme::https, "issuer.example", 443, "issuer.example", "/oauth2/keys",
                 "?p=policy&x=%20"});
    CHECK(text_of(parsed.url) == "https://issuer.example/oauth2/keys");
}

TEST_CASE("a port of its own is part of the authority, the scheme's is not") {
    CHECK(parse_url("https://a.example:8443").url
          == Url{Url::Scheme::https, "a.example", 8443, "a.example:8443", "/", ""});
    CHECK(parse_url("https://a.example:443/x").url.authority == "a.example");
    CHECK(parse_url("http://a.example:443/x").url.authority == "a.example:443");
    CHECK(parse_url("http://a.example").url
          == Url{Url::Scheme::http, "a.example", 80, "a.example", "/", ""});
}

TEST_CASE("an IPv6 address has brackets in the authority alone") {
    CHECK(parse_url("https://[2001:db8::1]:8443/k").url
          == Url{Url::Scheme::https, "2001:db8::1", 8443, "[2001:db8::1]:8443", "/k", ""});
}

} // namespace url_test
