// Content-Type: the grammar, and what counts as JSON in UTF-8.
#include "gateway/http/media_type.h"

#include "heads.h"

#include <catch2/catch.hpp>

#include <string>

namespace {

using namespace sallyport::http;
using sallyport::http::test::parse_request;

std::string_view judge(std::string_view lines) {
    FieldTable fields;
    auto const parsed =
        parse_request("GET / HTTP/1.1\r\nHost: a\r\n" + std::string{lines} + "\r\n");
    auto const refused = require_json(parsed.head->fields);
    if (refused) CHECK(refused->kind == RefusalKind::unsupported_media_type);
    return refused ? refused->rule : "fine";
}

std::string_view judge_value(std::string_view value) {
    return judge("Content-Type: " + std::string{value} + "\r\n");
}

} // namespace

TEST_CASE("a Content-Type that is absent, repeated, malformed or of another type is no JSON") {
    CHECK(judge("") == "not_json");
    CHECK(judge("Content-Type: application/json\r\nContent-Type: application/json\r\n")
          == "repeated_content_type");
    for (auto const value : {"",
                             "json",
                             "application",
                             "application/",
                             "/json",
                             "application/json/x",
                             "application / json",
                             "application/json x",
                             "application/json, application/json",
                             "application/json;charset",
                             "application/json;=utf-8",
                             "application/json;charset=",
                             "application/json; charset = utf-8",
                             "application/json; charset= utf-8",
                             "application/json; charset =utf-8",
                             "application/json;a=\"b",
                             "application/json;a=\"b\\\"",
                             "application/json;a=b\"c",
                             "application/json;a=b c",
                             "application/json;a=\"b\"c",
                             "application/json;a=(b)",
                             "text/plain",
                             "text/json",
                             "application/jsonp",
                             "application/problem+json",
                             "application/x-www-form-urlencoded",
                             "multipart/form-data; boundary=a",
                             "*/*",
                             "application/*",
                             "\"application/json\"",
                             "application\\json"}) {
        INFO(value);
        CHECK(judge_value(value) == "not_json");
    }
}

TEST_CASE("JSON in another charset than UTF-8 is refused") {
    for (auto const charset : {"latin1", "utf-16", "utf8", "utf-8x", "utf-", "\"\"", "\"utf-16\"",
                               "x", "\" utf-8\"", "\"utf-8 \"", "us-ascii"}) {
        INFO(charset);
        CHECK(judge_value("application/json; charset=" + std::string{charset}) == "not_json");
    }
    CHECK(judge_value("application/json; charset=utf-8; charset=utf-16") == "not_json");
    CHECK(judge_value("application/json; charset=utf-16; charset=utf-8") == "not_json");
    CHECK(judge_value("application/json; charset=utf-8; CHARSET=utf-8") == "not_json");
}

TEST_CASE("JSON with any parameters and charset UTF-8 is fine") {
    for (auto const value :
         {"application/json", "Application/JSON", "application/json; charset=utf-8",
          "application/json;charset=UTF-8", "application/json ; CharSet=Utf-8",
          "application/json;charset=\"utf-8\"", "application/json;charset=\"u\\tf-8\"",
          "application/json; profile=\"a;b\\\"c\"; charset=utf-8; version=1", "application/json;",
          "application/json; ;", "application/json;;a=b", "application/json\t;\ta=\"\"",
          "application/json;a=\"\\\\\""}) {
        INFO(value);
        CHECK(judge_value(value) == "fine");
    }
}

TEST_CASE("a media type gives its parts") {
    auto const type = parse_media_type("Text/HTML;charset=latin1");
    REQUIRE(type);
    CHECK(type->type == "Text");
    CHECK(type->subtype == "HTML");
    CHECK(type->charset == MediaType::Charset::other);
    CHECK(parse_media_type("a/b")->charset == MediaType::Charset::absent);
    CHECK(parse_media_type("a/b;charset=UTF-8")->charset == MediaType::Charset::utf_8);
}
