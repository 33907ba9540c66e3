// Heads: their end, and their content.
#include "heads.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace head {

using namespace sallyport::http;
using sallyport::http::test::parse_request;

TEST_CASE("the end of a head is found however its bytes arrive") {
    std::string const head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    std::string const bytes = head + "body\r\n\r\n";
    for (std::size_t first = 0; first <= bytes.size(); ++first) {
        for (std::size_t second = first; second <= bytes.size(); ++second) {
            INFO(first << ", " << second);
            std::string_view const view{bytes};
            auto end = find_end_of_head(view.substr(0, first), 0);
            CHECK(end == (first >= head.size() ? head.size() : no_end));
            if (end != no_end) continue;
            end = find_end_of_head(view.substr(0, second), first);
            CHECK(end == (second >= head.size() ? head.size() : no_end));
        }
    }
}

TEST_CASE("a bare line feed ends the wait for more bytes, because no valid head follows") {
    CHECK(find_end_of_head("GET / HTTP/1.1\nHo", 0) == 15);
    CHECK(find_end_of_head("\n", 0) == 1);
    CHECK(find_end_of_head("GET / HTTP/1.1\r\nHost: a\n", 16) == 24);
    CHECK(find_end_of_head("GET / HTTP/1.1\r\nHost: a\r\n\n", 25) == 26);
}

TEST_CASE("an empty line before the request does not end its head, two do") {
    CHECK(find_end_of_head("\r\n", 0) == no_end);
    CHECK(find_end_of_head("\r\nGET", 2) == no_end);
    CHECK(find_end_of_head("\r\n\r\n", 0) == 4);
}

TEST_CASE(
    "fields are found by id and by name, in any letter case, without the white space around") {
    auto const parsed = parse_request("GET /a HTTP/1.1\r\nhOST: \t a:80 \t\r\nX-Team:  b c\t\r\n"
                                      "cookie: 1\r\nEmpty:\r\nCookie: 2\r\n\r\n");
    REQUIRE(!parsed.refused);
    auto const& fields = parsed.head->fields;
    REQUIRE(fields.size() == 5);
    CHECK(fields.find(FieldId::host) == "a:80");
    CHECK(fields.find("x-team") == "b c");
    CHECK(fields.find("X-TEAM") == "b c");
    CHECK(fields.find("empty") == "");
    CHECK(!fields.find("x-tea"));
    CHECK(!fields.find(FieldId::authorization));
    CHECK(fields.find(FieldId::cookie) == "1");
    CHECK(fields.count(FieldId::cookie) == 2);
    CHECK(fields.count(FieldId::host) == 1);
    CHECK(fields.count(FieldId::authorization) == 0);
    CHECK(fields.is_repeated(FieldId::cookie));
    CHECK(!fields.is_repeated(FieldId::host));
    CHECK(!fields.is_repeated(FieldId::authorization));
    CHECK(fields.has(FieldId::cookie));
    CHECK(fields[1].id == FieldId::unknown);
    CHECK(fields[1].name == "X-Team");
    CHECK(fields[1].line == "X-Team:  b c\t\r\n");
    std::string joined;
    for (auto const field : fields)
        joined += field.line;
    CHECK(joined == "hOST: \t a:80 \t\r\nX-Team:  b c\t\r\ncookie: 1\r\nEmpty:\r\nCookie: 2\r\n");
}

TEST_CASE("a head has the values of its lines, and its views point into the caller's bytes") {
    auto const parsed = parse_request("PUT /a/b?c=d HTTP/1.0\r\nHost: A.example:8443\r\n\r\n");
    REQUIRE(!parsed.refused);
    auto const& head = *parsed.head;
    CHECK(head.method == Method::put);
    CHECK(head.method_text == "PUT");
    CHECK(head.raw_target == "/a/b?c=d");
    CHECK(head.target.path == "/a/b");
    CHECK(head.target.query == "?c=d");
    CHECK(head.protocol == Protocol::http_1_0);
    CHECK(head.host.host == "A.example");
    CHECK(head.host.port == 8443);
    CHECK(head.size == parsed.size);
    CHECK(head.method_text.data() == parsed.bytes.get());
}

TEST_CASE("nothing of an earlier head is left if the next one is refused") {
    RequestHead head;
    REQUIRE(!parse_request_head("GET /a HTTP/1.1\r\nHost: a\r\nCookie: b\r\nCookie: c\r\n\r\n", {},
                                head));
    REQUIRE(parse_request_head("x\r\n\r\n", {}, head));
    CHECK(head.method_text.empty());
    CHECK(head.target.path.empty());
    CHECK(head.host.host.empty());
    CHECK(head.fields.size() == 0);
    CHECK(!head.fields.find(FieldId::cookie));
    CHECK(!head.fields.is_repeated(FieldId::cookie));
}

TEST_CASE("a head that only Beast refuses is refused") {
    // Beast parses Upgrade, Connection and Proxy-Connection as lists; the policy removes the last.
    RequestHead head;
    auto const bytes = "GET /a HTTP/1.1\r\nHost: a\r\nProxy-Connection: a b\r\n\r\n";
    REQUIRE(!apply_request_policy(bytes, {}, head));
    auto const refused = parse_request_head(bytes, {}, head);
    REQUIRE(refused);
    CHECK(refused->rule == "second_opinion");
    CHECK(refused->kind == RefusalKind::bad_request);
}

TEST_CASE("an ambiguous head needs a second opinion") {
    auto const of_request = [](std::string_view bytes) {
        RequestHead head;
        INFO(bytes);
        REQUIRE(!parse_request_head(bytes, {}, head));
        return head.second_opinion;
    };
    for (std::string_view const bytes : {
             "GET /a HTTP/1.0\r\nHost: a\r\n\r\n",                              // another version
             "\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n",                          // a line before it
             "GET /a HTTP/1.1\r\nHost: a\r\nX:\r\n\r\n",                        // an empty value
             "GET /a HTTP/1.1\r\nHost: a\r\nX:b\r\n\r\n",                       // no space
             "GET /a HTTP/1.1\r\nHost: a\r\nX:  b\r\n\r\n",                     // two
             "GET /a HTTP/1.1\r\nHost: a\r\nX: b \r\n\r\n",                     // one behind it
             "GET /a HTTP/1.1\r\nHost: a\r\nX:\tb\r\n\r\n",                     // a tab
             "GET /a HTTP/1.1\r\nHost: a\r\nX: b\tc\r\n\r\n",                   // within
             "GET /a HTTP/1.1\r\nHost: a\r\nX: \xc3\xa4\r\n\r\n",               // not ASCII
             "GET /a HTTP/1.1\r\nHost: a\r\nX_Y: b\r\n\r\n",                    // an odd name
             "GET /a HTTP/1.1\r\nHost: a\r\nConnection: b\r\n\r\n",             // an option
             "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close, b\r\n\r\n",      // a list
             "GET /a HTTP/1.1\r\nHost: a\r\nUpgrade: b\r\n\r\n",                // other protocols
             "GET /a HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n",   // likewise
             "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" // chunks
         }) {
        INFO(bytes);
        CHECK(of_request(bytes) == SecondOpinion::needed);
    }
    CHECK(of_request("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: "
                     "keep-alive\r\n\r\n")
          == SecondOpinion::needed);
}

TEST_CASE("an unambiguous head needs no second opinion") {
    RequestHead request;
    REQUIRE(!parse_request_head("PUT /a?b=c HTTP/1.1\r\nHost: a:1\r\nContent-Length: 5\r\n"
                                "Connection: Keep-Alive\r\nAccept: a, b; c=\"d\"\r\n\r\n",
                                {}, request));
    CHECK(request.second_opinion == SecondOpinion::needless);
    CHECK(request.method == Method::put);
    ResponseHead response;
    REQUIRE(!parse_response_head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: a (b)\r\n\r\n",
                                 {}, ResponseTo::other, response));
    CHECK(response.second_opinion == SecondOpinion::needless);
    REQUIRE(!parse_response_head("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n", {},
                                 ResponseTo::other, response));
    CHECK(response.second_opinion == SecondOpinion::needed);
}

} // namespace head
