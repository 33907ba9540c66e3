// Texts that are refused independent of rules and levels, and the reason for each.
#include "tests/unit/contract/support.h"

#include "gateway/contract/text/json_text.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::malformed_test {
namespace {

using namespace std::string_literals;

struct Case {
    std::string body;
    Malformed reason;
};

[[nodiscard]] std::vector<Case> malformed_cases() {
    using M = Malformed;
    return {
        {"", M::empty},
        {" \t\r\n", M::empty},
        {"\xEF\xBB\xBF{}", M::byte_order_mark},
        {"{", M::not_json},
        {"[1,]", M::not_json},
        {"[1 2]", M::not_json},
        {"{\"a\"}", M::not_json},
        {"{\"a\":1,}", M::not_json},
        {"{a:1}", M::not_json},
        {"{'a':1}", M::not_json},
        {"[\"a\" \"b\"]", M::not_json},
        {"tru", M::not_json},
        {"NaN", M::not_json},
        {"[Infinity]", M::not_json},
        {"// x\n1", M::not_json},
        {"\"a\nb\"", M::not_json},
        {"\"a\0b\""s, M::not_json},
        {"\"\\x\"", M::not_json},
        {"\"\\u12g4\"", M::not_json},
        {"\"abc", M::not_json},
        {"[}", M::not_json},
        {"\0"s, M::not_json},
        {"{} x", M::trailing_bytes},
        {"{}{}", M::trailing_bytes},
        {"1\0"s, M::trailing_bytes},
        {"[]]", M::trailing_bytes},
        {"\"a\" \"b\"", M::trailing_bytes},
        {"\"\xC3\"", M::invalid_utf8},
        {"\"\xC0\xAF\"", M::invalid_utf8},
        {"\"\xED\xA0\x80\"", M::invalid_utf8},
        {"\"\xF4\x90\x80\x80\"", M::invalid_utf8},
        {"\"\xFF\"", M::invalid_utf8},
        {"{\"\x80\":1}", M::invalid_utf8},
        {"01", M::number},
        {"-", M::number},
        {"+1", M::number},
        {".5", M::number},
        {"1.", M::number},
        {"1e", M::number},
        {"1e+", M::number},
        {"-01", M::number},
        {"[1.2.3]", M::number},
        {"[0x10]", M::not_json},
        {"[--1]", M::number},
        {"99999999999999999999.", M::number},
        {"099999999999999999999", M::number},
        {"\"\\ud800\"", M::lone_surrogate},
        {"\"\\udc00\"", M::lone_surrogate},
        {"\"\\ud800\\u0041\"", M::lone_surrogate},
        {"\"\\ud800\\ud800\"", M::lone_surrogate},
        {"\"\\udc00\\ud800\"", M::lone_surrogate},
        {"{\"\\uDFFF\":1}", M::lone_surrogate},
        {R"({"a":1,"a":2})", M::duplicate_member},
        {R"({"a":1,"\u0061":2})", M::duplicate_member},
        {R"({"":1,"":2})", M::duplicate_member},
        {R"({"x":[{"y":{"a":1,"b":2,"a":3}}]})", M::duplicate_member},
        {R"({"a\u0000b":1,"a\u0000b":2})", M::duplicate_member},
        {R"([99999999999999999999999,{"a":1,"a":1}])", M::duplicate_member},
        {R"({"a":{"b":1},"c":{"b":1},"a":1})", M::duplicate_member},
    };
}

TEST_CASE("malformed texts are refused, each with its reason") {
    auto const contract = load_schema("true");
    Validator validator;
    for (auto const& one : malformed_cases()) {
        INFO("body: " << one.body);
        Body const body{one.body};
        auto const& report = validator.validate(*contract->schema(), body.view(), {}, {});
        CHECK(report.outcome == Outcome::malformed);
        CHECK(name_of(report.malformed) == name_of(one.reason));
        CHECK(name_of(validator.check_json(body.view()).malformed) == name_of(one.reason));
    }
}

TEST_CASE("the same texts without the fault pass") {
    Checker checker{"true"};
    for (auto const* const body :
         {"{}", " [ ] ", "1\n", "\"\\ud83d\\ude00\"",
          R"({"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]})", R"("\u0000")", "-0", "-0.0e-0", "1E400",
          "-1e-400", "99999999999999999999", R"({"a":1,"A":2,"a ":3})", R"("\\ud800")", "null",
          R"(["\"\\u"," "])"}) {
        INFO("body: " << body);
        CHECK(checker.verdict(body) == "valid");
    }
}

TEST_CASE("nesting is allowed up to the limit and not one level beyond") {
    auto const contract = load_schema("true");
    for (std::size_t const limit : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
        Validator validator{ValidatorLimits{limit, 4096}};
        for (std::string_view const pair : {"[]", "{}"}) {
            auto const nest = [pair](std::size_t depth) {
                bool const is_object = pair == "{}";
                std::string text;
                for (std::size_t i = 1; i < depth; ++i)
                    text += is_object ? "{\"a\":" : "[";
                text += pair;
                for (std::size_t i = 1; i < depth; ++i)
                    text += is_object ? "}" : "]";
                return text;
            };
            INFO("limit " << limit << " " << pair);
            auto const verdict = [&](std::string const& text) {
                return verdict_of(validator.check_json(Body{text}.view()));
            };
            CHECK(verdict(nest(limit)) == "valid");
            CHECK(verdict(nest(limit + 1)) == "malformed: too_deep");
            // The second parser agrees with the first.
            CHECK(find_fault(nest(limit), limit).reason == Malformed::none);
            CHECK(find_fault(nest(limit + 1), limit).reason == Malformed::too_deep);
        }
    }
}

TEST_CASE("the offset of a fault is reported if it is known") {
    Checker checker{"true"};
    CHECK(checker.check("[1, x]").offset == 4U);
    CHECK(checker.check("{\"a\":\"\\ud800\"}").offset == 6U);
    CHECK(checker.check("{} x").offset == 3U);
    CHECK(checker.check("{\"a\":1").offset == 6U); // its size: it ends too early
    CHECK(checker.check("{\"a\":01}").offset == 5U);
    CHECK_FALSE(checker.check("{\"a\":1,\"a\":1}").offset.has_value());
    CHECK_FALSE(checker.check("{}").offset.has_value());
}

TEST_CASE("a duplicate is found among very many properties, also if hashes collide") {
    auto const contract = load_schema("true");
    Validator validator;
    auto const many = [](std::size_t count, auto const& name, bool repeat) {
        std::string text = "{";
        for (std::size_t i = 0; i < count; ++i)
            text += '"' + name(i) + "\":0,";
        text += '"' + (repeat ? name(count / 2) : std::string{"last"}) + "\":0}";
        return text;
    };
    auto const plain = [](std::size_t i) { return "m" + std::to_string(i); };
    // Long names that differ only in the middle, which the ends do not include.
    auto const alike = [](std::size_t i) {
        return std::string(40, 'a') + std::to_string(i) + std::string(40, 'b');
    };
    for (std::size_t const count : {2U, 31U, 32U, 33U, 1000U, 100'000U}) {
        INFO(count);
        CHECK(verdict_of(validator.check_json(Body{many(count, plain, true)}.view()))
              == "malformed: duplicate_member");
        CHECK(verdict_of(validator.check_json(Body{many(count, plain, false)}.view())) == "valid");
        CHECK(verdict_of(validator.check_json(Body{many(count, alike, true)}.view()))
              == "malformed: duplicate_member");
        CHECK(verdict_of(validator.check_json(Body{many(count, alike, false)}.view())) == "valid");
    }
}

TEST_CASE("a large integer passes without a rule, and is checked if there is one") {
    Checker checker{"{properties: {a: {maximum: 5}, b: {type: integer}, s: {type: string}}}"};
    CHECK(checker.verdict(R"({"x":123456789012345678901234567890})") == "valid");
    CHECK(checker.verdict(R"({"b":123456789012345678901234567890})") == "valid");
    CHECK(checker.verdict(R"({"a":123456789012345678901234567890})") == "/a must be at most 5");
    CHECK(checker.verdict(R"({"s":123456789012345678901234567890})")
          == "/s must be a string, not a number");
    Checker items{"items: {type: integer, maximum: 5}"};
    CHECK(items.verdict("[123456789012345678901234567890, 1]") == "/0 must be at most 5");
    // A quote and a number inside a string are text, and the other numbers keep their values.
    CHECK(checker.verdict(R"({"t":"\" 123456789012345678901","a":6,"x":1234567890123456789012})")
          == "/a must be at most 5");
    CHECK(checker.verdict(R"({"a":5,"x":1234567890123456789012,"b":1.5})")
          == "/b must be an integer, not a number with a fraction");
}

TEST_CASE("a long text is not complex") {
    std::string items = "[\"x\"";
    for (int i = 0; i < 200'000; ++i)
        items += ",\"" + std::to_string(i) + '"';
    CHECK(Checker{"{uniqueItems: true, items: {pattern: '^.*$', enum: [x, y]}, maxItems: 1}"}
              .check(items + "]")
              .malformed
          == Malformed::none);
    std::string const text = '"' + std::string(5'000'000, 'x') + '"';
    Checker patterns{"{allOf: [{pattern: x$}, {pattern: ^x}, {pattern: '^x*$'}, {minLength: 1}]}"};
    CHECK(patterns.verdict(text) == "valid");
}

TEST_CASE("memory for a large body is freed, and the next body is validated as before") {
    auto const contract = load_schema("{type: object, properties: {a: {type: integer}}}");
    Validator validator{ValidatorLimits{64, 4096}};
    std::string const large = R"({"x":")" + std::string(100'000, 'y') + R"(","a":"z"})";
    for (int i = 0; i < 3; ++i) {
        auto const& report = validator.validate(*contract->schema(), Body{large}.view(), {}, {});
        CHECK(verdict_of(report) == "/a must be an integer, not a string");
        auto const& next =
            validator.validate(*contract->schema(), Body{R"({"a":1})"}.view(), {}, {});
        CHECK(verdict_of(next) == "valid");
    }
}

} // namespace
} // namespace sallyport::contract::test::malformed_test
