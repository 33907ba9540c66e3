// Recursive schemas: their own rules and levels at each place from which one is entered.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::recursive_rules_test {
namespace {

// A document whose body has two properties that refer to the same recursive schema.
[[nodiscard]] std::shared_ptr<Contract const> two_entries(std::string const& schemas) {
    return load_document(
        "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, requestBody: "
        "{content: {application/json: {schema: {properties: {"
        "x: {x-source: X, $ref: '#/components/schemas/N'}, "
        "y: {x-source: Y, $ref: '#/components/schemas/N'}}}}}}}}}\n"
        "components: {schemas: {"
        + schemas + "}}");
}

TEST_CASE("a recursive schema has rules of its own at each place from which it is entered") {
    auto const contract = two_entries("N: {type: object, properties: {v: {type: integer}, "
                                      "c: {$ref: '#/components/schemas/N'}}}");
    auto const& schema =
        *contract->find_operation("o")->request_body->find("application/json")->schema;
    Validator validator;
    struct Broken {
        std::string body;
        std::string rule;
        std::string source;
    };
    for (auto const& one : std::vector<Broken>{
             {R"({"x":{"v":"?"}})", "/properties/x/$ref/properties/v/type", "X"},
             {R"({"y":{"v":"?"}})", "/properties/y/$ref/properties/v/type", "Y"},
             // Turns of the recursion are one rule.
             {R"({"x":{"c":{"c":{"v":"?"}}}})", "/properties/x/$ref/properties/v/type", "X"},
             {R"({"y":{"c":{"c":{"v":"?"}}}})", "/properties/y/$ref/properties/v/type", "Y"},
         }) {
        INFO(one.body);
        auto const& report = validator.validate(schema, Body{one.body}.view(), {}, {});
        REQUIRE(report.violations.size() == 1);
        CHECK(report.violations[0].rule_pointer == one.rule);
        CHECK(report.violations[0].source == one.source);
    }
    // A level of one has no effect on the other.
    auto const compiled = LevelTable::compile(
        *contract, {}, {{"o", "/properties/x/$ref/properties/v/type", Level::off}});
    REQUIRE(compiled.problems.empty());
    auto const verdict = [&](std::string_view body) {
        return verdict_of(validator.validate(schema, Body{body}.view(), {}, compiled.table));
    };
    CHECK(verdict(R"({"x":{"v":"?","c":{"v":"?"}}})") == "valid");
    CHECK(verdict(R"({"y":{"v":"?"}})") == "/y/v must be an integer, not a string");
    CHECK(verdict(R"({"y":{"c":{"v":"?"}}})") == "/y/c/v must be an integer, not a string");
}

TEST_CASE("so has one that is entered twice inside another one that it refers back to") {
    auto const contract =
        two_entries("N: {properties: {left: {$ref: '#/components/schemas/M'}, right: {$ref: "
                    "'#/components/schemas/M'}}}, "
                    "M: {properties: {v: {type: integer}, up: {$ref: '#/components/schemas/N'}}}");
    auto const& schema =
        *contract->find_operation("o")->request_body->find("application/json")->schema;
    Validator validator;
    for (std::string const member : {"x", "y"}) {
        for (std::string const side : {"left", "right"}) {
            auto const& report = validator.validate(
                schema, Body{R"({")" + member + R"(":{")" + side + R"(":{"v":"?"}}})"}.view(), {},
                {});
            REQUIRE(report.violations.size() == 1);
            CHECK(report.violations[0].rule_pointer
                  == "/properties/" + member + "/$ref/properties/" + side
                         + "/$ref/properties/v/type");
        }
    }
}

TEST_CASE("conditions of two properties on one recursive schema are separate") {
    auto const contract = two_entries(
        "N: {not: {$ref: '#/components/schemas/M'}}, "
        "M: {type: object, properties: {v: {const: 1}, up: {$ref: '#/components/schemas/M'}}}");
    auto const& schema =
        *contract->find_operation("o")->request_body->find("application/json")->schema;
    auto const compiled = LevelTable::compile(
        *contract, {}, {{"o", "/properties/x/$ref/not/$ref/properties/v/const", Level::off}});
    REQUIRE(compiled.problems.empty());
    Validator validator;
    auto const verdict = [&](std::string_view body) {
        return verdict_of(validator.validate(schema, Body{body}.view(), {}, compiled.table));
    };
    CHECK(verdict(R"({"y":{"v":2}})") == "valid");
    CHECK(verdict(R"({"x":{"v":2}})") == "/x must not match what the contract excludes");
}

} // namespace
} // namespace sallyport::contract::test::recursive_rules_test
