// The cost of checking a text, in the units of the limit too_complex: no more than its size
// justifies, for any shape, and with the same results.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <functional>

namespace sallyport::contract::test::work_test {
namespace {

// `count` pieces, between `open` and `close`.
std::string join(int count, std::function<std::string(int)> const& piece,
                 std::string_view open = "[", std::string_view close = "]") {
    std::string text{open};
    for (int i = 0; i < count; ++i)
        text += (i > 0 ? "," : "") + piece(i);
    return text.append(close);
}

std::string nested(int levels, std::string const& innermost) {
    auto const count = static_cast<std::size_t>(levels);
    return std::string(count, '[') + innermost + std::string(count, ']');
}

struct Cost {
    std::string verdict;
    double work_per_byte = 0;
};

Cost cost_of(std::string_view schema, std::string const& text) {
    auto const contract = load_schema(schema);
    Validator validator;
    Cost cost;
    cost.verdict = verdict_of(validator.validate(*contract->schema(), Body{text}.view(), {}, {}));
    cost.work_per_byte =
        static_cast<double>(validator.work()) / static_cast<double>(text.size());
    return cost;
}

TEST_CASE("uniqueItems hashes each value once, however many arrays are around it") {
    std::string const members = join(
        60'000, [](int i) { return "\"m" + std::to_string(i) + "\":" + std::to_string(i); }, "{",
        "}");
    constexpr std::string_view schema =
        "{$ref: '#/$defs/t', $defs: {t: {uniqueItems: true, items: {$ref: '#/$defs/t'}}}}";
    auto const flat = cost_of(schema, nested(2, members + ",1"));
    auto const deep = cost_of(schema, nested(31, members + ",1"));
    CHECK(flat.verdict == "valid");
    CHECK(deep.verdict == "valid");
    CHECK(deep.work_per_byte < flat.work_per_byte * 1.02);
    CHECK(deep.work_per_byte < 0.5);
    // If each array has two items, both are compared completely.
    std::string pairs = members;
    for (int i = 0; i < 31; ++i)
        pairs = '[' + pairs + ',' + std::to_string(i) + ']';
    auto const paired = cost_of(schema, pairs);
    CHECK(paired.verdict == "valid");
    CHECK(paired.work_per_byte < flat.work_per_byte * 1.02);
    // Nested arrays, each with a copy of its content.
    std::string twins = "[1]";
    for (int i = 0; i < 12; ++i)
        twins = '[' + twins + ',' + twins + ']';
    CHECK(cost_of(schema, twins).verdict.find("must not contain") != std::string::npos);
    CHECK(cost_of(schema, twins).work_per_byte < 12);
}

TEST_CASE("the result of uniqueItems for one array is shared by several schemas") {
    std::string const list = join(60'000, [](int i) { return std::to_string(100'000 + i); });
    auto const repeated = [](std::string_view keyword, int count, auto const& schema) {
        return std::string{keyword} + ": " + join(count, schema);
    };
    auto const all = cost_of('{'
                                 + repeated("allOf", 20,
                                            [](int i) {
                                                return "{uniqueItems: true, minItems: "
                                                       + std::to_string(i) + '}';
                                            })
                                 + '}',
                             list);
    CHECK(all.verdict == "valid");
    CHECK(all.work_per_byte < 0.5);
    auto const one =
        cost_of(repeated("oneOf", 20,
                         [](int i) {
                             return "{properties: {kind: {const: k" + std::to_string(i)
                                    + "}, list: {uniqueItems: true}}, required: [kind]}";
                         }),
                R"({"list":)" + list + R"(,"kind":"k19"})");
    CHECK(one.verdict == "valid");
    CHECK(one.work_per_byte < 1);
}

TEST_CASE("the trial of a form ends with the first violated rule") {
    std::string const forms = "oneOf: " + join(20, [](int i) {
        return "{required: [k" + std::to_string(i)
               + "], properties: {list: {items: {pattern: '^a+$'}}}}";
    });
    std::string const list = join(20'000, [](int) { return std::string{"\"aaaa\""}; });
    auto const cost = cost_of(forms, R"({"list":)" + list + R"(,"k7":1})");
    CHECK(cost.verdict == "valid");
    CHECK(cost.work_per_byte < 2); // to try the one form, and to note what it declares
    auto const wrong = cost_of(forms, R"({"list":)" + list + R"(,"k20":1})");
    CHECK(wrong.verdict == "the body must match exactly one of the 20 forms of the contract");
    // The rule may be in any part of the form: in one of several schemas, in a property before
    // others, in the first of many items.
    std::string const text = R"({"n":7,"list":)" + list + '}';
    auto const of = [](std::string const& first, std::string const& rest) {
        return "oneOf: " + join(20, [&](int i) {
                   auto const number = std::to_string(i);
                   return '{' + first + "{minimum: " + number + ", maximum: " + number + '}' + rest
                          + '}';
               });
    };
    std::string const items = "list: {items: {pattern: '^a+$'}}}}";
    for (std::string const& schema :
         {of("allOf: [{properties: {n: ", "}}, {properties: {" + items + ']'),
          of("properties: {n: ", ", list: {items: {pattern: '^a+$'}}}")}) {
        INFO(schema.substr(0, 60));
        auto const tried = cost_of(schema, text);
        CHECK(tried.verdict == "valid");
        CHECK(tried.work_per_byte < 2);
    }
    auto const by_items =
        cost_of("properties: {list: {oneOf: "
                    + join(20,
                           [](int i) {
                               return "{items: {minLength: " + std::to_string(i == 7 ? 1 : 9)
                                      + ", pattern: '^a+$'}}";
                           })
                    + "}}",
                text);
    CHECK(by_items.verdict == "valid");
    CHECK(by_items.work_per_byte < 2);
}

TEST_CASE("the cost of an enum depends neither on its size nor on how similar its values are") {
    struct Shape {
        std::string name;
        std::function<std::string(int)> value;
        double most = 0; // units per byte
    };
    std::vector<Shape> const shapes{
        {"integers", [](int i) { return std::to_string(7 * i - 30'000); }, 0.5},
        {"strings that differ in the middle",
         [](int i) { return "\"aaaaaaaa" + std::to_string(10'000 + i) + "bbbbbbbb\""; }, 0.2},
        {"fractions", [](int i) { return std::to_string(i) + ".25"; }, 4},
        {"objects", [](int i) { return R"({"a":[)" + std::to_string(i) + "]}"; }, 2},
    };
    for (Shape const& shape : shapes) {
        INFO(shape.name);
        for (int const size : {4, 4'000}) {
            auto const cost = cost_of("items: {enum: " + join(size, shape.value) + '}',
                                      join(20'000, [&](int i) { return shape.value(i % size); }));
            CHECK(cost.verdict == "valid");
            CHECK(cost.work_per_byte < shape.most);
        }
        Checker checker{"enum: " + join(4'000, shape.value)};
        CHECK(checker.verdict(shape.value(3'999)) == "valid");
        CHECK(checker.verdict(shape.value(4'000)) != "valid");
    }
    // An enum for each of many nested values.
    auto const cost =
        cost_of("{$ref: '#/$defs/t', "
                "$defs: {t: {not: {const: {a: 1}}, items: {$ref: '#/$defs/t'}}}}",
                nested(60, join(50'000, [](int) { return std::string{"10"}; })));
    CHECK(cost.verdict == "valid");
    CHECK(cost.work_per_byte < 4);
}

TEST_CASE("a text of any shape costs no more than its size allows, or is refused as too complex") {
    std::string const forms = join(200, [](int i) {
        return "{maximum: " + std::to_string(-1 - i) + '}';
    });
    std::string const required =
        join(50, [](int i) { return 'r' + std::to_string(i); });
    auto const each = [](std::string text) {
        return [text = std::move(text)](int) { return text; };
    };
    struct Shape {
        std::string schema;
        std::string text;
    };
    std::vector<Shape> const shapes{
        {"items: {anyOf: " + forms + '}', join(500'000, each("0"))},
        {"items: {oneOf: " + forms + '}', join(500'000, each("0"))},
        {"items: {required: " + required + '}', join(300'000, each("{}"))},
        {"items: {format: regex}", join(250'000, each("\"a\""))},
        {"items: {anyOf: "
             + join(400,
                    [](int i) { return "{properties: {k: {const: " + std::to_string(i) + "}}}"; })
             + '}',
         join(120'000, each(R"({"k":5})"))},
        {"allOf: "
             + join(200,
                    [](int i) {
                        return "{additionalProperties: {type: integer, minimum: "
                               + std::to_string(-i) + "}}";
                    }),
         join(
             60'000, [](int i) { return "\"m" + std::to_string(i) + "\":1"; }, "{", "}")},
    };
    for (Shape const& shape : shapes) {
        INFO(shape.schema.substr(0, 60));
        auto const cost = cost_of(shape.schema, shape.text);
        CHECK(cost.verdict == "malformed: too_complex");
        // A million, and four for each word of the tape, of which two bytes make no more than two.
        CHECK(cost.work_per_byte < 6.1);
    }
    // Most contracts need far less for texts of a megabyte.
    for (Shape const& shape : std::vector<Shape>{
             {"items: {pattern: '^[a-z]+$'}", join(250'000, each("\"a\""))},
             {"items: {type: integer, minimum: 0, multipleOf: 0.5}", join(200'000, each("1234"))},
             {"items: {oneOf: [{type: object, properties: {a: {type: integer}}, required: [a]},"
              " {type: object, properties: {b: {type: integer}}, required: [b]}]}",
              join(100'000, each(R"({"b":1234})"))},
             {"patternProperties: {'^m': {type: integer}, 'x$': {type: string}}",
              join(60'000, [](int i) { return "\"m" + std::to_string(i) + "\":1"; }, "{", "}")}}) {
        INFO(shape.schema.substr(0, 60));
        CHECK(cost_of(shape.schema, shape.text).verdict == "valid");
    }
}

TEST_CASE("items are compared as values, not as texts") {
    Checker unique{"uniqueItems: true"};
    auto const is_unique = [&unique](std::string const& text) {
        return unique.verdict(text) == "valid";
    };
    // With and without escapes and numbers beyond 64 bits the text is parsed in different ways.
    for (std::string const& other : {std::string{"\"z\""}, std::string{R"("\u007a")"},
                                     std::string{"123456789012345678901234567890"}}) {
        INFO(other);
        auto const with = [&other](std::string_view items) {
            return '[' + other + ',' + std::string{items} + ']';
        };
        CHECK(is_unique(with("1,2,true,\"1\",null,[1],{\"a\":1}")));
        CHECK_FALSE(is_unique(with("1,1.0")));
        CHECK_FALSE(is_unique(with("10,1e1")));
        CHECK_FALSE(is_unique(with("0,-0.0")));
        CHECK(is_unique(with("0.1,0.10000000000000000001")));
        CHECK_FALSE(is_unique(with("0.5,5e-1")));
        CHECK(is_unique(with("9007199254740993,9007199254740992")));
        CHECK_FALSE(is_unique(with("18446744073709551615,18446744073709551615.0")));
        CHECK_FALSE(is_unique(with(R"({"a":1,"b":[2,{}]},{"b":[2.0,{}],"a":1})")));
        CHECK(is_unique(with(R"({"a":1,"b":2},{"a":2,"b":1})")));
        CHECK(is_unique(with("[1,2],[2,1],[[1],2],[],[[]],{},\"\",0,false,null")));
        CHECK_FALSE(is_unique(with("[],[]")));
        CHECK_FALSE(is_unique(with("{},1,{}")));
        CHECK_FALSE(is_unique(with(R"("ab","a\u0062")")));
    }
    CHECK_FALSE(is_unique("[123456789012345678901234567890,12345678901234567890123456789.0e1]"));
    // So many that the table grows; results for long arrays are stored.
    for (int const count : {2, 15, 16, 17, 33, 1'000, 70'000}) {
        INFO(count);
        auto const number = [](int i) { return std::to_string(3 * i); };
        CHECK(is_unique(join(count, number)));
        CHECK_FALSE(is_unique(join(count, number, "[3,")));
        auto const text = [](int i) { return "\"text " + std::to_string(i) + '"'; };
        CHECK(is_unique(join(count, text)));
        CHECK_FALSE(is_unique(join(count, text, "[\"text 1\",")));
    }
    Checker twice{"allOf: [{uniqueItems: true}, {uniqueItems: true}]"};
    CHECK(twice.check(join(40, [](int) { return std::string{"1"}; })).violations.size() == 2);
}

TEST_CASE("integers of an enum may be at the limits of their range") {
    Checker checker{"enum: [-9223372036854775808, 9223372036854775807, 0, 1e3, 5.0]"};
    for (char const* good : {"-9223372036854775808", "9223372036854775807", "0", "1000", "5",
                             "5.0", "1e3", "-0", "9223372036854775807.0"})
        CHECK(checker.verdict(good) == "valid");
    for (char const* bad :
         {"-9223372036854775807", "9223372036854775806", "1", "9223372036854775808",
          "-9223372036854775809", "1000.5", "\"5\"", "[5]"})
        CHECK(checker.verdict(bad) != "valid");
}

} // namespace
} // namespace sallyport::contract::test::work_test
