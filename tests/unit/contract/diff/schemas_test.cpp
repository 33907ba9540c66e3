// The classes of changes of one schema, by keyword.
#include "gateway/contract/diff/diff.h"
#include "tests/unit/contract/diff/in_words.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::schemas_test {
namespace {

[[nodiscard]] std::string changes_of(std::string_view old, std::string_view now) {
    return in_words(compare_schemas(old, now));
}

struct Case {
    std::string old;
    std::string now;
    std::string there;
    std::string back;
};

TEST_CASE("each keyword is stricter one way and looser the other") {
    for (auto const& one : std::vector<Case>{
             {"{}", "{}", "", ""},
             {"{title: a}", "{title: b, examples: [1]}", "", ""},
             {"{}", "{type: string}", "stricter type", "looser type"},
             {"{type: [integer, string]}", "{type: string}", "stricter type", "looser type"},
             {"{type: integer}", "{type: number}", "looser type", "stricter type"},
             {"{enum: [1, 2]}", "{enum: [2, 1.0]}", "", ""},
             {"{enum: [1, 2]}", "{enum: [1]}", "stricter enum", "looser enum"},
             {"{const: 1}", "{enum: [1, 2]}", "looser const", "stricter const"},
             {"{maximum: 5}", "{maximum: 10}", "looser maximum", "stricter maximum"},
             {"{exclusiveMaximum: 5}", "{maximum: 5}", "looser maximum",
              "stricter exclusiveMaximum"},
             {"{minimum: 1}", "{minimum: 1.0}", "", ""},
             {"{multipleOf: 4}", "{multipleOf: 2}", "looser multipleOf", "stricter multipleOf?"},
             {"{minLength: 1}", "{minLength: 2}", "stricter minLength", "looser minLength"},
             {"{type: integer}", "{type: integer, minLength: 2}", "", ""},
             {"{pattern: a}", "{pattern: b}", "stricter pattern?", "stricter pattern?"},
             {"{pattern: a}", "{}", "looser pattern", "stricter pattern"},
             {"{format: int32}", "{format: int64}", "looser format", "stricter format?"},
             {"{format: own}", "{}", "", ""},
             {"{uniqueItems: true}", "{uniqueItems: false}", "looser uniqueItems",
              "stricter uniqueItems"},
             {"{required: [a]}", "{required: [a, b]}", "stricter required", "looser required"},
             {"{dependentRequired: {a: [b]}}", "{}", "looser dependentRequired",
              "stricter dependentRequired"},
             {"{items: {maximum: 1}}", "{items: {maximum: 2}}", "looser maximum",
              "stricter maximum"},
             {"{items: {type: string}}", "{prefixItems: [{}], items: {type: string}}",
              "looser items", "stricter items"},
             {"{contains: {const: 1}}", "{contains: {const: 1}, minContains: 2}",
              "stricter contains", "looser contains"},
             {"{propertyNames: {maxLength: 2}}", "{propertyNames: {maxLength: 1}}",
              "stricter maxLength", "looser maxLength"},
             {"{x-when: [{labels: {a: b}, schema: {maximum: 1}}]}", "{}", "looser x-when",
              "stricter x-when"},
             {"{unevaluatedProperties: false}", "{}", "looser unevaluatedProperties",
              "stricter unevaluatedProperties"},
         }) {
        INFO(one.old << " -> " << one.now);
        CHECK(changes_of(one.old, one.now) == one.there);
        CHECK(changes_of(one.now, one.old) == one.back);
    }
}

TEST_CASE("what passed undeclared counts for properties that come and go") {
    CHECK(changes_of("{}", "{properties: {a: {}}}").empty());
    CHECK(changes_of("{}", "{properties: {a: {type: string}}}") == "stricter property added");
    CHECK(changes_of("{properties: {a: {type: string}}}", "{}") == "looser property removed");
    CHECK(changes_of("{additionalProperties: false}",
                     "{properties: {a: {type: string}}, additionalProperties: false}")
          == "looser property added");
    CHECK(changes_of("{properties: {a: {type: string}, b: {}}, additionalProperties: false}",
                     "{properties: {b: {}}, additionalProperties: false}")
          == "stricter property removed");
    CHECK(changes_of("{properties: {a: {}}}", "{properties: {a: {}}, additionalProperties: false}")
          == "stricter additionalProperties");
    CHECK(changes_of("{patternProperties: {^a: {type: string}}, additionalProperties: false}",
                     "{properties: {ab: {type: string}}, patternProperties: {^a: {type: string}}, "
                     "additionalProperties: false}")
              .find("stricter")
          == 0); // the pattern already applied: `ab` may be declared, and is not compared with it
}

TEST_CASE("rules may move between a schema, its allOf and its $ref") {
    CHECK(changes_of("{type: string, maxLength: 5}", "{allOf: [{type: string}, {maxLength: 5}]}")
              .empty());
    CHECK(changes_of("{$ref: '#/$defs/a', $defs: {a: {maximum: 5}}}", "{maximum: 5}").empty());
    CHECK(changes_of("{$ref: '#/$defs/a', $defs: {a: {maximum: 5}}}",
                     "{$ref: '#/$defs/b', $defs: {b: {maximum: 4}}}")
          == "stricter maximum");
}

TEST_CASE("forms are compared with each other, whatever their order") {
    CHECK(changes_of("{anyOf: [{type: string}, {type: integer}]}",
                     "{anyOf: [{type: number}, {type: string}]}")
          == "looser anyOf");
    CHECK(
        changes_of("{type: string}", "{anyOf: [{type: string}, {type: integer}]}").find("stricter")
        == std::string::npos);
    CHECK(changes_of("{oneOf: [{type: string}, {type: integer}]}",
                     "{oneOf: [{type: integer}, {type: string}]}")
              .empty());
    CHECK(changes_of("{oneOf: [{type: string}]}", "{oneOf: [{type: string}, {type: integer}]}")
              .find("stricter oneOf?")
          == 0);
}

TEST_CASE("not and if turn a comparison around") {
    CHECK(changes_of("{not: {maximum: 5}}", "{not: {maximum: 4}}") == "looser not");
    CHECK(changes_of("{not: {maximum: 4}}", "{not: {maximum: 5}}") == "stricter not?");
    CHECK(changes_of("{if: {type: string}, then: {maxLength: 5}}",
                     "{if: {type: string}, then: {maxLength: 6}}")
          == "looser if");
    CHECK(changes_of("{if: {type: string}, then: {maxLength: 5}}",
                     "{if: {type: [string]}, then: {maxLength: 4}}")
          == "stricter if?");
}

TEST_CASE("nullable is null beside the other types") {
    CHECK(changes_of("{type: string, nullable: true}", "{type: [string, 'null']}").empty());
    CHECK(changes_of("{type: [string, 'null']}", "{type: string, nullable: true}").empty());
    CHECK(changes_of("{type: string, nullable: true}", "{type: string}") == "stricter type");
    CHECK(changes_of("{enum: [a], nullable: true}", "{enum: [a]}") == "stricter enum");
    CHECK(changes_of("{allOf: [false], nullable: true}", "{allOf: [false]}") == "stricter false");
    CHECK(changes_of("{anyOf: [{type: string}], nullable: true}", "{anyOf: [{type: string}]}")
          == "stricter anyOf?");
}

TEST_CASE("recursive schemas are compared once around") {
    std::string const tree = "{$ref: '#/$defs/t', $defs: {t: {properties: {l: {$ref: '#/$defs/t'}, "
                             "v: {maximum: MAX}}}}}";
    auto const with = [&tree](std::string const& maximum) {
        std::string text = tree;
        return text.replace(text.find("MAX"), 3, maximum);
    };
    CHECK(changes_of(with("5"), with("5")).empty());
    CHECK(changes_of(with("5"), with("6")) == "looser maximum");
    CHECK(changes_of(with("5"), with("4")) == "stricter maximum");
}

TEST_CASE("a change has the place and the values of both") {
    auto const diff =
        compare_schemas("{properties: {a/b: {maximum: 5}}}", "{properties: {a/b: {maximum: 4}}}");
    REQUIRE(diff.changes.size() == 1);
    CHECK(diff.changes[0].where == "/properties/a~1b/maximum");
    CHECK(diff.changes[0].before == "5");
    CHECK(diff.changes[0].after == "4");
}

} // namespace
} // namespace sallyport::contract::test::schemas_test
