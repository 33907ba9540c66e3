// Content-Type: the grammar, and what counts as JSON in UTF-8.
#include "gateway/http/media_type.h"

#include "heads.h"

#include <catch2/catch.hpp>

#include <string>

namespace media_type {

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

TEST_CASE("a Content-Type that is absent, repeated, malformed or of another type is not JSON") {
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
    for (auto const charset : {"latin1", "utf-16", "utf-7", "utf-8x", "utf-", "\"\"", "\"utf-16\"",
                               "x", "\" utf-8\"", "\"utf-8 \"", "utf", "u8", "iso-8859-1"}) {
        INFO(charset);
        CHECK(judge_value("application/json; charset=" + std::string{charset}) == "not_json");
    }
    CHECK(judge_value("application/json; charset=utf-8; charset=utf-16") == "not_json");
    CHECK(judge_value("application/json; charset=utf-16; charset=utf-8") == "not_json");
    CHECK(judge_value("application/json; charset=utf-8; CHARSET=utf-8") == "not_json");
}

TEST_CASE("parameters in which another reader could find another charset are refused") {
    for (auto const parameters :
         {// RFC 2231 and RFC 8187: as in mail, and as read by Python's web frameworks
          "charset*=utf-7''utf-7", "charset*=utf-8''utf-8", "CHARSET*=utf-7''utf-7",
          "charset*0=utf-; charset*1=7", "charset*0*=utf-7''utf-7",
          "charset=utf-8; charset*=''utf-7", "a*=b", "*=b", "a*0=b", "*a=b",
          // one name twice, in any letter case
          "version=1; version=2", "version=1; a=b; VERSION=1", "charset=utf-8; charset=utf-8",
          "charset=utf-8; a=b; charset=utf-7",
          // a reader that searches, or that splits without regard to quotes
          "xcharset=utf-7", "charset-x=utf-7", "profile=\"charset=utf-7\"", "a=\"x CharSet=utf-7\"",
          "a=charset", "a=\"b; c=d\"", "a=\"b, text/plain\"", "a=\"b\\\"c\"", "a=\"\\b\"",
          "charset=\"u\\tf-8\"", "a=\"\xc2\xa0\"", "a=\"\t\"",
          // more of them than in real use
          "a=1; b=1; c=1; d=1; e=1; f=1; g=1; h=1; i=1"}) {
        INFO(parameters);
        CHECK(judge_value("application/json; " + std::string{parameters}) == "not_json");
        auto const type = parse_media_type("application/json; " + std::string{parameters});
        REQUIRE(type);
        CHECK(type->parameters == MediaType::Parameters::odd);
        CHECK_FALSE(is_utf_8(*type));
    }
}

TEST_CASE("JSON with plain parameters and charset UTF-8, or its part US-ASCII, is fine") {
    for (auto const value :
         {"application/json", "Application/JSON", "application/json; charset=utf-8",
          "application/json;charset=UTF-8", "application/json ; CharSet=Utf-8",
          "application/json;charset=\"utf-8\"", "application/json; charset=utf8",
          "application/json; charset=\"UTF8\"", "application/json; charset=US-ASCII",
          "application/json; charset=ascii", "application/json;CHARSET=\"UTF-8\"",
          "application/json; odata=verbose",
          "application/json;odata.metadata=minimal;IEEE754Compatible=true",
          "application/json; profile=\"https://example.com/a?b=c d\"; charset=utf-8; version=1",
          "application/json;", "application/json; ;", "application/json;;a=b",
          "application/json\t;\ta=\"\"",
          "application/json; a=1; b=1; c=1; d=1; e=1; f=1; g=1; h=1"}) {
        INFO(value);
        CHECK(judge_value(value) == "fine");
    }
}

TEST_CASE("a media type is split into its parts") {
    auto const type = parse_media_type("Text/HTML;charset=latin1");
    REQUIRE(type);
    CHECK(type->type == "Text");
    CHECK(type->subtype == "HTML");
    CHECK(type->charset == sallyport::text::Charset::other);
    CHECK_FALSE(parse_media_type("a/b")->charset);
    CHECK(parse_media_type("a/b;charset=UTF-8")->charset == sallyport::text::Charset::utf_8);
}

} // namespace media_type
