// JSON objects of tokens: what is refused, and the limits.
#include "gateway/jose/strict_json.h"

#include <catch2/catch.hpp>

namespace strict_json_test {

using namespace sallyport::jose;

namespace {

constexpr JsonLimits limits{.bytes = 200, .depth = 3, .values = 6};

bool reads(std::string_view text) {
    StrictJson json;
    return json.read(text, limits).has_value();
}

} // namespace

TEST_CASE("a name that an object has twice is refused, at every depth, and in every spelling") {
    CHECK_FALSE(reads(R"({"a":1,"a":2})"));
    CHECK_FALSE(reads(R"({"a":1,"b":2,"a":1})"));
    CHECK_FALSE(reads(R"({"a":1,"\u0061":2})"));
    CHECK_FALSE(reads(R"({"o":{"a":1,"a":2}})"));
    CHECK_FALSE(reads(R"({"l":[{"a":1,"a":2}]})"));
    CHECK(reads(R"({"a":1,"A":2})"));
    CHECK(reads(R"({"a":{"a":1}})"));
}

TEST_CASE("what is no JSON object is refused") {
    for (std::string_view const text :
         {"", " ", "[]", "1", "null", "\"a\"", "{", "{}}", "{} {}", "{\"a\":1,}", "{a:1}",
          "{'a':1}", "{\"a\":01}", "{\"a\":NaN}", "{\"a\":\"\t\"}", "{\"a\":\"\xff\"}",
          "{\"a\":\"\\ud800\"}", "\xef\xbb\xbf{}", "// x\n{}"}) {
        CAPTURE(text);
        CHECK_FALSE(reads(text));
    }
    CHECK_FALSE(reads(std::string_view{"{}\0", 3}));
    CHECK(reads(" {} \n"));
}

TEST_CASE("limits of size, depth and number of values are kept, to the last one") {
    auto const of_size = [](std::size_t size) {
        return R"({"a":")" + std::string(size - 8, 'x') + "\"}";
    };
    CHECK(reads(of_size(200)));
    CHECK_FALSE(reads(of_size(201)));
    CHECK(reads(R"({"a":{"b":[]}})"));
    CHECK_FALSE(reads(R"({"a":{"b":[[]]}})"));
    CHECK_FALSE(reads(R"({"a":{"b":{"c":{}}}})"));
    CHECK(reads("{\"a\":[1,2,3,4]}")); // the object, the list, and four
    CHECK_FALSE(reads("{\"a\":[1,2,3,4,5]}"));
}

TEST_CASE("one reader reads one document after the other, with other limits too") {
    StrictJson json;
    CHECK(text_member(*json.read(R"({"a":"x"})", limits), "a") == "x");
    CHECK_FALSE(json.read("{", limits));
    auto const again =
        json.read(R"({"a":{"b":{"c":{"d":"y"}}}})", {.bytes = 5000, .depth = 9, .values = 50});
    REQUIRE(again);
    CHECK(has_member(*again, "a"));
    CHECK_FALSE(has_member(*again, "b"));
    CHECK_FALSE(text_member(*again, "a"));
    CHECK_FALSE(json.read(R"({"a":{"b":{"c":{"d":"y"}}}})", limits));
}

} // namespace strict_json_test
