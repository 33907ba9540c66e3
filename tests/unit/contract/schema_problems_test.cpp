// Schemas that do not load, each with its message.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::schema_problems_test {
namespace {

struct Case {
    std::string text;
    std::string problem;
};

TEST_CASE("a schema with something invalid or not implemented does not load") {
    for (
        auto const& one : std::vector<Case>{
            {"$recursiveRef: '#'",
             R"(schema.yaml:1:1: ["$recursiveRef"]: the keyword "$recursiveRef" is not implemented; write $dynamicRef)"},
            {"patternProperties: {'(?=a)b': {}}",
             R"(schema.yaml:1:31: patternProperties["(?=a)b"]: the pattern cannot be used: look-ahead at the beginning of the pattern without ^ has no equivalent in linear time; write ^ in front of it, or several patterns in allOf)"},
            {"patternProperties: []",
             "schema.yaml:1:20: patternProperties: must be a mapping of patterns to schemas"},
            {"contains: {}\nminContains: -1",
             "schema.yaml:2:14: minContains: must be an integer, 0 or above; write one such as 64"},
            {"dependentSchemas: 1",
             "schema.yaml:1:19: dependentSchemas: must be a mapping of schemas"},
            {"maximun: 5",
             R"(schema.yaml:1:1: maximun: the keyword "maximun" is not implemented; did you mean "maximum"?)"},
            {"properties:\n  a:\n    items: {dependencies: {}}",
             R"(schema.yaml:3:13: properties.a.items.dependencies: the keyword "dependencies" is not implemented; write dependentRequired or dependentSchemas)"},
            {"5", "schema.yaml:1:1: is an integer, not a schema; write a mapping of keywords, "
                  "true or false"},
            {"properties: {a: []}", "schema.yaml:1:17: properties.a: is a list, not a schema; "
                                    "write a mapping of keywords, true or false"},
            {"type: int",
             R"(schema.yaml:1:7: type: the type "int" is unknown; write one of null, boolean, integer, number, string, array or object)"},
            {"type: []", "schema.yaml:1:7: type: must be a type, or a list of types"},
            {"enum: x", "schema.yaml:1:7: enum: must be a list of values"},
            {"enum: [.inf]",
             "schema.yaml:1:8: enum[0]: contains a number that JSON does not allow"},
            {"maximum: 'x'", "schema.yaml:1:10: maximum: must be a number, written as in JSON"},
            {"minimum: .nan", "schema.yaml:1:10: minimum: must be a number, written as in JSON"},
            {"multipleOf: 0",
             "schema.yaml:1:13: multipleOf: must be a number above 0, written as in JSON"},
            {"multipleOf: -2",
             "schema.yaml:1:13: multipleOf: must be a number above 0, written as in JSON"},
            {"multipleOf: 12345678901234567890123",
             "schema.yaml:1:13: multipleOf: has more than 19 digits; write at most 19 digits, not "
             "counting zeros at either end"},
            {"minLength: -1",
             "schema.yaml:1:12: minLength: must be an integer, 0 or above; write one such as 64"},
            {"maxItems: 1.5",
             "schema.yaml:1:11: maxItems: must be an integer, 0 or above; write one such as 64"},
            {"uniqueItems: 1", "schema.yaml:1:14: uniqueItems: must be true or false"},
            {"pattern: 'a+(?=b)c'",
             "schema.yaml:1:10: pattern: the pattern cannot be used: look-ahead in the middle of "
             "the pattern has no equivalent in linear time; write several patterns in allOf, or "
             "one in not"},
            {"pattern: '(a)\\1'",
             "schema.yaml:1:10: pattern: the pattern cannot be used: the back-reference \\1 has no "
             "equivalent in linear time; write out what it may repeat"},
            {"pattern: 5", "schema.yaml:1:10: pattern: must be a string"},
            {"allOf: []", "schema.yaml:1:8: allOf: must be a list of at least one schema"},
            {"prefixItems: {}",
             "schema.yaml:1:14: prefixItems: must be a list of at least one schema"},
            {"properties: []", "schema.yaml:1:13: properties: must be a mapping of schemas"},
            {"required: a", "schema.yaml:1:11: required: must be a list of property names"},
            {"required: [1]", "schema.yaml:1:12: required[0]: must be a property name"},
            {"dependentRequired: {a: b}",
             "schema.yaml:1:24: dependentRequired.a: must be a list of property names"},
            {"$ref: other.yaml",
             R"(schema.yaml:1:7: ["$ref"]: "other.yaml" is not a known document; name a folder of schemas that contains it, or copy it into this document)"},
            {"$ref: '#/$defs/x'",
             R"(schema.yaml:1:7: ["$ref"]: "#/$defs/x" refers to nothing in this document; write #/$defs/ and a name that is defined there)"},
            {"{allOf: [{$ref: '#'}]}",
             R"(schema.yaml:1:17: allOf[0]["$ref"]: "#" refers back to this schema without a property or an item in between; put it into properties or items, or remove it)"},
            {"x-when: {}", "schema.yaml:1:9: x-when: must be a list of {labels, schema}"},
            {"x-when: [{labels: {a: 1}}]",
             "schema.yaml:1:10: x-when[0]: must have labels and schema, and nothing else"},
            {"x-when: [{labels: {}, schema: false}]",
             "schema.yaml:1:19: x-when[0].labels: must be a mapping of labels to the values that "
             "are bound"},
            {"x-when: [{labels: {a: []}, schema: false}]",
             "schema.yaml:1:23: x-when[0].labels.a: never applies: the list is empty"},
            {"x-when: [{labels: {a: null}, schema: false}]",
             "schema.yaml:1:20: x-when[0].labels.a: must be a string, a number, true or false, or "
             "a list of these"},
            {"x-source: 5", "schema.yaml:1:11: x-source: must be a string"},
            {"dependentRequired: {a: [b, c, b]}",
             "schema.yaml:1:31: dependentRequired.a[2]: is listed twice; remove one of the two"},
            // RFC 6901, 4: the index of a list has no leading zero.
            {"{allOf: [{}, {}], properties: {a: {$ref: '#/allOf/01'}}}",
             R"(schema.yaml:1:42: properties.a["$ref"]: "#/allOf/01" refers to nothing in this document; write #/$defs/ and a name that is defined there)"},
            {"{allOf: [{}], $ref: '#/allOf/00'}",
             R"(schema.yaml:1:21: ["$ref"]: "#/allOf/00" refers to nothing in this document; write #/$defs/ and a name that is defined there)"},
            {"$schema: http://json-schema.org/draft-07/schema#",
             R"(schema.yaml:1:10: ["$schema"]: is a dialect that is not implemented; write https://json-schema.org/draft/2020-12/schema)"},
        }) {
        INFO(one.text);
        auto const problems = problems_of_schema(one.text);
        REQUIRE(problems.size() == 1);
        CHECK(problems[0] == one.problem);
    }
}

} // namespace
} // namespace sallyport::contract::test::schema_problems_test
