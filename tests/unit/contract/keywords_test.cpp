// Each keyword: what it refuses, with its message, and what it accepts.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::keywords_test {
namespace {

struct Case {
    std::string_view schema;
    std::string_view body;
    std::string_view verdict;
};

void check_all(std::vector<Case> const& cases) {
    for (auto const& one : cases) {
        INFO("schema: " << one.schema << "\nbody: " << one.body);
        CHECK(Checker{one.schema}.verdict(one.body) == one.verdict);
    }
}

TEST_CASE("a value of another type is refused, and the message names its type") {
    check_all({
        {"type: integer", R"("5000")", "the body must be an integer, not a string"},
        {"type: integer", "1.5", "the body must be an integer, not a number with a fraction"},
        {"type: integer", "true", "the body must be an integer, not a boolean"},
        {"type: number", "null", "the body must be a number, not null"},
        {"type: string", "5", "the body must be a string, not a number"},
        {"type: boolean", "0", "the body must be a boolean, not a number"},
        {"type: array", "{}", "the body must be an array, not an object"},
        {"type: object", "[]", "the body must be an object, not an array"},
        {R"(type: "null")", "0", "the body must be null, not a number"},
        {R"(type: [integer, "null"])", R"("x")",
         "the body must be an integer or null, not a string"},
        {R"(type: [integer, "null"])", "null", "valid"},
        {"type: integer", "1.0", "valid"},
        {"type: integer", "5e0", "valid"},
        {"type: integer", "50e-1", "valid"},
        {"type: integer", "-0", "valid"},
        {"type: integer", "9223372036854775808", "valid"},
        {"type: number", "1", "valid"},
        {"type: [string, number]", "1.5", "valid"},
    });
}

TEST_CASE("integers and fractions are distinguished by their text, not by the nearest double") {
    std::string const digits(400, '9');
    std::string const minus_digits = '-' + digits;
    check_all({
        {"type: integer", "5.00000000000000000000001",
         "the body must be an integer, not a number with a fraction"},
        {"type: integer", "9007199254740993.5",
         "the body must be an integer, not a number with a fraction"},
        {"type: integer", "1e-400", "the body must be an integer, not a number with a fraction"},
        // Infinite in doubles: no reader takes it for an integer.
        {"type: integer", "1e400", "the body must be an integer, not a number"},
        {"type: integer", "-1e400", "the body must be an integer, not a number"},
        {"type: integer", "-1.5E+400", "the body must be an integer, not a number"},
        {"type: integer", "1e308", "valid"},
        {"type: integer", "-17976931348623157e292", "valid"},
        {"type: integer", digits, "valid"},
        {"type: integer", minus_digits, "valid"},
        {"type: number", "-1e400", "valid"},
        {"type: integer", "123456789012345678901234567890", "valid"},
        {"type: integer", "-123456789012345678901234567890", "valid"},
        {"type: integer", "0e99999999999999999999", "valid"},
    });
}

TEST_CASE("size limits may be any integer from 0 on, also larger than any body") {
    check_all({
        {"maxLength: 9223372036854775807", R"("abc")", "valid"},
        {"maxItems: 1e10", "[1, 2]", "valid"},
        {"maxProperties: 99999999999999999999999", R"({"a": 1})", "valid"},
        {"contains: {}\nmaxContains: 1e30\nminContains: 5.0", "[1, 2, 3, 4, 5]", "valid"},
        {"minLength: 5.0", R"("abcd")", "the body must have at least 5 characters"},
        {"minProperties: 5000000000", R"({"a": 1})",
         "the body must have at least 5000000000 properties"},
        {"minItems: 1e10", "[]", "the body must have at least 10000000000 items"},
        {"minLength: 1e400", R"("abcd")",
         "the body must have at least 18446744073709551615 characters"},
        {"contains: {}\nminContains: 1e30", "[1]",
         "the body must contain at least 18446744073709551615 items of the form that the contract "
         "requires"},
    });
}

TEST_CASE("bounds that no double can represent are exact") {
    std::string const large = "1" + std::string(309, '1');
    std::string const small = "-" + std::string(400, '9');
    Checker maximum{"maximum: " + large};
    CHECK(maximum.verdict("1.5") == "valid");
    CHECK(maximum.verdict("-1.5") == "valid");
    CHECK(maximum.verdict("1e400") == "the body must be at most " + large);
    Checker minimum{"minimum: " + small};
    CHECK(minimum.verdict("-1.5") == "valid");
    CHECK(minimum.verdict("-1e401") == "the body must be at least " + small);
    CHECK(Checker{"maximum: 0." + std::string(400, '0') + "1"}.verdict("1.5") != "valid");
    CHECK(Checker{"minimum: -1e-400"}.verdict("0.5") == "valid");
}

TEST_CASE("enum and const compare whole values, numbers by their value") {
    check_all({
        {"enum: [aws, gcp]", R"("azure")", R"(the body must be "aws" or "gcp")"},
        {"enum: [48, 116]", "49", "the body must be 48 or 116"},
        {"enum: [48, 116]", R"("48")", "the body must be 48 or 116"},
        {"enum: [a, b, c, d, e, f, g, h, i]", R"("j")",
         "the body must be one of the 9 values of the contract"},
        {"const: false", "0", "the body must be false"},
        {"const: 0", "false", "the body must be 0"},
        {"const: null", R"("null")", "the body must be null"},
        {"const: {a: [1, x]}", R"({"a":["x",1]})", R"(the body must be {"a":[1,"x"]})"},
        {"const: [1]", "[1,1]", "the body must be [1]"},
        {"const: 0.1", "0.10000000000000001", "the body must be 0.1"},
        {"const: 12345678901234567890123", "12345678901234567890124",
         "the body must be 12345678901234567890123"},
        {"enum: [48, 116]", "48.0", "valid"},
        {"enum: [48, 116]", "1.16e2", "valid"},
        {"const: -9223372036854775808", "-9223372036854775807",
         "the body must be -9223372036854775808"},
        {"const: -9223372036854775808", "-9223372036854775808", "valid"},
        {"const: -9223372036854775808", "-9223372036854775808.0", "valid"},
        {"enum: [1, -9223372036854775808]", "-9223372036854775808", "valid"},
        {"minimum: -9223372036854775808", "-9223372036854775808", "valid"},
        {"exclusiveMinimum: -9223372036854775808", "-9223372036854775808",
         "the body must be greater than -9223372036854775808"},
        {"minimum: -9223372036854775808", "-9223372036854775809",
         "the body must be at least -9223372036854775808"},
        {"const: 0.1", "1e-1", "valid"},
        {"const: 12345678901234567890123", "12345678901234567890123", "valid"},
        {"const: {b: 2, a: 1}", R"({"a":1.0,"b":2})", "valid"},
        {"const: \"\\u0041\"", R"("A")", "valid"},
        {"enum: [true, null]", "null", "valid"},
    });
}

TEST_CASE("bounds include or exclude their end, exactly") {
    check_all({
        {"maximum: 64", "65", "the body must be at most 64"},
        {"maximum: 64", "64.0000000000000000001", "the body must be at most 64"},
        {"maximum: 64", "1e999999999999999999999", "the body must be at most 64"},
        {"maximum: 64", "18446744073709551615", "the body must be at most 64"},
        {"maximum: 64", "99999999999999999999", "the body must be at most 64"},
        {"maximum: 64", "64", "valid"},
        {"maximum: 64", "64.0", "valid"},
        {"maximum: 64", "-99999999999999999999", "valid"},
        {"maximum: 64", "-1e400", "valid"},
        {"minimum: 0", "-1", "the body must be at least 0"},
        {"minimum: 0", "-1e-400", "the body must be at least 0"},
        {"minimum: 0", "-0.0", "valid"},
        {"minimum: 0.5", "0", "the body must be at least 0.5"},
        {"minimum: 0.5", "0.49999999999999999999", "the body must be at least 0.5"},
        {"minimum: 0.5", "0.5", "valid"},
        {"minimum: 0.5", "1", "valid"},
        {"exclusiveMinimum: 0", "0", "the body must be greater than 0"},
        {"exclusiveMinimum: 0", "1e-400", "valid"},
        {"exclusiveMaximum: 10", "10.0", "the body must be less than 10"},
        {"exclusiveMaximum: 10", "9.99999999999999999999", "valid"},
        {"minimum: 9007199254740993", "9007199254740992",
         "the body must be at least 9007199254740993"},
        {"minimum: 9007199254740993", "9007199254740993", "valid"},
        {"minimum: 9007199254740993.0", "9007199254740992.0",
         "the body must be at least 9007199254740993.0"},
        {"exclusiveMinimum: 9223372036854775807", "9223372036854775807",
         "the body must be greater than 9223372036854775807"},
        {"exclusiveMinimum: 9223372036854775807", "9223372036854775808", "valid"},
        {"exclusiveMaximum: -9223372036854775807", "-9223372036854775808", "valid"},
        {"exclusiveMaximum: -9223372036854775808", "-9223372036854775808",
         "the body must be less than -9223372036854775808"},
        {"{exclusiveMinimum: 5, maximum: 7}", "5", "the body must be greater than 5"},
        {"{exclusiveMinimum: 5, maximum: 7}", "8", "the body must be at most 7"},
        {"{exclusiveMinimum: 5, maximum: 7}", "6", "valid"},
        {"{minimum: 4, multipleOf: 4}", "6", "the body must be a multiple of 4"},
        {"{minimum: 4, format: int32}", "2147483648", "the body must be an integer of 32 bits"},
        {"format: int32", "-2147483648", "valid"},
        {"format: int64", "9223372036854775808", "the body must be an integer of 64 bits"},
        {"maximum: 1e400", "9e399", "valid"},
        {"maximum: 1e400", "2e400", "the body must be at most 1e400"},
        {"maximum: 64", R"("65")", "valid"}, // applies to numbers only
    });
}

TEST_CASE("multipleOf is exact for decimals and for numbers of any size") {
    check_all({
        {"multipleOf: 12", "25", "the body must be a multiple of 12"},
        {"multipleOf: 12", "24.5", "the body must be a multiple of 12"},
        {"multipleOf: 12", "1e308", "the body must be a multiple of 12"},
        {"multipleOf: 0.01", "0.075", "the body must be a multiple of 0.01"},
        {"multipleOf: 0.01", "19.999", "the body must be a multiple of 0.01"},
        {"multipleOf: 3", "100000000000000000000", "the body must be a multiple of 3"},
        {"multipleOf: 12", "24", "valid"},
        {"multipleOf: 12", "-24", "valid"},
        {"multipleOf: 12", "24.0", "valid"},
        {"multipleOf: 12", "0", "valid"},
        {"multipleOf: 12", "0.0e5", "valid"},
        {"multipleOf: 0.01", "19.99", "valid"},
        {"multipleOf: 0.01", "1.1", "valid"},
        {"multipleOf: 0.0001", "0.0075", "valid"},
        {"multipleOf: 2.5", "10", "valid"},
        {"multipleOf: 2.5", "7", "the body must be a multiple of 2.5"},
        {"multipleOf: 100", "1e400", "valid"},
        {"multipleOf: 3", "300000000000000000000", "valid"},
        {"multipleOf: 3", "3e99999999999999999999", "valid"},
        {"multipleOf: 1e2", "250", "the body must be a multiple of 1e2"},
        {"multipleOf: 1e2", "300", "valid"},
    });
}

TEST_CASE("lengths count code points") {
    check_all({
        {"maxLength: 2", R"("abc")", "the body must have at most 2 characters"},
        {"maxLength: 1", R"("ab")", "the body must have at most 1 character"},
        {"maxLength: 2", R"("äöü")", "the body must have at most 2 characters"},
        {"maxLength: 2", R"("\ud83d\ude00\ud83d\ude00\ud83d\ude00")",
         "the body must have at most 2 characters"},
        {"minLength: 3", R"("äö")", "the body must have at least 3 characters"},
        {"minLength: 1", R"("")", "the body must have at least 1 character"},
        {"maxLength: 2", R"("äö")", "valid"},
        {"maxLength: 2", R"("\ud83d\ude00😀")", "valid"},
        {"minLength: 2", R"("😀😀")", "valid"},
        {"minLength: 2.0", R"("ab")", "valid"},
        {"maxLength: 2", "12345", "valid"}, // applies to strings only
    });
}

TEST_CASE("a pattern may match anywhere in the string") {
    check_all({
        {"pattern: '^a+$'", R"("ab")", "the body must match the pattern ^a+$"},
        {"pattern: '^a+$'", R"("a\n")", "the body must match the pattern ^a+$"},
        {"pattern: b", R"("abc")", "valid"},
        {"pattern: '^[\\p{L}\\p{M}\\p{Nd}\\s]*$'", R"("München 7 東京")", "valid"},
        {"pattern: '^[\\p{L}\\p{M}\\p{Nd}\\s]*$'", R"("a-b")",
         R"(the body must match the pattern ^[\p{L}\p{M}\p{Nd}\s]*$)"},
        {"pattern: b", "5", "valid"}, // applies to strings only
    });
}

TEST_CASE("numbers of items and properties have lower and upper limits") {
    check_all({
        {"minItems: 1", "[]", "the body must have at least 1 item"},
        {"maxItems: 5", "[1,2,3,4,5,6]", "the body must have at most 5 items"},
        {"minItems: 1", "[null]", "valid"},
        {"maxItems: 5", "[1,2,3,4,[5,6]]", "valid"},
        {"minProperties: 2", R"({"a":1})", "the body must have at least 2 properties"},
        {"maxProperties: 1", R"({"a":1,"b":2})", "the body must have at most 1 property"},
        {"minProperties: 1", R"({"a":{}})", "valid"},
        {"maxProperties: 1", R"({"a":{"b":1,"c":2}})", "valid"},
        {"maxItems: 0", "{}", "valid"}, // applies to arrays only
    });
}

TEST_CASE("items and prefixItems apply to the items at their positions") {
    check_all({
        {"items: {type: integer}", R"([1,"2",3,null])",
         "/1 must be an integer, not a string; /3 must be an integer, not null"},
        {"{prefixItems: [{type: string}, {type: integer}], items: false}", R"([1,2,3])",
         "/0 must be a string, not a number; /2 must not be present"},
        {"prefixItems: [{type: string}]", R"(["a",5,null])", "valid"},
        {"{prefixItems: [{type: string}, {type: integer}], items: false}", R"(["a"])", "valid"},
        {"items: {items: {maximum: 1}}", "[[1],[2]]", "/1/0 must be at most 1"},
    });
}

TEST_CASE("uniqueItems compares values, not spellings") {
    check_all({
        {"uniqueItems: true", R"(["a","b","a"])", "the body must not contain an item twice"},
        {"uniqueItems: true", R"(["a","\u0061"])", "the body must not contain an item twice"},
        {"uniqueItems: true", "[1,1.0]", "the body must not contain an item twice"},
        {"uniqueItems: true", "[100,1e2]", "the body must not contain an item twice"},
        {"uniqueItems: true", R"([{"a":1,"b":2},{"b":2,"a":1}])",
         "the body must not contain an item twice"},
        {"uniqueItems: true", "[[1,[2]],[1,[2]]]", "the body must not contain an item twice"},
        {"uniqueItems: true", "[12345678901234567890123,12345678901234567890123]",
         "the body must not contain an item twice"},
        {"uniqueItems: true", "[12345678901234567890123,12345678901234567890124]", "valid"},
        {"uniqueItems: true", R"([1,"1",true,null,false,0,"",[],{}])", "valid"},
        {"uniqueItems: true", R"(["a,b","a","b"])", "valid"},
        {"uniqueItems: true", R"([["a","b"],["a\",\"b"]])", "valid"},
        {"uniqueItems: true", "[[1,2],[12]]", "valid"},
        {"uniqueItems: true", "[]", "valid"},
        {"uniqueItems: false", "[1,1]", "valid"},
    });
}

TEST_CASE("properties are checked by name, and required ones must be present") {
    check_all({
        {"{properties: {a: {type: integer}}, required: [a, b]}", R"({"a":"x"})",
         "/a must be an integer, not a string; /b is required"},
        {"{required: [a]}", "{}", "/a is required"},
        {"{properties: {o: {required: [x]}}}", R"({"o":{}})", "/o/x is required"},
        {"{dependentRequired: {a: [b, c]}}", R"({"a":1,"c":2})", "/b is required with /a"},
        {"{dependentRequired: {a: [b]}}", R"({"c":1})", "valid"},
        {"{properties: {a: false}}", R"({"a":1})", "/a must not be present"},
        {"{properties: {a: true}, additionalProperties: false}", R"({"a":1,"c":2,"b":3})",
         "/c is not a property that the contract allows; "
         "/b is not a property that the contract allows"},
        {"{additionalProperties: {type: integer}}", R"({"x":1,"y":"z"})",
         "/y must be an integer, not a string"},
        {"{properties: {a: {}}, additionalProperties: false}", R"({"a":1})", "valid"},
        {"{properties: {\"a/b~c\": {type: integer}}}", R"({"a/b~c":"x"})",
         "/a~1b~0c must be an integer, not a string"},
        {"{properties: {\"\": {type: integer}}}", R"({"":"x"})",
         "/ must be an integer, not a string"},
        {"{required: [a]}", "[]", "valid"}, // applies to objects only
    });
}

TEST_CASE("a schema may have more than 64 names") {
    std::string schema = "{properties: {";
    std::string body = "{";
    for (int i = 0; i < 200; ++i) {
        std::string const name = "member" + std::to_string(i);
        schema += (i > 0 ? ", " : "") + name + ": {required: [x]}";
        body += (i > 0 ? ",\"" : "\"") + name + "\":{\"x\":1}";
    }
    schema += "}, required: [member0, member63, member64, member199]}";
    Checker checker{schema};
    CHECK(checker.verdict(R"({"member0":{},"member64":{"x":1}})")
          == "/member0/x is required; /member63 is required; /member199 is required");
    CHECK(checker.verdict(R"({"member0":{"x":1},"member63":{"x":1},"member199":{"x":1}})")
          == "/member64 is required");
    CHECK(checker.verdict(body + "}") == "valid");
}

TEST_CASE("combinations of schemas") {
    check_all({
        {"allOf: [{minimum: 5}, {maximum: 3}]", "4",
         "the body must be at least 5; the body must be at most 3"},
        {"anyOf: [{type: string}, {type: integer}]", "true",
         "the body must match at least one of the 2 forms of the contract"},
        {"anyOf: [{type: string}, {minimum: 5}]", "3", "the body must be at least 5"},
        {"anyOf: [{type: string}, {minimum: 5}]", "5", "valid"},
        {"oneOf: [{minimum: 5}, {multipleOf: 2}]", "6",
         "the body matches 2 of the 2 forms of the contract, and must match exactly one"},
        {"oneOf: [{minimum: 5}, {multipleOf: 2}]", "3",
         "the body must match exactly one of the 2 forms of the contract"},
        {"oneOf: [{minimum: 5}, {multipleOf: 2}]", "4", "valid"},
        {"not: {type: string}", R"("x")", "the body must not match what the contract excludes"},
        {"not: {const: development}", R"("development")", R"(the body must not be "development")"},
        {"not: {type: string}", "1", "valid"},
        {"not: {}", "1", "the body must not match what the contract excludes"},
        {"not: {not: {type: string}}", R"("x")", "valid"},
        {"{if: {required: [a]}, then: {required: [b]}, else: {required: [c]}}", R"({"a":1})",
         "/b is required"},
        {"{if: {required: [a]}, then: {required: [b]}, else: {required: [c]}}", "{}",
         "/c is required"},
        {"{if: {required: [a]}, then: {required: [b]}}", "{}", "valid"},
        {"{if: {type: string}, else: false}", "1",
         "the body must not match what the contract excludes"},
        {"{properties: {a: {if: {type: string}, else: false}}}", R"({"a":1})",
         "/a must not be present"},
        {"{anyOf: [{type: string}]}", "1", "the body must be a string, not a number"},
        {"{oneOf: [{type: string}]}", "1", "the body must be a string, not a number"},
        {"false", "1", "the body must not be present"},
        {"true", "1", "valid"},
        {"{}", "[1]", "valid"},
    });
}

TEST_CASE("references, including recursive ones") {
    std::string_view const tree =
        "{$ref: '#/$defs/tree', $defs: {tree: {type: object, properties: {value: {type: integer},"
        " children: {type: array, items: {$ref: '#/$defs/tree'}}}}}}";
    Checker checker{tree};
    CHECK(checker.verdict(R"({"children":[{"children":[{"value":"x"}]}]})")
          == "/children/0/children/0/value must be an integer, not a string");
    CHECK(checker.verdict(R"({"value":1,"children":[{"children":[{"value":2}]}]})") == "valid");
    check_all({
        {"{properties: {a: {$ref: '#/$defs/x~1y'}}, $defs: {'x/y': {maximum: 1}}}", R"({"a":2})",
         "/a must be at most 1"},
        {"{properties: {a: {$ref: '#/$defs/a%20b', minimum: 5}}, $defs: {'a b': {maximum: 1}}}",
         R"({"a":3})", "/a must be at most 1; /a must be at least 5"},
        {"{properties: {a: {$ref: '#'}}, required: [b]}", R"({"b":1,"a":{"a":{"b":1}}})",
         "/a/b is required"},
    });
}

TEST_CASE("unknown properties are counted if any are declared, deprecated ones are listed once") {
    Checker checker{"{properties: {a: {deprecated: true}, o: {properties: {x: {}}}, map: {}},"
                    " allOf: [{properties: {b: {}}}],"
                    " if: {required: [a]}, then: {properties: {c: {}}}}"};
    auto const& report =
        checker.check(R"({"a":1,"b":1,"c":1,"u":1,"o":{"x":1,"y":1,"a":1},"map":{"any":1}})");
    CHECK(report.unknown_members == 3);
    CHECK(report.deprecated_members == std::vector<std::string_view>{"a"});
    CHECK(checker.check(R"({"c":1})").unknown_members == 1);
    CHECK(checker.check(R"({"b":1})").deprecated_members.empty());

    // A branch that does not match, and `not`, declare and deprecate nothing.
    Checker branches{"{anyOf: [{required: [k], properties: {k: {const: 1}, p: {}}},"
                     " {properties: {k: {}, q: {}}}], not: {required: [z], properties: {n: {}}}}"};
    CHECK(branches.check(R"({"k":2,"q":1,"n":1})").unknown_members == 1);
    // All branches that apply do; conditions do not.
    CHECK(branches.check(R"({"k":1,"q":1,"n":1})").unknown_members == 1);
    Checker conditional{"{properties: {a: {}}, if: {properties: {n: {type: integer}}},"
                        " then: {required: [a]}}"};
    CHECK(conditional.check(R"({"a":1,"n":1})").unknown_members == 1);

    Checker list{"items: {properties: {old: {deprecated: true}}}"};
    CHECK(list.check(R"([{"old":1},{"old":2}])").deprecated_members
          == std::vector<std::string_view>{"old"});
}

} // namespace
} // namespace sallyport::contract::test::keywords_test
