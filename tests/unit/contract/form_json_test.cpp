// The fields of a form as JSON, for the log.
#include "gateway/contract/forms/form_json.h"

#include "tests/unit/contract/form_support.h"

#include <catch2/catch.hpp>

namespace form_json_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view user =
    "{schema: {type: object, properties: {user: {type: object, properties: {pin: {type: string}}}, "
    "pair: {type: object, properties: {pin: {type: string}}}}}, "
    "encoding: {user: {style: deepObject}, pair: {style: form, explode: false}}}";

std::string form(std::string_view body) {
    BodyChecker const checker{"application/x-www-form-urlencoded", user};
    std::string out;
    return write_fields_as_json(checker.type(), {body, {}}, out) ? out : "malformed";
}

std::string multipart(std::string_view body) {
    BodyChecker const checker{"multipart/form-data", "{schema: {type: object}}"};
    std::string out;
    return write_fields_as_json(checker.type(), {body, "b"}, out) ? out : "malformed";
}

std::string part(std::string_view head, std::string_view body) {
    return "--b\r\nContent-Disposition: form-data; " + std::string{head} + "\r\n\r\n"
           + std::string{body} + "\r\n";
}

} // namespace

TEST_CASE("each value of a form is below its name in the log") {
    CHECK(form("") == "{}");
    CHECK(form("a=1&b=x+y%22&a=2") == R"({"a":["1","2"],"b":"x y\""})");
    CHECK(form("user[pin]=1&user%5Bname%5D=x") == R"({"user":[{"pin":"1"},{"name":"x"}]})");
    CHECK(form("a[b][c]=1") == R"({"a":{"b":{"c":"1"}}})");
    auto const deep = [](std::size_t depth) {
        std::string name = "a";
        for (std::size_t i = 0; i < depth; ++i)
            name += "[b]";
        return form(name + "=c4nary");
    };
    CHECK(deep(16).find("c4nary") != std::string::npos);
    CHECK(deep(17) == R"({"a[b]":{"bytes":6}})");
    CHECK(form("[a]=1&b]=2&c[=3&d[]=4") == R"({"[a]":"1","b]":"2","c[":"3","d":{"":"4"}})");
}

TEST_CASE("names within a value are names in the log, or the value is not logged") {
    CHECK(form("meta={\"pin\":\"1\"}") == R"({"meta":{"pin":"1"}})");
    CHECK(form("meta= [{\"pin\":\"1\"}]") == R"({"meta": [{"pin":"1"}]})");
    CHECK(form("meta={\"pin\":\"1\"") == R"({"meta":{"bytes":10}})");
    CHECK(form("pair=pin,1") == R"({"pair":{"bytes":5}})");
}

TEST_CASE("the text parts of a multipart body are in the log, and the sizes of others") {
    CHECK(multipart(part("name=\"a\"", "x") + part("name=\"f\"; filename=\"f\"", "1234")
                    + part("name=\"i\"\r\nContent-Type: image/png", "12")
                    + part("name=\"t\"\r\nContent-Type: TEXT/plain;charset=utf-8", "y")
                    + part("name=\"j\"\r\nContent-Type: application/json", "{\"pin\":1}")
                    + part("name=\"u\"", "\xff") + "--b--\r\n")
          == R"({"a":"x","f":{"bytes":4},"i":{"bytes":2},"t":"y","j":{"pin":1},"u":{"bytes":1}})");
}

TEST_CASE("a body whose fields cannot be read is not in the log") {
    CHECK(form("a=%zz") == "malformed");
    CHECK(form("a=%00") == "malformed");
    CHECK(multipart(part("name=\"a\"", "x")) == "malformed");
}

} // namespace form_json_test
