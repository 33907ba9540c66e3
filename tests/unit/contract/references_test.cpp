// Targets of references: anchors, `$id`, other documents, and dynamic scopes.
#include "tests/unit/contract/folder.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::references_test {
namespace {

[[nodiscard]] std::string first_problem(std::string_view schema, LoadOptions const& options = {}) {
    auto const loaded = Contract::load_schema(schema, "schema.yaml", Formats::assert_them, options);
    return loaded.problems.empty() ? "none" : describe(loaded.problems.front());
}

[[nodiscard]] std::string verdict(std::string_view schema, std::string_view body,
                                  LoadOptions const& options = {}) {
    auto const loaded = Contract::load_schema(schema, "schema.yaml", Formats::assert_them, options);
    if (!loaded.contract) return describe(loaded.problems.front());
    Validator validator;
    return verdict_of(validator.validate(*loaded.contract->schema(), Body{body}.view(), {}, {}));
}

TEST_CASE("a reference to an unknown target is a problem with its target") {
    CHECK(
        first_problem("$ref: 'http://example.com/a.json'")
        == R"(schema.yaml:1:7: ["$ref"]: "http://example.com/a.json" is not a known document; name a folder of schemas that contains it, or copy it into this document)");
    CHECK(
        first_problem("$ref: '#nowhere'")
        == R"(schema.yaml:1:7: ["$ref"]: "#nowhere" refers to nothing in this document; write #/$defs/ and a name that is defined there)");
    CHECK(first_problem("$dynamicRef: '#nowhere'").find("refers to nothing") != std::string::npos);
}

TEST_CASE("ambiguous names and URIs do not load") {
    CHECK(
        first_problem("$defs: {a: {$anchor: x}, b: {$anchor: x}}")
        == R"(schema.yaml:1:39: ["$defs"].b["$anchor"]: "x" is also the anchor of another schema; write another name)");
    CHECK(
        first_problem("$defs: {a: {$id: 'http://x/a'}, b: {$id: 'http://x/a'}}")
        == R"(schema.yaml:1:42: ["$defs"].b["$id"]: "http://x/a" is also the $id of another schema; write another URI, or remove one of the two)");
    CHECK(first_problem("$anchor: 'a b'").find("must be a name") != std::string::npos);
    CHECK(first_problem("$id: 'http://x/a#b'").find("URI without fragment") != std::string::npos);
    CHECK(first_problem("$id: ''")
          == R"(schema.yaml:1:6: ["$id"]: is empty; write a URI, or remove it)");
    CHECK(
        first_problem("properties: {a: {$schema: 'https://json-schema.org/draft/2020-12/schema'}}")
            .find("is in a schema without $id")
        != std::string::npos);
}

TEST_CASE("a reference that refers back to itself in place does not load") {
    CHECK(first_problem("$ref: '#'").find("refers back to this schema") != std::string::npos);
    // First used in an item, then in place.
    CHECK(first_problem(
              "items: {$ref: '#/$defs/x'}\n$ref: '#/$defs/x'\n$defs: {x: {not: {$ref: '#'}}}")
              .find("refers back to this schema")
          != std::string::npos);
    CHECK(first_problem("items: {$ref: '#/$defs/x'}\nproperties: {a: {$ref: '#/$defs/x'}}\n"
                        "$defs: {x: {not: {$ref: '#'}}}")
          == "none");
    CHECK(
        first_problem("$anchor: a\nallOf: [{$dynamicRef: '#a'}]").find("refers back to this schema")
        != std::string::npos);
}

TEST_CASE("a file is found by the path of its URI, and by its $id, but never outside the folder") {
    Folder const folder;
    folder.write("types/number.json", R"({"type": "number"})");
    folder.write("elsewhere.yaml", "$id: urn:example:text\ntype: string\n");
    CHECK(verdict("$ref: 'http://example.com/types/number.json'", "5", folder.options())
          == "valid");
    CHECK(verdict("$ref: 'http://example.com/types/number.json'", "true", folder.options())
          == "the body must be a number, not a boolean");
    CHECK(verdict("$ref: 'urn:example:text'", "5", folder.options())
          == "the body must be a string, not a number");
    CHECK(verdict("$id: 'http://h/types/x'\n$ref: number.json", "true", folder.options())
          == "the body must be a number, not a boolean");
    Folder const inner;
    inner.write("a/b.json", "{}");
    LoadOptions const below{{inner.options().schema_folders.front() + "/a"}};
    for (auto const* const reference : {"http://x/%2e%2e/a/b.json", "http://x/..%2Fa/b.json",
                                        "http://x/a%5Cb.json", "urn:../b.json"}) {
        INFO(reference);
        CHECK(first_problem("$ref: '" + std::string{reference} + "'", below)
                  .find("is not a known document")
              != std::string::npos);
    }
}

TEST_CASE("a document that is not in a named folder has a hint for that folder") {
    Folder const folder;
    CHECK(
        first_problem("$ref: other.yaml", folder.options())
        == R"(schema.yaml:1:7: ["$ref"]: "other.yaml" is not a known document; put it into the folder of schemas, as its path or with this $id, or copy it into this document)");
}

TEST_CASE("files refer to each other by relative paths, which cannot leave the folder") {
    Folder const folder;
    folder.write("common.json", R"({"type": "integer"})");
    folder.write("schemas/pet.json", R"({"$ref": "../common.json"})");
    folder.write("schemas/near.json", R"({"$ref": "./deep/../pet.json"})");
    folder.write("schemas/deep/cat.json", R"({"$ref": "../../common.json"})");
    folder.write("schemas/deep/high.json", R"({"$ref": "../../../common.json"})");
    for (auto const* const file : {"pet.json", "near.json", "deep/cat.json"}) {
        std::string const schema = "$ref: schemas/" + std::string{file};
        INFO(schema);
        CHECK(verdict(schema, "1", folder.options()) == "valid");
        CHECK(verdict(schema, "true", folder.options())
              == "the body must be an integer, not a boolean");
    }
    for (auto const* const above : {"../common.json", "schemas/../../common.json",
                                    "schemas/deep/high.json", "../../common.json"}) {
        INFO(above);
        CHECK(first_problem("$ref: " + std::string{above}, folder.options())
                  .find("is not a known document")
              != std::string::npos);
    }
}

TEST_CASE("a file that is referred to by its path and by its $id is read once") {
    Folder const folder;
    folder.write("a.json", R"({"$id": "http://x/a", "$defs": {"i": {"type": "integer"}}})");
    for (auto const* const schema :
         {"allOf: [{$ref: 'a.json#/$defs/i'}, {$ref: 'http://x/a#/$defs/i'}]",
          "allOf: [{$ref: 'http://x/a#/$defs/i'}, {$ref: 'a.json#/$defs/i'}]",
          "allOf: [{$ref: 'http://x/a#/$defs/i'}, {$ref: '/a.json#/$defs/i'}]"}) {
        INFO(schema);
        CHECK(verdict(schema, "1", folder.options()) == "valid");
        CHECK(verdict(schema, "true", folder.options())
              == "the body must be an integer, not a boolean; the body must be an integer, not a "
                 "boolean");
    }
}

TEST_CASE("a reference to an $id that two files have does not load") {
    Folder const folder;
    folder.write("a.json", R"({"$id": "http://x/s", "type": "integer"})");
    folder.write("b.json", R"({"$id": "http://x/s", "type": "string"})");
    folder.write("c.json", R"({"$id": "c.json", "type": "boolean"})");
    folder.write("below/c.json", R"({"$id": "c.json", "type": "null"})");
    std::string const at = folder.options().schema_folders.front();
    auto const both = [&at](std::string const& one, std::string const& other) {
        return " refers to " + at + '/' + one + ", whose $id is also that of " + at + '/'
               + other + "; give one of the two another $id, or remove it";
    };
    CHECK(first_problem("$ref: 'http://x/s'", folder.options())
          == R"(schema.yaml:1:7: ["$ref"]: "http://x/s")" + both("a.json", "b.json"));
    CHECK(first_problem("properties: {m: {$ref: 'http://y/b.json'}}", folder.options())
          == R"(schema.yaml:1:24: properties.m["$ref"]: "http://y/b.json")"
                 + both("b.json", "a.json"));
    // Each folder contains the other: one file, not two.
    LoadOptions const twice{{at + "/below", at}};
    CHECK(verdict("$ref: 'http://x/below/c.json'", "null", twice) == "valid");
    CHECK(first_problem("type: string", folder.options()) == "none");
}

TEST_CASE("values and foreign x- keywords are data, whatever they look like") {
    for (auto const* const data :
         {"x-data: {a: {$id: 'order#1'}, b: {$anchor: '1'}}", "default: {$anchor: '1'}",
          "examples: [{$id: 'order#1'}]", "enum: [{$id: 'order#1', $anchor: '1'}]",
          "const: {$ref: '#/nowhere', $id: 'order#1'}", "example: {$dynamicAnchor: '1'}"}) {
        INFO(data);
        CHECK(Contract::load_schema(data, "schema.yaml").contract != nullptr);
        CHECK(Contract::load_text("openapi: 3.1.0\ninfo: {title: T}\npaths:\n  x-more: {$id: "
                                  "'a#b'}\n  /a:\n    get:\n      operationId: o\n      "
                                  "x-data: {a: {$id: 'order#1'}, b: {$anchor: '1'}}\n"
                                  "components: {schemas: {S: {"
                                      + std::string{data} + "}}}",
                                  "api.yaml")
                  .contract
              != nullptr);
    }
    // The gateway's own x- keywords contain schemas.
    CHECK(first_problem("x-when: [{labels: {a: 1}, schema: {$anchor: '1'}}]").find("must be a name")
          != std::string::npos);
    // A schema may be in them as the target of references.
    CHECK(verdict("x-shared: {a: {properties: {b: {$ref: '#/x-shared/a'}}, "
                  "unevaluatedProperties: false}}\n$ref: '#/x-shared/a'",
                  R"({"b": {"c": 1}})")
          == "/b/c is not a property that the contract allows");
}

TEST_CASE("a file that is not a document is reported with its own position") {
    Folder const folder;
    folder.write("bad.json", "{");
    auto const loaded = Contract::load_schema("$ref: 'http://h/bad.json'", "schema.yaml",
                                              Formats::assert_them, folder.options());
    REQUIRE(loaded.contract == nullptr);
    REQUIRE(loaded.problems.size() >= 2);
}

TEST_CASE("a dialect is defined by its metaschema, and one with unknown vocabularies is refused") {
    Folder const folder;
    folder.write("plain.json", R"({"$vocabulary": {
        "https://json-schema.org/draft/2020-12/vocab/core": true,
        "https://json-schema.org/draft/2020-12/vocab/applicator": true}})");
    folder.write("strict.json", R"({"$vocabulary": {
        "https://json-schema.org/draft/2020-12/vocab/core": true,
        "http://example.com/unheard-of": true}})");
    CHECK(first_problem("$schema: 'http://h/strict.json'", folder.options())
              .find("needs the vocabulary \"http://example.com/unheard-of\"")
          != std::string::npos);
    CHECK(first_problem("$schema: 'http://json-schema.org/draft-07/schema#'")
              .find("is a dialect that is not implemented")
          != std::string::npos);
    CHECK(verdict("$schema: 'http://h/plain.json'\nminimum: 3\nrequired: [a]\n"
                  "properties: {a: {maximum: 3}}\nadditionalProperties: false",
                  R"({"b": 1})", folder.options())
          == "/b is not a property that the contract allows");
}

TEST_CASE("formats are asserted if the loader or the dialect requires it") {
    auto const check = [](std::string_view schema, Formats formats, LoadOptions const& options) {
        auto const loaded = Contract::load_schema(schema, "schema.yaml", formats, options);
        REQUIRE(loaded.contract != nullptr);
        Validator validator;
        return verdict_of(
            validator.validate(*loaded.contract->schema(), Body{R"("x")"}.view(), {}, {}));
    };
    Folder const folder;
    folder.write("assert.json", R"({"$vocabulary": {
        "https://json-schema.org/draft/2020-12/vocab/core": true,
        "https://json-schema.org/draft/2020-12/vocab/format-assertion": true}})");
    CHECK(check("format: uuid", Formats::annotate, {}) == "valid");
    CHECK(check("format: uuid", Formats::assert_them, {}) == "the body must be a uuid");
    CHECK(
        check("$schema: 'http://h/assert.json'\nformat: uuid", Formats::annotate, folder.options())
        == "the body must be a uuid");
}

TEST_CASE("a schema can be checked against the metaschema, which needs no folder") {
    constexpr auto schema = "$ref: 'https://json-schema.org/draft/2020-12/schema'";
    CHECK(verdict(schema, R"({"properties": {"a": {"minLength": -1}}})")
          == "/properties/a/minLength must be at least 0");
    CHECK(verdict(schema, R"({"properties": {"a": {"minLength": 1}}, "not": {"type": ["null"]}})")
          == "valid");
}

TEST_CASE("rule pointers contain the steps of a dynamic reference") {
    auto const loaded = Contract::load_schema(
        "$id: 'http://x/strict'\n$dynamicAnchor: node\n$ref: tree\nunevaluatedProperties: false\n"
        "$defs: {t: {$id: tree, $dynamicAnchor: node, properties: {data: true, "
        "children: {items: {$dynamicRef: '#node'}}}}}",
        "schema.yaml");
    REQUIRE(loaded.contract != nullptr);
    Validator validator;
    auto const& report = validator.validate(*loaded.contract->schema(),
                                            Body{R"({"children": [{"daat": 1}]})"}.view(), {}, {});
    REQUIRE(report.violations.size() == 1);
    CHECK(report.violations[0].pointer == "/children/0/*");
    CHECK(report.violations[0].rule == "unevaluatedProperties");
    CHECK(report.violations[0].rule_pointer == "/unevaluatedProperties");
}

} // namespace
} // namespace sallyport::contract::test::references_test
