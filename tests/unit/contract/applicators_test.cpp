// Keywords for names, for some of the items or properties, and for what others have not evaluated:
// messages, rule pointers and levels.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::applicators_test {
namespace {

// The result for a body if rules of the schema have other levels.
struct Leveled {
    std::string enforced; // messages
    std::string reported;
};
[[nodiscard]] Leveled check(std::string_view schema, std::string_view body, ApiLevels levels,
                            std::vector<LevelOverride> const& overrides = {}) {
    // A complete document: only operations have levels.
    std::string const text =
        "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, requestBody: "
        "{content: {application/json: {schema: "
        + std::string{schema} + "}}}}}}\n";
    auto const contract = load_document(text);
    auto const compiled = LevelTable::compile(*contract, levels, overrides);
    REQUIRE(compiled.problems.empty());
    Validator validator;
    auto const& type = contract->operations().front().request_body->media_types.front();
    auto const& report = validator.validate(*type.schema, Body{body}.view(), {}, compiled.table);
    Leveled result{verdict_of(report), {}};
    for (auto const& one : report.reported)
        result.reported += (result.reported.empty() ? "" : "; ") + message_of(one);
    return result;
}

[[nodiscard]] Leveled check_one(std::string_view schema, std::string_view body, std::string rule,
                                Level level) {
    return check(schema, body, {}, {{"o", std::move(rule), level}});
}

TEST_CASE("contains limits the number of matching items") {
    Checker some{"contains: {type: integer}"};
    CHECK(some.verdict(R"(["a", 1.5])")
          == "the body must contain at least 1 item of the form that the contract requires");
    CHECK(some.verdict(R"(["a", 1.0])") == "valid");
    Checker counted{"contains: {const: 1}\nminContains: 2\nmaxContains: 3"};
    CHECK(counted.verdict("[1]")
          == "the body must contain at least 2 items of the form that the contract requires");
    CHECK(counted.verdict("[1, 1, 1, 1]")
          == "the body must contain at most 3 items of the form that the contract requires");
    CHECK(counted.verdict("[1, 1.0, 2]") == "valid");
    CHECK(counted.check("[1]").violations.at(0).rule_pointer == "/minContains");
    Checker none{"contains: {const: 1}\nminContains: 0"};
    CHECK(none.verdict("[]") == "valid");
}

TEST_CASE("properties whose names match a pattern have its rules, and their names are not logged") {
    Checker checker{"patternProperties: {'^n_': {type: number}, '_s$': {maxLength: 1}}\n"
                    "properties: {n_b: {minimum: 2}}\nadditionalProperties: false"};
    CHECK(checker.verdict(R"({"n_a": "x"})") == "/n_a must be a number, not a string");
    CHECK(checker.check(R"({"n_a": "x"})").violations.at(0).pointer == "/*");
    CHECK(checker.verdict(R"({"n_b": 1})") == "/n_b must be at least 2");
    CHECK(checker.verdict(R"({"n_b": "x"})") == "/n_b must be a number, not a string");
    CHECK(checker.verdict(R"({"a_s": "xy"})") == "/a_s must have at most 1 character");
    CHECK(checker.verdict(R"({"b": 1})") == "/b is not a property that the contract allows");
    CHECK(checker.verdict(R"({"n_a": 1, "n_b": 2, "a_s": "x"})") == "valid");
    CHECK(checker.check(R"({"n_a": "x"})").violations.at(0).rule_pointer
          == "/patternProperties/^n_/type");
}

TEST_CASE("properties that match a pattern do not count as unknown") {
    Checker checker{"properties: {a: {}}\npatternProperties: {'^b': {}}"};
    CHECK(checker.check(R"({"a": 1, "b1": 1, "b2": 1, "c": 1})").unknown_members == 1);
    Checker apart{"allOf: [{properties: {a: {}}}, {patternProperties: {'^b': {}, '^a': {}}}]"};
    CHECK(apart.check(R"({"a": 1, "b1": 1, "c": 1, "d": 1})").unknown_members == 2);
}

TEST_CASE("the empty name is a property name, unknown unless a schema declares it") {
    Checker closed{"properties: {a: {}}\nrequired: [a]\nadditionalProperties: {type: string}"};
    CHECK(closed.check(R"({"a": 1, "": "b"})").unknown_members == 1);
    CHECK(closed.check(R"({"a": 1, "": 1})").outcome == Outcome::violated);
    Checker declared{"properties: {a: {}, '': {type: integer}}\nadditionalProperties: false"};
    CHECK(declared.check(R"({"a": 1, "": 1})").outcome == Outcome::valid);
    CHECK(declared.check(R"({"a": 1, "": "b"})").outcome == Outcome::violated);
}

TEST_CASE("undeclared properties are found by name at any place") {
    auto const contract =
        load_schema("properties: {a: {items: {properties: {password: {}}}}, b: {}}\n"
                    "patternProperties: {'^token$': {}}");
    UndeclaredSearch search;
    search.is_wanted = [](std::string_view name) { return name == "password" || name == "token"; };
    Validator validator;
    auto const& report = validator.validate(
        *contract->schema(),
        Body{
            R"({"password": 1, "token": 2, "b": {"token": {}}, "a": [{"password": 1}, {"x": {"token": 1}}]})"}
            .view(),
        {}, {}, &search);
    CHECK(report.outcome == Outcome::valid);
    CHECK(search.pointers == std::vector<std::string>{"/*", "/b/*", "/a/1/*/*"});
    (void)validator.validate(*contract->schema(), Body{"5"}.view(), {}, {}, &search);
    CHECK(search.pointers.empty());
}

TEST_CASE("propertyNames checks names, and the message says so") {
    Checker checker{
        "propertyNames: {maxLength: 3, pattern: '^[a-z]*$'}\nproperties: {long_name: {}}"};
    CHECK(checker.verdict(R"({"abcd": 1})") == "/abcd has a name that must have at most 3 characters");
    CHECK(checker.verdict(R"({"A": 1})") == "/A has a name that must match the pattern ^[a-z]*$");
    CHECK(checker.verdict(R"({"abc": 1, "": 2})") == "valid");
    Checker none{"propertyNames: false"};
    CHECK(none.verdict(R"({"a": 1})") == "/a has a name that must not be present");
    CHECK(none.verdict("{}") == "valid");
}

TEST_CASE("dependentSchemas apply if their property is present") {
    Checker checker{
        "dependentSchemas: {card: {required: [address], properties: {address: {minLength: 2}}}}"};
    CHECK(checker.verdict(R"({"card": 1})") == "/address is required");
    CHECK(checker.verdict(R"({"card": 1, "address": "x"})")
          == "/address must have at least 2 characters");
    CHECK(checker.verdict(R"({"address": "x"})") == "valid");
}

TEST_CASE("unevaluated properties and items are those that no matching schema has evaluated") {
    Checker members{"properties: {a: {}}\nanyOf: [{properties: {b: {const: 1}}, required: [b]}, "
                    "{properties: {c: {}}, required: [c]}]\nunevaluatedProperties: {type: string}"};
    // What only a form declares that does not match is not declared.
    CHECK(members.verdict(R"({"a": 1, "c": 1, "b": 2})") == "/b must be a string, not a number");
    CHECK(members.verdict(R"({"a": 1, "c": 1, "b": 1})") == "valid");
    CHECK(members.verdict(R"({"a": 1, "c": 1, "b": "x"})") == "valid");
    Checker items{"prefixItems: [{}]\ncontains: {const: x}\nunevaluatedItems: false"};
    CHECK(items.verdict(R"([1, "x", 2, "x"])") == "/2 is not an item that the contract allows");
    CHECK(items.verdict(R"([1, "x", "x"])") == "valid");
}

TEST_CASE("every matching branch evaluates, also after the first one") {
    Checker members{"anyOf: [{maxProperties: 1}, {additionalProperties: true}]\n"
                    "unevaluatedProperties: false"};
    CHECK(members.verdict(R"({"a": 1})") == "valid");
    Checker items{"anyOf: [{minItems: 0}, {items: true}]\nunevaluatedItems: false"};
    CHECK(items.verdict("[1]") == "valid");
}

TEST_CASE("what an unevaluated keyword accepts is evaluated for the schema around it") {
    Checker members{"allOf: [{unevaluatedProperties: {type: integer}}]\n"
                    "unevaluatedProperties: false"};
    CHECK(members.verdict(R"({"a": 1})") == "valid");
    Checker items{"allOf: [{unevaluatedItems: {type: integer}}]\nunevaluatedItems: false"};
    CHECK(items.verdict("[1]") == "valid");
}

TEST_CASE("what a schema inside not evaluates does not count") {
    constexpr auto schema = "{not: {properties: {a: {}}}, unevaluatedProperties: {type: string}}";
    for (Level const level : {Level::off, Level::report}) {
        CHECK(check_one(schema, R"({"a": 1})", "/not", level).enforced
              == "/a must be a string, not a number");
    }
}

TEST_CASE("a branch that matches without reports is preferred to one with reports") {
    constexpr auto schema = "{anyOf: [{properties: {a: {}}}, {properties: {a: {maximum: 1}}}]}";
    auto const rule = "/anyOf/1/properties/a/maximum";
    CHECK(check_one(schema, R"({"a": 5})", rule, Level::report).reported.empty());
}

TEST_CASE("an invalid property is not reported as unevaluated as well") {
    Checker checker{"allOf: [{properties: {a: {type: integer}}}]\nunevaluatedProperties: false"};
    CHECK(checker.verdict(R"({"a": "x"})") == "/a must be an integer, not a string");
}

TEST_CASE("the level of the operation does not apply inside contains") {
    constexpr auto schema = "{contains: {type: integer}, maxItems: 1}";
    auto const reported = check(schema, R"(["a", "b"])", {Level::report, Level::off});
    CHECK(reported.enforced == "valid");
    CHECK(
        reported.reported
        == "the body must contain at least 1 item of the form that the contract requires; the body "
           "must have at most 1 item");
    auto const off = check(schema, R"(["a", "b"])", {Level::off, Level::off});
    CHECK(off.enforced == "valid");
    CHECK(off.reported.empty());
    // Its own override: every item matches now.
    auto const one = check_one(schema, R"(["a"])", "/contains/type", Level::off);
    CHECK(one.enforced == "valid");
}

TEST_CASE("a rule for additional properties that is off evaluates nothing") {
    constexpr auto schema =
        "{allOf: [{additionalProperties: false}], unevaluatedProperties: {type: string}}";
    auto const body = R"({"a": 1})";
    CHECK(check(schema, body, {}).enforced == "/a is not a property that the contract allows");
    CHECK(check_one(schema, body, "/allOf/0/additionalProperties", Level::off).enforced
          == "/a must be a string, not a number");
    auto const reported = check_one(schema, body, "/allOf/0/additionalProperties", Level::report);
    CHECK(reported.enforced == "valid");
    CHECK(reported.reported == "/* is not a property that the contract allows");

    constexpr auto members =
        "{allOf: [{unevaluatedProperties: false}], unevaluatedProperties: {type: string}}";
    CHECK(check_one(members, body, "/allOf/0/unevaluatedProperties", Level::off).enforced
          == "/a must be a string, not a number");
    constexpr auto items = "{allOf: [{unevaluatedItems: false}], unevaluatedItems: {type: string}}";
    CHECK(check_one(items, "[1]", "/allOf/0/unevaluatedItems", Level::off).enforced
          == "/0 must be a string, not a number");
}

} // namespace
} // namespace sallyport::contract::test::applicators_test
