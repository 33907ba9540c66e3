// The limits for a document and for the work on one body, and how much of it is reported: rules and
// schemas, checks, work of patterns, violations.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <regex>

namespace sallyport::contract::test::limits_test {
namespace {

// A schema in which each of `levels` schemas refers to the next one twice, and the last to `last`.
std::string doubling(int levels, std::string const& last) {
    std::string text = "{$ref: '#/$defs/s0', $defs: {s" + std::to_string(levels) + ": " + last;
    for (int i = 0; i < levels; ++i) {
        std::string const next = "{$ref: '#/$defs/s" + std::to_string(i + 1) + "'}";
        text += ", s" + std::to_string(i) + ": {properties: {a: " + next + ", b: " + next + "}}";
    }
    return text + "}}";
}

TEST_CASE("schemas with many mutual references are compiled within limits") {
    // Twelve schemas that each refer to all others would be hundreds of millions, if each path were
    // expanded.
    std::string schema = "{$ref: '#/$defs/s0', $defs: {";
    for (int i = 0; i < 12; ++i) {
        schema += (i > 0 ? ", s" : "s") + std::to_string(i) + ": {type: object, properties: {";
        for (int j = 0; j < 12; ++j) {
            schema += (j > 0 ? ", m" : "m") + std::to_string(j) + ": {$ref: '#/$defs/s"
                      + std::to_string(j) + "'}";
        }
        schema += "}}";
    }
    Checker checker{schema + "}}"};
    CHECK(checker.verdict(R"({"m3":{"m7":{"m3":1}}})")
          == "/m3/m7/m3 must be an object, not a number");
}

TEST_CASE("so are recursive schemas that are entered from very many places") {
    std::string schema = "{properties: {";
    for (int i = 0; i < 400; ++i)
        schema += (i > 0 ? ", e" : "e") + std::to_string(i) + ": {$ref: '#/$defs/s0'}";
    schema += "}, $defs: {";
    for (int i = 0; i < 12; ++i) {
        // Without rules, which have a limit of their own.
        schema += (i > 0 ? ", s" : "s") + std::to_string(i) + ": {properties: {";
        for (int j = 0; j < 12; ++j) {
            schema += (j > 0 ? ", m" : "m") + std::to_string(j) + ": {$ref: '#/$defs/s"
                      + std::to_string(j) + "'}";
        }
        schema += (i == 11 ? "}, type: object}" : "}}");
    }
    Checker checker{schema + "}}"};
    CHECK(checker.verdict(R"({"e0":{"m3":{"m11":1}}})")
          == "/e0/m3/m11 must be an object, not a number");
    CHECK(checker.verdict(R"({"e399":{"m3":{"m11":1}}})")
          == "/e399/m3/m11 must be an object, not a number");
}

TEST_CASE("the time to load an object schema is linear in the number of properties") {
    // With a linear search for each name this would take minutes.
    std::string properties;
    std::string names;
    for (int i = 0; i < 90'000; ++i) {
        std::string const name = "\"m" + std::to_string(i) + '"';
        properties += (i > 0 ? "," : "") + name + ":{}";
        names += (i > 0 ? "," : "") + name;
    }
    // Of this process: independent of other processes on the machine.
    auto const begin = std::clock();
    Checker checker{R"({"properties":{)" + properties + R"(},"required":[)" + names
                    + R"(],"dependentRequired":{"a":[)" + names + "]}}"};
    CHECK(std::clock() - begin < std::clock_t{10} * CLOCKS_PER_SEC);
    CHECK(checker.check("{}").violations.size() == max_violations);
}

TEST_CASE("all violations of a body are collected, up to 32") {
    Checker checker{"items: {type: integer}"};
    std::string body = "[";
    for (int i = 0; i < 40; ++i)
        body += (i > 0 ? ",\"x\"" : "\"x\"");
    auto const& report = checker.check(body + "]");
    CHECK(report.violations.size() == max_violations);
    CHECK(report.more_violations);
    REQUIRE(report.not_kept.size() == 1);
    CHECK(report.not_kept[0].rule == "type");
    CHECK(report.not_kept[0].level == Level::enforce);
    CHECK(report.not_kept[0].count == 8);
    auto const& fewer = checker.check(R"(["x","x"])");
    CHECK(fewer.violations.size() == 2);
    CHECK_FALSE(fewer.more_violations);
    CHECK(fewer.not_kept.empty());
}

TEST_CASE("forms of a recursive schema are checked once for each value at any depth") {
    // Without stored results each level checks the next one once for each form: 3^50 checks at the
    // bottom. The property that distinguishes the forms is the last one, so that no form is
    // excluded early.
    Checker checker{
        "{$ref: '#/$defs/e', $defs: {"
        "e: {oneOf: [{$ref: '#/$defs/and'}, {$ref: '#/$defs/or'}, {$ref: '#/$defs/leaf'}]},"
        "and: {required: [op], properties: {args: {items: {$ref: '#/$defs/e'}}, op: {const: and}}},"
        "or: {required: [op], properties: {args: {items: {$ref: '#/$defs/e'}}, op: {const: or}}},"
        "leaf: {required: [op], properties: {op: {const: leaf}, n: {type: integer}}}}}"};
    auto const nested = [](std::string body) {
        for (int i = 0; i < 25; ++i)
            body = R"({"args":[)" + body + R"(],"op":"or"})";
        return body;
    };
    CHECK(checker.verdict(nested(R"({"n":1,"op":"leaf"})")) == "valid");
    std::string places;
    for (int i = 0; i < 25; ++i)
        places += "/args/0";
    CHECK(checker.verdict(nested(R"({"n":"x","op":"leaf"})"))
          == places + "/n must be an integer, not a string");
    // And if the forms only differ by their failure.
    Checker alike{"{$ref: '#/$defs/e', $defs: {"
                  "e: {oneOf: [{$ref: '#/$defs/and'}, {$ref: '#/$defs/or'}, {type: integer}]},"
                  "and: {type: object, properties: {args: {items: {$ref: '#/$defs/e'}}},"
                  " required: [and]},"
                  "or: {type: object, properties: {args: {items: {$ref: '#/$defs/e'}}},"
                  " required: [or]}}}"};
    auto const nested_alike = [](std::string body) {
        for (int i = 0; i < 25; ++i)
            body = R"({"args":[)" + body + R"(],"or":true})";
        return body;
    };
    CHECK(alike.verdict(nested_alike("1")) == "valid");
    CHECK(alike.verdict(nested_alike("null"))
          == "the body must match exactly one of the 3 forms of the contract");

    // The same for assertions, where each violation is recorded once.
    Checker lists{"{$ref: '#/$defs/n', $defs: {n: {type: array, allOf: ["
                  "{items: {$ref: '#/$defs/n'}}, {items: {$ref: '#/$defs/n'}}]}}}"};
    CHECK(lists.verdict(std::string(50, '[') + std::string(50, ']')) == "valid");
    CHECK(lists.check(std::string(50, '[') + "{}" + std::string(50, ']')).violations.size() == 1);
}

TEST_CASE("a stored result is only used for the same kind of check") {
    // The item is checked in three ways: whether it is a small tree, inside `not`; as a branch; and
    // as an assertion. `value` may be reported only as an assertion.
    Checker checker{
        "{properties: {a: {not: {$ref: '#/$defs/t'}},"
        " b: {anyOf: [{$ref: '#/$defs/t'}, {type: string}]}},"
        " allOf: [{properties: {a: {$ref: '#/$defs/u'}}}, {properties: {a: {$ref: '#/$defs/u'}}}],"
        " $defs: {t: {type: object, properties: {value: {maximum: 5}, next: {$ref: '#/$defs/t'}}},"
        " u: {properties: {next: {$ref: '#/$defs/u'}, value: {type: integer}}}}}"};
    CHECK(checker.verdict(R"({"a":{"next":{"next":{"value":6}}}})") == "valid");
    CHECK(checker.verdict(R"({"a":{"next":{"next":{"value":5}}}})")
          == "/a must not match what the contract excludes");
    CHECK(checker.verdict(R"({"b":{"next":{"value":5}}})") == "valid");
    CHECK(checker.verdict(R"({"b":{"next":{"value":6}}})")
          == "/b/next/value must be at most 5");
    // Results for one text have no effect on the next one.
    CHECK(checker.verdict(R"({"b":{"next":{"value":5}}})") == "valid");
}

TEST_CASE("a body with very many checks for each value is refused as too complex") {
    std::string schema = "items: {anyOf: [";
    for (int i = 0; i < 200; ++i)
        schema += (i > 0 ? ",{maximum: -" : "{maximum: -") + std::to_string(i + 1) + '}';
    Checker checker{schema + "]}"};
    auto const body_of = [](std::size_t items) {
        std::string body = "[-200";
        for (std::size_t i = 1; i < items; ++i)
            body += ",-200";
        return body + ']';
    };
    CHECK(checker.verdict(body_of(10'000)) == "valid");
    Checker never{schema + ", {maximum: -201}]}"};
    CHECK(never.verdict(body_of(100'000)) == "valid"); // the first form matches
    std::string ones = "[1";
    for (int i = 1; i < 100'000; ++i)
        ones += ",1";
    CHECK(never.verdict(ones + ']') == "malformed: too_complex");
}

TEST_CASE("the nesting of schemas is limited independently of the nesting of a text") {
    // Each level of the text is checked by 60 schemas in place of each other: 61,440 of them would
    // be open at once. All on the stack of a thread like those of workers.
    auto const layers = [](std::string innermost, std::string_view begin, std::string_view end) {
        for (int i = 0; i < 60; ++i)
            innermost = std::string{begin}.append(innermost).append(end);
        return "{$ref: '#/$defs/t', $defs: {t: " + innermost + "}}";
    };
    std::string const again = "{$ref: '#/$defs/t'}";
    std::string const members = "{additionalProperties: " + again + '}';
    struct Shape {
        std::string schema;
        bool is_array = false;
    };
    std::vector<Shape> const shapes{
        {layers("{items: " + again + '}', "{allOf: [", "], maxItems: 9}"), true},
        {layers("{items: " + again + '}', "{anyOf: [", "], maxItems: 9}"), true},
        {layers("{contains: " + again + ", minContains: 0}", "{allOf: [",
                "], unevaluatedItems: {}}"),
         true},
        {layers(members, "{oneOf: [", "], unevaluatedProperties: {}}")},
        {layers(members, "{if: true, then: ", ", unevaluatedProperties: {}}")},
        {layers(members, "{dependentSchemas: {a: ", "}, unevaluatedProperties: {}}")},
        {layers("{not: {additionalProperties: {not: " + again + "}, minProperties: 1}}",
                "{allOf: [", "], minProperties: 0}")},
    };
    ValidatorLimits limits;
    limits.depth = 1024; // the maximum of the configuration
    for (Shape const& shape : shapes) {
        INFO(shape.schema.substr(shape.schema.size() - 60));
        auto const contract = load_schema(shape.schema);
        Validator validator{limits};
        auto const verdict = [&](int depth) {
            std::string body;
            for (int i = 1; i < depth; ++i)
                body += shape.is_array ? "[" : R"({"a":)";
            body += shape.is_array ? "[]" : "{}";
            body += std::string(static_cast<std::size_t>(depth - 1), shape.is_array ? ']' : '}');
            return verdict_of(
                validator.validate(*contract->schema(), Body{body}.view(), {}, {}));
        };
        CHECK(verdict(1024) == "malformed: too_complex");
        CHECK(verdict(32) == "valid");
    }
    // A few schemas in place are no reason to refuse a text with the maximum nesting.
    auto const list = load_schema("{$ref: '#/$defs/t', $defs: {t: {type: array, maxItems: 1, "
                                  "items: {$ref: '#/$defs/t'}}}}");
    Validator validator{limits};
    std::string const deepest = std::string(1024, '[') + std::string(1024, ']');
    CHECK(verdict_of(validator.validate(*list->schema(), Body{deepest}.view(), {}, {}))
          == "valid");
}

TEST_CASE("a text for which a pattern could take very long is refused as too complex") {
    // At each byte RE2 may be at any of the places of a pattern.
    Checker long_one{R"({pattern: "x[a-z]{0,2000}y"})"};
    auto const text = [](std::size_t size) { return '"' + std::string(size, 'x') + '"'; };
    CHECK(long_one.verdict(text(64'000)) == "malformed: too_complex");
    CHECK(long_one.verdict(text(2'000)) == "the body must match the pattern x[a-z]{0,2000}y");
    // A short pattern may be applied to a long text.
    Checker short_one{R"({items: {pattern: "^[0-9a-f]{8}-[0-9a-f]{27}$"}})"};
    std::string uuids = "[";
    for (int i = 0; i < 20'000; ++i)
        uuids += (i > 0 ? ",\"" : "\"") + ("01234567-" + std::string(27, '0')) + '"';
    CHECK(short_one.verdict(uuids + ']') == "valid");
}

TEST_CASE("a document that grows too large when its references are expanded does not load") {
    auto const problems = problems_of_schema(doubling(30, "{maximum: 1}"));
    REQUIRE(problems.size() == 1);
    CHECK(std::regex_match(
        problems[0],
        std::regex{
            R"(schema\.yaml:1:1: the contract has more than 1500000 rules and schemas, counted )"
            R"(at each place that a \$ref leads to; 15000\d\d belong to this schema; refer )"
            R"(less often to schemas that refer to others)"}));
    // Schemas without a rule count as well.
    CHECK(problems_of_schema(doubling(30, "{}")).size() == 1);
}

TEST_CASE("a document that grows too large without rules does not load either") {
    auto const problems = problems_of_schema(doubling(40, "{}"));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].find("the contract has more than 1500000 rules and schemas")
          != std::string::npos);
}

TEST_CASE("hundreds of operations may refer to one large schema, in requests and in responses") {
    std::string text = "openapi: 3.1.0\ninfo: {title: T}\ncomponents: {schemas: {S: {properties: {";
    for (int i = 0; i < 100; ++i)
        text += 'm' + std::to_string(i) + ": {type: string, maxLength: 50}, ";
    text += "z: {}}}}}\npaths:\n";
    std::string const content =
        "{content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}";
    for (int i = 0; i < 400; ++i) {
        std::string const number = std::to_string(i);
        text += "  /a" + number + ": {post: {operationId: o" + number + ", requestBody: " + content
                + ", responses: {'200': " + content + "}}}\n";
    }
    CHECK(load_document(text)->operations().size() == 400);
}

TEST_CASE("schemas that lead to each other may be nested 400 deep") {
    // Each is a property's, and behind a reference.
    auto const chain = [](int count) {
        std::string text = "{$ref: '#/$defs/s0', $defs: {";
        for (int i = 0; i + 1 < count; ++i)
            text += 's' + std::to_string(i) + ": {properties: {n: {$ref: '#/$defs/s"
                    + std::to_string(i + 1) + "'}}}, ";
        return text + 's' + std::to_string(count - 1) + ": {type: integer}}}";
    };
    auto const value = [](int count) {
        std::string text;
        for (int i = 1; i < count; ++i)
            text += "{\"n\":";
        return text + "\"x\"" + std::string(static_cast<std::size_t>(count - 1), '}');
    };
    Checker checker{chain(190)};
    CHECK(checker.check(value(60)).outcome == Outcome::valid);
    auto const problems = problems_of_schema(chain(210));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].find("schemas are nested too deeply") != std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::limits_test
