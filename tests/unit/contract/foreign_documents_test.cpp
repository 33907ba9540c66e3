// Documents of others: what concerns responses alone keeps none from loading, what is wrong at many
// places is said once, and an overlay is proposed with which the rest loads.
#include "gateway/contract/overlay/propose.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sallyport::contract::test::foreign_documents_test {
namespace {

using sallyport::test::TemporaryFolder;

std::string const head = "openapi: 3.0.3\ninfo: {title: T}\npaths:\n";

[[nodiscard]] std::string operation(std::string const& path, std::string const& rest) {
    return "  " + path + ": {post: {operationId: " + path.substr(1) + ", " + rest + "}}\n";
}
[[nodiscard]] std::string response(std::string const& schema) {
    return "responses: {'200': {description: d, content: {application/json: {schema: " + schema
           + "}}}}";
}
[[nodiscard]] std::string request(std::string const& schema) {
    return "requestBody: {content: {application/json: {schema: " + schema + "}}}";
}
[[nodiscard]] Loaded load(std::string const& document,
                          Unsupported unsupported = Unsupported::refuse) {
    LoadOptions options;
    options.unsupported = unsupported;
    return Contract::load_text(document, "api.yaml", options);
}
[[nodiscard]] std::vector<std::string> all_of(Loaded const& loaded) {
    return descriptions(loaded.problems);
}
[[nodiscard]] Contract const& loaded_of(Loaded const& loaded) {
    for (auto const& one : descriptions(loaded.problems))
        UNSCOPED_INFO(one);
    REQUIRE(loaded.contract != nullptr);
    return *loaded.contract;
}

TEST_CASE("what is wrong in a response keeps no document from loading, and is not checked there") {
    for (auto const* const schema :
         {"{type: strnig}", "{$ref: '#/components/schemas/None'}", "{pattern: '(a)\\1'}",
          "{properties: {a: 5}}", "{type: object, required: 7}", "[1]"}) {
        INFO(schema);
        auto const loaded = load(head + operation("/a", response(schema)));
        auto const& contract = loaded_of(loaded);
        auto const problems = all_of(loaded);
        REQUIRE(problems.size() >= 1);
        CHECK(problems.front().find("warning: ") != std::string::npos);
        CHECK(problems.front().find("unchecked: ") != std::string::npos);
        auto const* const schema_of =
            contract.find_operation("a")->response_schema(200, "application/json");
        if (schema_of == nullptr) continue;
        Validator validator;
        LevelTable const levels;
        CHECK(validator.validate(*schema_of, Body{"{}"}.view(), {}, levels).outcome
              == Outcome::valid);
        // In a request it is an error.
        CHECK(load(head + operation("/a", request(schema))).contract == nullptr);
    }
}

TEST_CASE("a status that is none restricts no statuses, nor do fields of responses that are wrong") {
    auto const loaded =
        load(head + operation("/a", "responses: {'200': {description: d}, 'abc': {description: d}}")
             + operation("/b", "responses: {'200': {description: d, headers: {X-A: {schema: {type: "
                               "strnig}}, 'X B': {schema: {}}}}}"));
    auto const& contract = loaded_of(loaded);
    CHECK_FALSE(contract.find_operation("a")->declared_status);
    // Of its fields the one remains that has a name, without rules.
    REQUIRE(contract.find_operation("b")->responses.front().headers.size() == 1);
}

TEST_CASE("a schema that a response and a request share is an error for the request, once") {
    auto const document = head + operation("/a", response("{$ref: '#/components/schemas/S'}"))
                          + operation("/b", request("{$ref: '#/components/schemas/S'}"))
                          + "components: {schemas: {S: {type: strnig}}}\n";
    auto const loaded = load(document);
    CHECK(loaded.contract == nullptr);
    auto const problems = all_of(loaded);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().find("warning") == std::string::npos);
    CHECK(problems.front().find(R"(components.schemas.S.type: the type "strnig" is unknown)")
          != std::string::npos);
}

TEST_CASE("what requests and responses share at many places is one error, and no warning") {
    std::string schemas = "components: {schemas: {";
    std::string properties;
    for (int i = 0; i < 6; ++i) {
        auto const name = "S" + std::to_string(i);
        schemas += (i == 0 ? "" : ", ") + name + ": {xmaximum: 1}";
        properties +=
            (i == 0 ? "" : ", ") + name + ": {$ref: '#/components/schemas/" + name + "'}";
    }
    for (bool const is_request_first : {false, true}) {
        auto const shared = "{properties: {" + properties + "}}";
        auto const one = operation("/a", is_request_first ? request(shared) : response(shared));
        auto const other = operation("/b", is_request_first ? response(shared) : request(shared));
        auto const problems = all_of(load(head + one + other + schemas + "}}\n"));
        REQUIRE(problems.size() == 1);
        CHECK(problems.front().find("warning") == std::string::npos);
        CHECK(problems.front().find("(and at 5 other places") != std::string::npos);
    }
}

TEST_CASE("a component that no request leads to keeps no document from loading") {
    std::string const broken = "components: {schemas: {S: {type: strnig}}}\n";
    auto const loaded = load(head + operation("/a", "responses: {}") + broken);
    CHECK(loaded.contract != nullptr);
    REQUIRE(all_of(loaded).size() == 1);
    CHECK(all_of(loaded).front().find("warning: components.schemas.S.type: the type")
          != std::string::npos);
    // A document of nothing else is checked for those that will use it.
    CHECK(load("openapi: 3.0.3\ninfo: {title: T}\n" + broken).contract == nullptr);
    // What requests use is an error, used or not.
    CHECK(load(head + operation("/a", "responses: {}")
               + "components: {parameters: {P: {name: p, in: query, schema: {type: strnig}}}}\n")
              .contract
          == nullptr);
}

TEST_CASE("the same problem at many places is one, at the first of them, with their number") {
    std::string document = head;
    for (int i = 0; i < 500; ++i)
        document += operation("/a" + std::to_string(i), request("{type: strnig}"));
    auto const loaded = load(document);
    CHECK(loaded.contract == nullptr);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(config::yaml::describe(loaded.problems.front())
              .find("api.yaml:4:91: paths[\"/a0\"].post.requestBody.content[\"application/json\"]."
                    "schema.type: the type \"strnig\" is unknown (and at 499 other places, the next "
                    "on line 5); did you mean \"string\"?")
          == 0);
    CHECK(loaded.errors.size() == 500);
    // Up to three have a line each.
    auto const few = load(head + operation("/a", request("{type: strnig}"))
                          + operation("/b", request("{type: strnig}"))
                          + operation("/c", request("{type: strnig}")));
    CHECK(few.problems.size() == 3);
}

TEST_CASE("an overlay is proposed with which a document loads") {
    auto const nothing = [](Contract const&) { return config::yaml::Problems{}; };
    TemporaryFolder const folder;
    auto const propose = [&](std::string const& document) {
        return propose_overlay(folder.write("api.yaml", document).string(), {}, nothing);
    };
    auto const loads_with = [&](std::string const& overlay) {
        LoadOptions options;
        options.overlays = {folder.write("proposed.overlay.yaml", overlay).string()};
        return Contract::load_file((folder / "api.yaml").string(), options).contract != nullptr;
    };
    std::string many = head;
    for (int i = 0; i < 40; ++i)
        many += operation("/a" + std::to_string(i), request("{type: strnig, minLength: 1}"));
    auto const one = propose(many);
    // One action for all of them.
    CHECK(one.find("  - target: \"$['paths'][*]['post']['requestBody']['content']"
                   "['application/json']['schema']['type']\"\n    remove: true\n")
          != std::string::npos);
    CHECK(std::count(one.begin(), one.end(), '$') == 1);
    CHECK(loads_with(one));
    // Where a common target would take more, each has its own; a schema behind it is next.
    auto const mixed = propose(
        head + operation("/a", request("{type: strnig, minLength: -1}"))
        + operation("/b", request("{type: string, properties: {'it''s': {pattern: '(a)\\1'}}}"))
        + operation("/c", "parameters: [{name: p, in: query, schema: {}}, {name: q, in: query, "
                          "schema: {$ref: '#/components/schemas/None'}}]"));
    CHECK(mixed.find("[?@.name=='q' && @.in=='query']['schema']['$ref']\"") != std::string::npos);
    CHECK(mixed.find("['it\\\\'s']['pattern']\"") != std::string::npos);
    CHECK(loads_with(mixed));
    // No operation is removed, and nothing is proposed for a document that has no parts.
    CHECK(propose(head + "  /a/{b: {post: {}}\n").empty());
    CHECK(propose("openapi: 3.0.3\npaths: 5\n").empty());
}

TEST_CASE("rules of JSON Schema 2020-12 in a schema of 3.0 or 2.0 have their meaning, with a warning") {
    struct Case {
        std::string schema;
        std::string refused;
        std::string passes;
    };
    for (auto const& one : std::vector<Case>{
             {"{const: a}", R"("b")", R"("a")"},
             {"{patternProperties: {'^a': {type: integer}}, additionalProperties: false}",
              R"({"b":1})", R"({"ab":1})"},
             {"{patternProperties: {'^a': {type: integer}}}", R"({"ab":"x"})", R"({"b":"x"})"},
             {"{type: array, items: {}, contains: {const: 1}, minContains: 2}", "[1]", "[1,1]"},
             {"{type: array, items: {}, contains: {const: 1}, maxContains: 1}", "[1,1]", "[1]"},
             {"{dependentRequired: {a: [b]}}", R"({"a":1})", R"({"a":1,"b":1})"},
             {"{dependentSchemas: {a: {required: [b]}}}", R"({"a":1})", R"({"b":1})"},
             {"{propertyNames: {pattern: '^a'}}", R"({"b":1})", R"({"a":1})"},
             {"{if: {type: string}, then: {minLength: 2}, else: {minimum: 3}}", "2", R"("ab")"},
             {"{type: array, items: {}, prefixItems: [{type: string}]}", "[1]", R"(["a"])"},
             {"{allOf: [{properties: {a: {}}}], unevaluatedProperties: false}", R"({"b":1})",
              R"({"a":1})"},
             {"{type: array, items: {}, prefixItems: [{}], unevaluatedItems: false}", "",
              R"([1,2])"},
         }) {
        INFO(one.schema);
        auto const loaded = load(head + operation("/a", request(one.schema)));
        auto const& contract = loaded_of(loaded);
        CHECK(contract.unchecked().empty());
        CHECK(all_of(loaded).front().find("is not part of OpenAPI 3.0, and is read as in OpenAPI "
                                          "3.1; write openapi: 3.1.0")
              != std::string::npos);
        auto const& schema =
            *contract.find_operation("a")->request_body->media_types.front().schema;
        Validator validator;
        LevelTable const levels;
        auto const outcome = [&](std::string const& text) {
            return validator.validate(schema, Body{text}.view(), {}, levels).outcome;
        };
        if (!one.refused.empty()) CHECK(outcome(one.refused) == Outcome::violated);
        CHECK(outcome(one.passes) == Outcome::valid);
    }
    // Beside a `$ref` too, where rules of 3.0 have no effect.
    auto const beside = load(head
                             + operation("/a", request("{$ref: '#/components/schemas/S', const: "
                                                       "a, enum: [b]}"))
                             + "components: {schemas: {S: {type: string}}}\n");
    auto const& types = loaded_of(beside).find_operation("a")->request_body->media_types;
    Validator validator;
    LevelTable const levels;
    CHECK(validator.validate(*types.front().schema, Body{R"("a")"}.view(), {}, levels).outcome
          == Outcome::valid);
    CHECK(validator.validate(*types.front().schema, Body{R"("b")"}.view(), {}, levels).outcome
          == Outcome::violated);
    CHECK(all_of(beside).back().find("enum: has no effect beside $ref in OpenAPI 3.0")
          != std::string::npos);
    // What has no rules is none that would be missing.
    auto const defs = load(head + operation("/a", request("{$defs: {a: {}}, type: string}")));
    CHECK(defs.contract != nullptr);
    // What a `$ref` means may depend on these.
    CHECK(load(head + operation("/a", request("{$dynamicRef: '#a'}"))).contract == nullptr);
}

TEST_CASE("a $ref in place of a whole mapping of names is told as such") {
    auto const first = [](std::string const& rest) { return all_of(load(rest)).front(); };
    auto const a = operation("/a", "responses: {}");
    CHECK(first(head + a + "components: {schemas: {$ref: './schemas.yaml'}}\n")
              .find(R"(components.schemas["$ref"]: stands for a whole mapping of names, which is no )"
                    "OpenAPI: there is a $ref only in place of each of them; bundle the document")
          != std::string::npos);
    CHECK(first(head + a + "components: {$ref: './components.yaml'}\n")
              .find(R"(components["$ref"]: stands for a whole mapping)")
          != std::string::npos);
    CHECK(first("openapi: 3.0.3\ninfo: {title: T}\npaths: {$ref: './paths.yaml'}\n")
              .find(R"(paths["$ref"]: stands for a whole mapping)")
          != std::string::npos);
}

TEST_CASE("a $ref in place of all properties of a schema is told, and may be left unchecked") {
    auto const document = head
                          + operation("/a", request("{properties: {$ref: '#/components/schemas/S/"
                                                    "properties', b: {type: integer}}, "
                                                    "additionalProperties: false}"))
                          + "components: {schemas: {S: {properties: {a: {type: integer}}}}}\n";
    CHECK(load(document).contract == nullptr);
    CHECK(all_of(load(document)).front().find("stands for a whole mapping of properties, which is "
                                              "no OpenAPI; bundle the document into one file")
          != std::string::npos);
    auto const unchecked = load(document, Unsupported::unchecked);
    auto const& types = loaded_of(unchecked).find_operation("a")->request_body->media_types;
    Validator validator;
    LevelTable const levels;
    auto const outcome = [&](std::string_view text) {
        return validator.validate(*types.front().schema, Body{text}.view(), {}, levels).outcome;
    };
    // Its names are not known: none is refused for want of them.
    CHECK(outcome(R"({"a":1})") == Outcome::valid);
    CHECK(outcome(R"({"b":"x"})") == Outcome::violated);
}

TEST_CASE("documents of another kind are called by its name") {
    auto const only = [](std::string const& text) {
        auto const problems = all_of(load(text));
        REQUIRE(problems.size() == 1);
        return problems.front();
    };
    CHECK(only(R"({"info": {"_postman_id": "1", "name": "x"}, "item": []})")
          == "api.yaml:1:1: is a Postman collection, not an OpenAPI document; export the API as "
             "OpenAPI, or name that document");
    CHECK(only(R"({"info": {"name": "x", "schema":
        "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}, "item": []})")
              .find("is a Postman collection")
          != std::string::npos);
    CHECK(only("asyncapi: 2.6.0\nchannels: {}\n").find("is an AsyncAPI document")
          != std::string::npos);
    CHECK(only("overlay: 1.0.0\nactions: []\n").find("is an overlay") != std::string::npos);
    CHECK(only("listeners: []\napis: {}\n").find("is a configuration of the gateway")
          != std::string::npos);
    CHECK(only("apiVersion: v1\nkind: Service\n").find("is a Kubernetes manifest")
          != std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::foreign_documents_test
