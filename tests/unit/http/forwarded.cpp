// Whose request it is that came through trusted proxies.
#include "gateway/http/forwarded.h"

#include "heads.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>

namespace forwarded {

namespace {

using namespace sallyport::http;
using sallyport::http::test::parse_request;

constexpr ForwardedFields all_x{false, true, true, true};
constexpr ForwardedFields rfc_7239{true, false, false, false};

TrustedProxies trusting(ForwardedFields fields) {
    TrustedProxies proxies;
    for (auto const* const network : {"10.0.0.0/8", "2001:db8:1::/48"})
        proxies.networks.push_back(sallyport::text::parse_network(network).network);
    proxies.fields = fields;
    return proxies;
}

// "ADDRESS", "ADDRESS https HOST", or the name of the violated rule.
std::string client_of(std::string_view fields, ForwardedFields which = all_x,
                      std::string_view peer = "10.0.0.1") {
    auto const parsed =
        parse_request("GET / HTTP/1.1\r\nHost: a\r\n" + std::string{fields} + "\r\n");
    if (parsed.refused != nullptr) return "head: " + std::string{parsed.refused->rule};
    ForwardedClient client;
    auto const refused = read_forwarded(parsed.head->fields, trusting(which), peer, client);
    if (refused != nullptr) return std::string{refused->rule};
    auto text = client.address;
    if (client.is_https) text += *client.is_https ? " https" : " http";
    if (client.host) text += " " + std::string{client.host->text};
    return text;
}

std::string x_for(std::string_view value, std::string_view peer = "10.0.0.1") {
    return client_of("X-Forwarded-For: " + std::string{value} + "\r\n", all_x, peer);
}

std::string forwarded(std::string_view value) {
    return client_of("Forwarded: " + std::string{value} + "\r\n", rfc_7239);
}

} // namespace

TEST_CASE("the client is the last address that is no trusted proxy, whatever stands before it") {
    CHECK(x_for("192.0.2.1") == "192.0.2.1");
    CHECK(x_for("198.51.100.1, 192.0.2.1") == "192.0.2.1");
    CHECK(x_for("198.51.100.1, 192.0.2.1, 10.9.9.9") == "192.0.2.1");
    CHECK(x_for("198.51.100.1,192.0.2.1 ,\t10.9.9.9,10.2.2.2") == "192.0.2.1");
    CHECK(x_for("nonsense, , 192.0.2.1, 10.9.9.9") == "192.0.2.1");
    CHECK(x_for("2001:db8::1, 2001:db8:1::2") == "2001:db8::1");
    // All are trusted: the one that has asked first.
    CHECK(x_for("10.3.3.3, 10.2.2.2") == "10.3.3.3");
    CHECK(x_for("10.3.3.3") == "10.3.3.3");
}

TEST_CASE("several lines are one list, in their order") {
    CHECK(client_of("X-Forwarded-For: 198.51.100.1\r\nX-Other: 1\r\n"
                    "x-forwarded-for: 192.0.2.1\r\nX-Forwarded-For: 10.2.2.2\r\n")
          == "192.0.2.1");
    CHECK(client_of("Forwarded: for=198.51.100.1\r\nForwarded: for=192.0.2.1, for=10.2.2.2\r\n",
                    rfc_7239)
          == "192.0.2.1");
}

TEST_CASE("without a field the client is the proxy itself") {
    CHECK(client_of("") == "10.0.0.1");
    CHECK(client_of("", rfc_7239) == "10.0.0.1");
    CHECK(client_of("X-Forwarded-For: 192.0.2.1\r\n", rfc_7239) == "10.0.0.1");
    CHECK(client_of("Forwarded: for=192.0.2.1\r\n") == "10.0.0.1");
    CHECK(client_of("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n",
                    {false, false, true, false})
          == "10.0.0.1 https");
}

TEST_CASE("addresses have one spelling, with or without a port") {
    CHECK(x_for("192.0.2.1:443") == "192.0.2.1");
    CHECK(x_for("[2001:DB8:0:0::1]:443") == "2001:db8::1");
    CHECK(x_for("[2001:db8::1]") == "2001:db8::1");
    CHECK(x_for("2001:db8:0:0:0:0:0:1") == "2001:db8::1");
    CHECK(x_for("::ffff:192.0.2.1") == "192.0.2.1");
    CHECK(x_for("::ffff:10.1.1.1") == "10.1.1.1");
    CHECK(x_for("192.0.2.1, ::ffff:10.1.1.1") == "192.0.2.1"); // a trusted proxy in this form too
}

TEST_CASE("an element on the way to the client that is no address is refused") {
    for (auto const* const value : {"",
                                    ",",
                                    "192.0.2.1,",
                                    "192.0.2.1, ,10.2.2.2",
                                    "unknown",
                                    "_hidden",
                                    "host.example",
                                    "192.0.2",
                                    "192.0.2.256",
                                    "192.0.2.01",
                                    "192.0.2.1:",
                                    "192.0.2.1:a",
                                    "192.0.2.1:123456",
                                    "[192.0.2.1]",
                                    "[2001:db8::1",
                                    "2001:db8::1]",
                                    "[2001:db8::1]x",
                                    "[2001:db8::1]:",
                                    "fe80::1%eth0",
                                    "[fe80::1%25eth0]",
                                    "192.0.2.1 10.2.2.2",
                                    "\"192.0.2.1\"",
                                    "for=192.0.2.1",
                                    "192.0.2.1;10.2.2.2",
                                    "192.0.2.1, unknown, 10.2.2.2"}) {
        CAPTURE(value);
        CHECK(x_for(value) == "forwarded_address");
    }
}

TEST_CASE("a port is a number of 16 bits") {
    CHECK(x_for("192.0.2.1:0") == "192.0.2.1");
    CHECK(x_for("192.0.2.1:65535") == "192.0.2.1");
    CHECK(x_for("[2001:db8::1]:00080") == "2001:db8::1");
    CHECK(forwarded("for=\"192.0.2.1:65535\"") == "192.0.2.1");
    for (std::string const node : {"192.0.2.1:65536", "192.0.2.1:99999", "[2001:db8::1]:65536"}) {
        CAPTURE(node);
        CHECK(x_for(node) == "forwarded_address");
        CHECK(forwarded("for=\"" + node + '"') == "forwarded_address");
    }
    CHECK(client_of("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Host: a:65536\r\n")
          == "forwarded_malformed");
    CHECK(forwarded("for=192.0.2.1;host=\"a:65536\"") == "forwarded_malformed");
}

TEST_CASE("scheme and host are those of the client's element, or were set once") {
    auto const three = std::string{"X-Forwarded-For: 198.51.100.1, 192.0.2.1, 10.2.2.2\r\n"};
    CHECK(client_of(three + "X-Forwarded-Proto: https\r\n") == "192.0.2.1 https");
    CHECK(client_of(three + "X-Forwarded-Proto: http, HTTPS, http\r\n") == "192.0.2.1 https");
    CHECK(client_of(three + "X-Forwarded-Proto: https, http\r\n") == "192.0.2.1 https");
    CHECK(client_of(three + "X-Forwarded-Proto: nonsense, wss, http\r\n") == "192.0.2.1 https");
    CHECK(client_of(three + "X-Forwarded-Proto: https, ws, https\r\n") == "192.0.2.1 http");
    CHECK(client_of(three + "X-Forwarded-Host: evil, api.example:8443, b\r\n")
          == "192.0.2.1 api.example:8443");
    CHECK(client_of("X-Forwarded-Proto: https\r\nX-Forwarded-Host: b\r\n") == "10.0.0.1 https b");
    // A client's own, to which the proxy has added.
    CHECK(client_of("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https, http\r\n")
          == "192.0.2.1 http");
    CHECK(client_of(three + "X-Forwarded-Host: evil\r\n", {false, true, true, false})
          == "192.0.2.1");
    for (auto const* const bad : {"X-Forwarded-Proto: ftp\r\n", "X-Forwarded-Proto: https;\r\n",
                                  "X-Forwarded-Host: a/b\r\n", "X-Forwarded-Host: u@a\r\n"}) {
        CAPTURE(bad);
        CHECK(client_of(three + bad) == "forwarded_malformed");
    }
}

TEST_CASE("a scheme or host of the client that is empty is refused, and not as if it were absent") {
    auto const three = std::string{"X-Forwarded-For: 198.51.100.1, 192.0.2.1, 10.2.2.2\r\n"};
    for (std::string const field : {"X-Forwarded-Proto: ", "X-Forwarded-Host: "}) {
        for (std::string const value : {"", ",", "http, , http", "http, \t, http"}) {
            CAPTURE(field, value);
            CHECK(client_of(three + field + value + "\r\n") == "forwarded_malformed");
        }
        // Also where it stands alone.
        CHECK(client_of(field + "\r\n") == "forwarded_malformed");
        CHECK(client_of(field + "http,\r\n") == "forwarded_malformed");
    }
    // What does not count is not looked at, nor what the client itself has written.
    CHECK(client_of(three + "X-Forwarded-Proto:\r\n", {false, true, false, false}) == "192.0.2.1");
    CHECK(client_of(three + "X-Forwarded-Proto: , https, http\r\n") == "192.0.2.1 https");
    CHECK(client_of("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: , https\r\n")
          == "192.0.2.1 https");
}

TEST_CASE("Forwarded is read as RFC 7239 writes it") {
    CHECK(forwarded("for=192.0.2.1") == "192.0.2.1");
    CHECK(forwarded("For=\"192.0.2.1:4711\"") == "192.0.2.1");
    CHECK(forwarded("for=\"[2001:db8:cafe::17]:4711\"") == "2001:db8:cafe::17");
    CHECK(forwarded("for=192.0.2.60;proto=http;by=203.0.113.43") == "192.0.2.60 http");
    CHECK(forwarded("for=198.51.100.1;proto=http, for=192.0.2.1;Proto=https;host=api.example , "
                    "for=10.2.2.2;proto=http;host=inner")
          == "192.0.2.1 https api.example");
    CHECK(forwarded("host=\"api.example:443\";for=192.0.2.1;secret=\"a, b; for=1\"")
          == "192.0.2.1 api.example:443");
    CHECK(forwarded("for=192.0.2.1;;by=_x;") == "192.0.2.1");
    CHECK(forwarded("for=192.0.2.1, for=10.2.2.2;proto=https;host=inner") == "192.0.2.1");
    CHECK(forwarded("for=_hidden, for=192.0.2.1") == "192.0.2.1");
}

TEST_CASE(
    "white space of Forwarded is taken around elements, and behind a semicolon, where it is sent") {
    CHECK(forwarded("for=192.0.2.1; proto=https; host=a, \t for=10.2.2.2 \t")
          == "192.0.2.1 https a");
    CHECK(forwarded("for=192.0.2.1;\tproto=https; ,for=10.2.2.2") == "192.0.2.1 https");
    for (auto const* const value :
         {"for=192.0.2.1 ;proto=https", "for=192.0.2.1\t; proto=https", "for=192.0.2.1 proto=https",
          "for=192.0.2.1;proto =https", "for=192.0.2.1;proto= https"}) {
        CAPTURE(value);
        CHECK(forwarded(value) == "forwarded_malformed");
    }
}

TEST_CASE("a Forwarded that readers may take apart differently is refused") {
    for (auto const* const value :
         {"for", "for=", "for=\"\"", "=192.0.2.1", "for =192.0.2.1", "for= 192.0.2.1",
          "for=192.0.2.1;for=192.0.2.2", "for=\"192.0.2.1", "for=192.0.2.1\"",
          "for=\"192.0.2.\\1\"", "for=[2001:db8::1]", "for=192.0.2.1 for=192.0.2.2",
          "for=192.0.2.1:80", "for=\"192.0.2.1\"x",
          // A stranger's quote must not swallow the proxy's element.
          "for=\", for=192.0.2.1", "x=\", for=192.0.2.1;by=\"a\""}) {
        CAPTURE(value);
        CHECK(forwarded(value) == "forwarded_malformed");
    }
    for (auto const* const value : {"", ",", "proto=https", "for=unknown", "for=_hidden",
                                    "for=\"_hidden:80\"", "for=\"2001:db8::1\"", "for=host.example",
                                    "for=192.0.2.1,", "for=192.0.2.1, by=10.0.0.1"}) {
        CAPTURE(value);
        CHECK(forwarded(value) == "forwarded_address");
    }
    CHECK(forwarded("for=192.0.2.1;proto=ftp") == "forwarded_malformed");
    CHECK(forwarded("for=192.0.2.1;host=\"a b\"") == "forwarded_malformed");
}

TEST_CASE("as many proxies in a row are read as the limit says") {
    std::string proxies;
    for (std::size_t i = 1; i < max_forwarded_hops; ++i)
        proxies += ", 10.2.2.2";
    CHECK(x_for("192.0.2.1" + proxies) == "192.0.2.1");
    CHECK(x_for("198.51.100.1, 192.0.2.1" + proxies) == "192.0.2.1");
    CHECK(x_for("192.0.2.1, 10.2.2.2" + proxies) == "forwarded_too_long");
    std::string elements;
    for (std::size_t i = 1; i < max_forwarded_hops; ++i)
        elements += ", for=10.2.2.2";
    CHECK(forwarded("for=192.0.2.1" + elements) == "192.0.2.1");
    CHECK(forwarded("for=198.51.100.1, for=192.0.2.1" + elements) == "192.0.2.1");
    CHECK(forwarded("for=192.0.2.1, for=10.2.2.2" + elements) == "forwarded_too_long");
}

} // namespace forwarded
