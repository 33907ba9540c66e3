// The framing policy for responses of upstreams, on the wire.
#include "heads.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace response_policy {

namespace {

using namespace sallyport::http;
using sallyport::http::test::judge_response;
using namespace std::string_literals;

struct Case {
    std::string_view what;
    std::string bytes;
    std::string_view expected;
    ResponseTo request = ResponseTo::other;
};

void check(std::vector<Case> const& cases) {
    for (auto const& c : cases) {
        INFO(c.what);
        CHECK(judge_response(c.bytes, c.request) == c.expected);
    }
}

std::string with_line(std::string_view line) {
    return std::string{line} + "\r\nContent-Length: 5\r\n\r\n";
}

std::string with_fields(std::string_view fields, std::string_view line = "HTTP/1.1 200 OK") {
    return std::string{line} + "\r\n" + std::string{fields} + "\r\n";
}

} // namespace

TEST_CASE("a malformed status line makes a response invalid") {
    check({
        {"no status", with_line("HTTP/1.1"), "malformed_status_line"},
        {"two digits", with_line("HTTP/1.1 20 OK"), "malformed_status_line"},
        {"four digits", with_line("HTTP/1.1 2000 OK"), "malformed_status_line"},
        {"letters", with_line("HTTP/1.1 2x0 OK"), "malformed_status_line"},
        {"another character behind the status", with_line("HTTP/1.1 200;"), "malformed_status_line"},
        {"two spaces", with_line("HTTP/1.1  200 OK"), "malformed_status_line"},
        {"a sign", with_line("HTTP/1.1 +20 OK"), "malformed_status_line"},
        {"a tab", with_line("HTTP/1.1\t200 OK"), "malformed_status_line"},
        {"a tab behind the status", with_line("HTTP/1.1 200\tOK"), "malformed_status_line"},
        {"HTTP/2", with_line("HTTP/2 200 OK"), "malformed_status_line"},
        {"HTTP/2.0", with_line("HTTP/2.0 200 OK"), "unsupported_version"},
        {"HTTP/1.2", with_line("HTTP/1.2 200 OK"), "unsupported_version"},
        {"HTTP/0.9", with_line("HTTP/0.9 200 OK"), "unsupported_version"},
        {"lower case", with_line("http/1.1 200 OK"), "unsupported_version"},
        {"ICY", with_line("ICY 200 OK"), "malformed_status_line"},
        {"a control character", with_line("HTTP/1.1 200 O\x01K"), "control_character"},
        {"an empty line before", "\r\n" + with_line("HTTP/1.1 200 OK"), "malformed_status_line"},
        {"a body without a head", "<html>\r\n\r\n", "malformed_status_line"},
        {"no reason", with_line("HTTP/1.1 200 "), "length 5 keep declared 5"},
        {"a long reason", with_line("HTTP/1.1 200 All is well"), "length 5 keep declared 5"},
        {"a reason beyond ASCII", with_line("HTTP/1.1 200 \xc3\xa9"), "length 5 keep declared 5"},
    });
}

TEST_CASE("a status without a reason needs no space behind it, in all versions of HTTP/1") {
    for (auto const line : {"HTTP/1.1 200", "HTTP/1.0 200"}) {
        INFO(line);
        // Beside fields that Beast reads too.
        for (std::string const fields : {"Content-Length: 5\r\n", "X-A:\tb\r\nContent-Length: 5\r\n"})
            CHECK(judge_response(with_fields(fields, line))
                  == judge_response(with_fields(fields, line + " OK"s)));
    }
    CHECK(judge_response(with_line("HTTP/1.1 200")) == "length 5 keep declared 5");
}

TEST_CASE("a status outside of 100 to 599 makes a response invalid, and so does 101") {
    for (auto const status : {"000", "099", "600", "999", "001"}) {
        INFO(status);
        CHECK(judge_response(with_line("HTTP/1.1 "s + status + " X")) == "status_out_of_range");
    }
    CHECK(judge_response(with_fields("Upgrade: h2c\r\nConnection: upgrade\r\n",
                                     "HTTP/1.1 101 Switching Protocols"))
          == "unasked_upgrade");
    CHECK(judge_response(with_line("HTTP/1.1 599 X")) == "length 5 keep declared 5");
    CHECK(judge_response(with_fields("", "HTTP/1.1 100 Continue")) == "none keep");
}

TEST_CASE("the lines of a response's head are as strict as those of a request's") {
    check({
        {"bare LF", "HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\n", "bare_line_feed"},
        {"bare CR", with_fields("X: a\rb\r\n"), "bare_carriage_return"},
        {"NUL", with_fields("X: a"s + '\0' + "b\r\n"), "control_character"},
        {"obs-fold", with_fields("X: a\r\n b\r\n"), "obs_fold"},
        {"white space before the colon", with_fields("Content-Length : 5\r\n"),
         "white_space_before_colon"},
        {"no colon", with_fields("X\r\n"), "field_without_colon"},
        {"no name", with_fields(": a\r\n"), "empty_field_name"},
        {"no token", with_fields("X Y: a\r\n"), "field_name_not_token"},
        {"not whole", "HTTP/1.1 200 OK\r\nX: y\r\n", "incomplete_head"},
        {"underscores are the client's business", with_fields("Content_Length: 5\r\n"),
         "until_close close"},
    });
    HeadLimits limits;
    limits.fields = 1;
    CHECK(judge_response(with_fields("X: y\r\nX: y\r\n"), ResponseTo::other, limits)
          == "too_many_fields");
    limits.line = 15;
    CHECK(judge_response(with_fields("X: 0123456789abcdef\r\n"), ResponseTo::other, limits)
          == "line_too_long");
    limits.head = 20;
    CHECK(judge_response(with_fields("X: 0123\r\n"), ResponseTo::other, limits)
          == "head_too_large");
}

TEST_CASE("a response whose length is unclear is invalid") {
    check({
        {"both", with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
         "transfer_encoding_and_content_length"},
        {"both, the other order",
         with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
         "transfer_encoding_and_content_length"},
        {"gzip", with_fields("Transfer-Encoding: gzip\r\n"), "transfer_encoding_not_chunked"},
        {"identity", with_fields("Transfer-Encoding: identity\r\n"),
         "transfer_encoding_not_chunked"},
        {"gzip, chunked", with_fields("Transfer-Encoding: gzip, chunked\r\n"),
         "transfer_encoding_not_chunked"},
        {"chunked, chunked", with_fields("Transfer-Encoding: chunked, chunked\r\n"),
         "transfer_encoding_not_chunked"},
        {"quoted", with_fields("Transfer-Encoding: \"chunked\"\r\n"),
         "transfer_encoding_not_chunked"},
        {"twice", with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
         "repeated_transfer_encoding"},
        {"in HTTP/1.0", with_fields("Transfer-Encoding: chunked\r\n", "HTTP/1.0 200 OK"),
         "transfer_encoding_in_http_1_0"},
        {"two lengths", with_fields("Content-Length: 5\r\nContent-Length: 5\r\n"),
         "repeated_content_length"},
        {"a list", with_fields("Content-Length: 5, 5\r\n"), "malformed_content_length"},
        {"a sign", with_fields("Content-Length: +5\r\n"), "malformed_content_length"},
        {"too large", with_fields("Content-Length: 18446744073709551617\r\n"),
         "malformed_content_length"},
        {"empty", with_fields("Content-Length:\r\n"), "malformed_content_length"},
        {"Connection that is no list", with_fields("Content-Length: 5\r\nConnection: a b\r\n"),
         "malformed_connection"},
        {"Connection of 33 elements",
         with_fields("Content-Length: 5\r\nConnection: " + std::string(32, ',') + "\r\n"),
         "too_many_connection_elements"},
    });
}

TEST_CASE("a response that only Beast refuses is invalid") {
    auto const bytes = with_fields("Proxy-Connection: a b\r\nContent-Length: 5\r\n");
    ResponseHead head;
    REQUIRE(!apply_response_policy(bytes, {}, ResponseTo::other, head));
    CHECK(judge_response(bytes) == "second_opinion");
}

TEST_CASE("a response's body is found by chunks, by length or by the end of the connection") {
    check({
        {"chunked", with_fields("Transfer-Encoding: chunked\r\n"), "chunked keep"},
        {"length", with_fields("Content-Length: 5\r\n"), "length 5 keep declared 5"},
        {"more than Beast's default limit", with_fields("Content-Length: 100000000\r\n"),
         "length 100000000 keep declared 100000000"},
        {"none", with_fields("Content-Length: 0\r\n"), "none keep declared 0"},
        {"neither", with_fields(""), "until_close close"},
        {"neither, keep-alive", with_fields("Connection: keep-alive\r\n"), "until_close close"},
        {"close", with_fields("Content-Length: 5\r\nConnection: close\r\n"),
         "length 5 close declared 5"},
        {"1.0", with_fields("Content-Length: 5\r\n", "HTTP/1.0 200 OK"),
         "length 5 close declared 5"},
        {"1.0 keep-alive",
         with_fields("Content-Length: 5\r\nConnection: keep-alive\r\n", "HTTP/1.0 200 OK"),
         "length 5 keep declared 5"},
    });
}

TEST_CASE("responses to HEAD, 1xx, 204 and 304 have no body whatever their fields say") {
    check({
        {"HEAD, length", with_fields("Content-Length: 5\r\n"), "none keep declared 5",
         ResponseTo::head},
        {"HEAD, chunked", with_fields("Transfer-Encoding: chunked\r\n"), "none keep",
         ResponseTo::head},
        {"HEAD, neither", with_fields(""), "none keep", ResponseTo::head},
        {"HEAD, faulty all the same", with_fields("Content-Length: x\r\n"),
         "malformed_content_length", ResponseTo::head},
        {"204", with_fields("", "HTTP/1.1 204 No Content"), "none keep"},
        {"204, length 0", with_fields("Content-Length: 0\r\n", "HTTP/1.1 204 No Content"),
         "none keep"},
        {"204, a length", with_fields("Content-Length: 5\r\n", "HTTP/1.1 204 No Content"),
         "length_without_body"},
        {"204, chunked", with_fields("Transfer-Encoding: chunked\r\n", "HTTP/1.1 204 No Content"),
         "length_without_body"},
        {"304", with_fields("", "HTTP/1.1 304 Not Modified"), "none keep"},
        {"304, a length", with_fields("Content-Length: 5\r\n", "HTTP/1.1 304 Not Modified"),
         "none keep declared 5"},
        {"304, chunked", with_fields("Transfer-Encoding: chunked\r\n", "HTTP/1.1 304 Not Modified"),
         "none keep"},
        {"100", with_fields("", "HTTP/1.1 100 Continue"), "none keep"},
        {"103", with_fields("Link: </a>\r\n", "HTTP/1.1 103 Early Hints"), "none keep"},
        {"100, a length", with_fields("Content-Length: 5\r\n", "HTTP/1.1 100 Continue"),
         "length_without_body"},
        {"102, chunked", with_fields("Transfer-Encoding: chunked\r\n", "HTTP/1.1 102 Processing"),
         "length_without_body"},
        {"205 has none either, but says so by its length",
         with_fields("Content-Length: 0\r\n", "HTTP/1.1 205 Reset Content"),
         "none keep declared 0"},
    });
}

TEST_CASE("an interim response is a head of its own, and the final one follows") {
    std::string const bytes =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    ResponseHead head;
    REQUIRE(!parse_response_head(bytes, {}, ResponseTo::other, head));
    CHECK(head.status == 100);
    auto const rest = std::string_view{bytes}.substr(head.size);
    REQUIRE(!parse_response_head(rest, {}, ResponseTo::other, head));
    CHECK(head.status == 200);
    CHECK(head.reason == "OK");
    CHECK(head.framing.body.length == 5);
    CHECK(max_interim_responses == 10);
}

TEST_CASE("nothing of an earlier head is left in one that is parsed into the same place") {
    ResponseHead head;
    REQUIRE(
        !parse_response_head(with_fields("Content-Length: 5\r\n"), {}, ResponseTo::other, head));
    std::string const next = with_fields("", "HTTP/1.1 204 No Content");
    REQUIRE(!parse_response_head(next, {}, ResponseTo::other, head));
    CHECK(!head.framing.declared_length);
    CHECK(head.fields.size() == 0);
    CHECK(!head.fields.has(FieldId::content_length));
}

} // namespace response_policy
