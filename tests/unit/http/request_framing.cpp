// The fields for a request's host, its body and its connection, and which values are refused.
#include "request_rows.h"

namespace request_framing {

using namespace sallyport::http;
using namespace sallyport::http::test;
using namespace std::string_literals;
using namespace std::string_view_literals;

TEST_CASE("exactly one Host with a valid value is needed") {
    check({
        {"none", with_host(""), "missing_host"},
        {"none in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "missing_host"},
        {"none, with an absolute target", "GET http://a/ HTTP/1.1\r\n\r\n", "missing_host"},
        {"two", with_host("Host: a\r\nHost: b\r\n"), "repeated_host"},
        {"two alike", with_host("Host: a\r\nhost: a\r\n"), "repeated_host"},
        {"two, others between", with_host("Host: a\r\nX: y\r\nHOST: a\r\n"), "repeated_host"},
        {"empty", with_host("Host:\r\n"), "malformed_host"},
        {"white space", with_host("Host:  \r\n"), "malformed_host"},
        {"a list", with_host("Host: a, b\r\n"), "malformed_host"},
        {"two words", with_host("Host: a b\r\n"), "malformed_host"},
        {"a path", with_host("Host: a/b\r\n"), "malformed_host"},
        {"userinfo", with_host("Host: u@a\r\n"), "malformed_host"},
        {"a URI", with_host("Host: http://a\r\n"), "malformed_host"},
        {"a query", with_host("Host: a?b\r\n"), "malformed_host"},
        {"a fragment", with_host("Host: a#b\r\n"), "malformed_host"},
        {"no host, a port", with_host("Host: :80\r\n"), "malformed_host"},
        {"a port with letters", with_host("Host: a:8x\r\n"), "malformed_host"},
        {"a port beyond 65535", with_host("Host: a:65536\r\n"), "malformed_host"},
        {"two ports", with_host("Host: a:80:80\r\n"), "malformed_host"},
        {"a sign", with_host("Host: a:+80\r\n"), "malformed_host"},
        {"an open bracket", with_host("Host: [::1\r\n"), "malformed_host"},
        {"no brackets", with_host("Host: ::1\r\n"), "malformed_host"},
        {"beyond ASCII", with_host("Host: \xc3\xa9\r\n"), "malformed_host"},
        {"an escape", with_host("Host: a%2eb\r\n"), "malformed_host"},
        {"a name", with_host("Host: a.example\r\n"), "none keep"},
        {"with a port", with_host("Host: a.example:8443\r\n"), "none keep"},
        {"IPv4", with_host("Host: 127.0.0.1:80\r\n"), "none keep"},
        {"IPv6", with_host("Host: [::1]:80\r\n"), "none keep"},
        {"last", "GET / HTTP/1.1\r\nX: y\r\nHost: a\r\n\r\n", "none keep"},
    });
}

TEST_CASE("Transfer-Encoding and Content-Length together are refused in any order") {
    check({
        {"TE first", with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
         "transfer_encoding_and_content_length"},
        {"CL first", with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
         "transfer_encoding_and_content_length"},
        {"CL 0", with_fields("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"),
         "transfer_encoding_and_content_length"},
        {"a TE that is no chunked", with_fields("Content-Length: 5\r\nTransfer-Encoding: x\r\n"),
         "transfer_encoding_and_content_length"},
        {"an empty TE", with_fields("Content-Length: 5\r\nTransfer-Encoding:\r\n"),
         "transfer_encoding_and_content_length"},
        {"a malformed CL", with_fields("Content-Length: x\r\nTransfer-Encoding: chunked\r\n"),
         "transfer_encoding_and_content_length"},
        {"others between",
         with_fields("TRANSFER-ENCODING: chunked\r\nX: y\r\ncontent-length: 5\r\n"),
         "transfer_encoding_and_content_length"},
    });
}

TEST_CASE("Transfer-Encoding is exactly one chunked, and not in HTTP/1.0") {
    for (auto const value :
         {"gzip", "identity", "chunked, chunked", "chunked,chunked", "\"chunked\"", "gzip, chunked",
          "chunked, gzip", "chunked;q=1", "chunked,", ",chunked", "xchunked", "chunkedx", "chunke",
          "'chunked'", "chunked chunked", "x", "", "compress", "deflate"}) {
        INFO(value);
        CHECK(judge_request(with_fields("Transfer-Encoding: "s + value + "\r\n"))
              == "transfer_encoding_not_chunked");
    }
    check({
        {"twice", with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
         "repeated_transfer_encoding"},
        {"twice, one is identity",
         with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
         "repeated_transfer_encoding"},
        {"twice, one is empty", with_fields("Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n"),
         "repeated_transfer_encoding"},
        {"HTTP/1.0", with_fields("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.0"),
         "transfer_encoding_in_http_1_0"},
        {"once", with_fields("Transfer-Encoding: chunked\r\n"), "chunked keep"},
        {"in other letters", with_fields("tRANSFER-eNCODING:CHUNKED\r\n"), "chunked keep"},
        {"with white space", with_fields("Transfer-Encoding:\t chunked \t\r\n"), "chunked keep"},
        {"with GET", with_fields("Transfer-Encoding: chunked\r\n", "GET / HTTP/1.1"),
         "chunked keep"},
    });
}

TEST_CASE("Content-Length is one run of digits, given once") {
    for (auto const value : {"+5",
                             "-5",
                             "5, 5",
                             "5,5",
                             "5, 6",
                             "5;",
                             "0x5",
                             "5.0",
                             "5 5",
                             "5a",
                             "a5",
                             "",
                             "\"5\"",
                             "5,",
                             ",5",
                             "1e3",
                             "\xd9\xa5",
                             "9223372036854775808",
                             "18446744073709551616",
                             "18446744073709551621",
                             "99999999999999999999999999999999"}) {
        INFO(value);
        CHECK(judge_request(with_fields("Content-Length: "s + value + "\r\n"))
              == "malformed_content_length");
    }
    check({
        {"twice", with_fields("Content-Length: 5\r\nContent-Length: 6\r\n"),
         "repeated_content_length"},
        {"twice alike", with_fields("Content-Length: 5\r\ncontent-length: 5\r\n"),
         "repeated_content_length"},
        {"twice, one is empty", with_fields("Content-Length: 5\r\nContent-Length:\r\n"),
         "repeated_content_length"},
        {"once", with_fields("Content-Length: 5\r\n"), "length 5 keep"},
        {"none of them", with_fields("Content-Length: 0\r\n"), "none keep"},
        {"leading zeros", with_fields("Content-Length: 0000000000000000000000005\r\n"),
         "length 5 keep"},
        {"the largest", with_fields("Content-Length: 9223372036854775807\r\n"),
         "length 9223372036854775807 keep"},
        {"more than the default limits of Beast", with_fields("Content-Length: 10000000\r\n"),
         "length 10000000 keep"},
        {"white space around", with_fields("Content-Length: \t5 \r\n"), "length 5 keep"},
        {"with GET", with_fields("Content-Length: 5\r\n", "GET / HTTP/1.1"), "length 5 keep"},
        {"in HTTP/1.0", with_fields("Content-Length: 5\r\n", "POST / HTTP/1.0"), "length 5 close"},
        {"absent", with_fields(""), "none keep"},
    });
}

TEST_CASE("the connection stays open if both sides support it") {
    check({
        {"1.1", with_fields(""), "none keep"},
        {"1.1 close", with_fields("Connection: close\r\n"), "none close"},
        {"1.1 Close", with_fields("Connection: Close\r\n"), "none close"},
        {"1.1 keep-alive", with_fields("Connection: keep-alive\r\n"), "none keep"},
        {"close among others", with_fields("Connection: te, close ,x\r\n"), "none close"},
        {"close in a second line", with_fields("Connection: te\r\nConnection: close\r\n"),
         "none close"},
        {"close wins", with_fields("Connection: close, keep-alive\r\n"), "none close"},
        {"close wins over a later line",
         with_fields("Connection: close\r\nConnection: keep-alive\r\n"), "none close"},
        {"1.0", with_fields("", "GET / HTTP/1.0"), "none close"},
        {"1.0 keep-alive", with_fields("Connection: Keep-Alive\r\n", "GET / HTTP/1.0"),
         "none keep"},
        {"1.0 both", with_fields("Connection: keep-alive, close\r\n", "GET / HTTP/1.0"),
         "none close"},
        {"empty elements", with_fields("Connection: , ,close,\r\n"), "none close"},
        {"a word that contains close", with_fields("Connection: closed\r\n"), "none keep"},
        {"no token", with_fields("Connection: a b\r\n"), "malformed_connection"},
        {"a parameter", with_fields("Connection: close;q=1\r\n"), "malformed_connection"},
        {"quoted", with_fields("Connection: \"close\"\r\n"), "malformed_connection"},
        {"no token in a second line", with_fields("Connection: close\r\nConnection: a/b\r\n"),
         "malformed_connection"},
    });
}

TEST_CASE("Connection has 32 elements at most, empty ones and all lines of it counted") {
    auto const times = [](std::size_t count, std::string_view text) {
        std::string all;
        for (std::size_t i = 0; i < count; ++i)
            all += text;
        return all;
    };
    check({
        {"32", with_fields("Connection: " + times(31, "a,") + "close\r\n"), "none close"},
        {"33", with_fields("Connection: " + times(32, "a,") + "close\r\n"),
         "too_many_connection_elements"},
        {"32 empty ones", with_fields("Connection: " + times(31, ",") + "\r\n"), "none keep"},
        {"33 empty ones", with_fields("Connection: " + times(32, ",") + "\r\n"),
         "too_many_connection_elements"},
        {"32 lines", with_fields(times(31, "Connection: a\r\n") + "Connection: close\r\n"),
         "none close"},
        {"33 lines", with_fields(times(32, "Connection: a\r\n") + "Connection: close\r\n"),
         "too_many_connection_elements"},
        {"33 empty lines", with_fields(times(33, "Connection:\r\n")),
         "too_many_connection_elements"},
        {"33 in two lines",
         with_fields("Connection: " + times(31, "a,") + "b\r\nConnection: close\r\n"),
         "too_many_connection_elements"},
    });
}

TEST_CASE("no expectation but 100-continue is supported") {
    check({
        {"another", with_fields("Expect: 200-ok\r\n"), "unknown_expectation"},
        {"empty", with_fields("Expect:\r\n"), "unknown_expectation"},
        {"a list", with_fields("Expect: 100-continue, 100-continue\r\n"), "unknown_expectation"},
        {"with a parameter", with_fields("Expect: 100-continue;x\r\n"), "unknown_expectation"},
        {"twice", with_fields("Expect: 100-continue\r\nExpect: 100-continue\r\n"),
         "unknown_expectation"},
        {"another, then 100-continue", with_fields("Expect: x\r\nExpect: 100-continue\r\n"),
         "unknown_expectation"},
        {"another in HTTP/1.0", with_fields("Expect: x\r\n", "POST / HTTP/1.0"),
         "unknown_expectation"},
        {"with a body", with_fields("Expect: 100-continue\r\nContent-Length: 5\r\n"),
         "length 5 keep expect"},
        {"with chunks", with_fields("Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n"),
         "chunked keep expect"},
        {"without a body", with_fields("Expect: 100-continue\r\n"), "none keep"},
        {"in HTTP/1.0",
         with_fields("Expect: 100-continue\r\nContent-Length: 5\r\n", "POST / HTTP/1.0"),
         "length 5 close"},
    });
    auto const refused = parse_request(with_fields("Expect: x\r\n")).refused;
    CHECK(refused->kind == RefusalKind::expectation_failed);
}

TEST_CASE("a repeated Content-Type is refused as an unknown media type") {
    auto const parsed = parse_request(
        with_fields("Content-Type: application/json\r\nContent-Type: text/plain\r\n"));
    REQUIRE(parsed.refused);
    CHECK(parsed.refused->rule == "repeated_content_type");
    CHECK(parsed.refused->kind == RefusalKind::unsupported_media_type);
    CHECK(judge_request(with_fields("Content-Type: text/plain\r\n")) == "none keep");
}

TEST_CASE("upgrades are not a refusal: they are not forwarded, and so do not happen") {
    check({
        {"h2c",
         with_fields("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                     "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"),
         "none keep"},
        {"websocket", with_fields("Connection: upgrade\r\nUpgrade: websocket\r\n"), "none keep"},
    });
}

} // namespace request_framing
