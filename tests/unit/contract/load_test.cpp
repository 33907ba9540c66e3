// The values of a contract that was read from a document.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::load_test {
namespace {

TEST_CASE("responses may declare a header field as a string, and a body as bytes") {
    CHECK(load_document(R"(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/x:
    get:
      operationId: o
      responses:
        "200":
          headers: { Content-Disposition: { schema: { type: string, example: attachment } } }
          content: { text/plain: { schema: { type: string } }, image/png: {} }
)") != nullptr);
}

TEST_CASE("a document may name its default dialect") {
    for (std::string const name : {"https://spec.openapis.org/oas/3.1/dialect/base",
                                   "https://json-schema.org/draft/2020-12/schema",
                                   "https://json-schema.org/draft/2020-12/schema#"}) {
        INFO(name);
        auto const contract = load_document(
            "openapi: 3.1.0\ninfo: {title: T}\njsonSchemaDialect: '" + name
            + "'\npaths: {/a: {post: {operationId: o, requestBody: {content: {application/json: "
              "{schema: {$ref: '#/components/schemas/A'}}}}}}}\n"
              "components: {schemas: {A: {$id: 'https://example.com/a', $schema: '"
            + name + "', properties: {id: {format: uuid}}}}}");
        auto const schema =
            *contract->find_operation("o")->request_body->find("application/json")->schema;
        Validator validator;
        CHECK(verdict_of(validator.validate(schema, Body{R"({"id":"x"})"}.view(), {}, {}))
              == "/id must be a uuid");
    }
}

TEST_CASE("properties with secrets are known by name, through references too") {
    auto const contract = load_schema(R"(
properties:
  plain: { type: string }
  direct: { x-secret: true }
  written: { writeOnly: true }
  entered: { format: password }
  referred: { $ref: "#/$defs/secret" }
  listed: { items: { x-secret: true } }
  open: { properties: { inner: { x-secret: true } } }
  not_at_all: { x-secret: false }
  tree: { $ref: "#/$defs/tree" }
$defs:
  secret: { type: string, x-secret: true }
  tree: { x-secret: true, properties: { branch: { $ref: "#/$defs/tree" } } }
)");
    CHECK(contract->secret_members()
          == std::vector<std::string>{"branch", "direct", "entered", "inner", "listed", "referred",
                                      "tree", "written"});
}

TEST_CASE("a secret is known by every name that leads to it, also in recursive schemas") {
    struct Marked {
        std::string schemas; // of T and others
        std::vector<std::string> members;
    };
    std::vector<std::string> const all{"current", "previous", "standby"};
    for (auto const& one : std::vector<Marked>{
             {"T: {allOf: [{$ref: '#/$defs/Sec'}], properties: {previous: {$ref: '#/$defs/T'}}}",
              all},
             {"T: {properties: {previous: {$ref: '#/$defs/T'}}, allOf: [{$ref: '#/$defs/Sec'}]}",
              all},
             {"T: {$ref: '#/$defs/Sec', properties: {previous: {$ref: '#/$defs/T'}}}", all},
             {"T: {$ref: '#/$defs/V', properties: {previous: {$ref: '#/$defs/T'}}}, "
              "V: {$ref: '#/$defs/Sec'}",
              all},
             {"T: {allOf: [{x-secret: true}], properties: {previous: {$ref: '#/$defs/T'}}}", all},
             {"T: {if: {}, else: {format: password}, properties: {previous: {$ref: '#/$defs/T'}}}",
              all},
             {"T: {additionalProperties: {x-secret: true}, properties: {previous: {$ref: "
              "'#/$defs/T'}}}",
              all},
             {"T: {patternProperties: {a: {x-secret: true}}, properties: {previous: {$ref: "
              "'#/$defs/T'}}}",
              all},
             {"T: {oneOf: [{items: {$ref: '#/$defs/T'}}, {x-secret: true}]}",
              {"current", "standby"}},
             // The mark is in another turn of the recursion.
             {"T: {items: {$ref: '#/$defs/V'}, properties: {previous: {$ref: '#/$defs/T'}}}, "
              "V: {additionalProperties: {$ref: '#/$defs/T'}, writeOnly: true}",
              all},
             // After a name of its own it belongs to that one.
             {"T: {properties: {previous: {$ref: '#/$defs/T'}, key: {$ref: '#/$defs/Sec'}}}",
              {"key"}},
         }) {
        INFO(one.schemas);
        auto const contract = load_schema(
            "{properties: {current: {$ref: '#/$defs/T'}, standby: {$ref: '#/$defs/T'}}, "
            "$defs: {Sec: {writeOnly: true}, "
            + one.schemas + "}}");
        CHECK(contract->secret_members() == one.members);
    }
}

TEST_CASE("so it is if expansions of recursive schemas are shared") {
    std::string schema = "{properties: {first: {$ref: '#/$defs/s0'}, last: {$ref: '#/$defs/s11'}}, "
                         "$defs: {sec: {x-secret: true}";
    for (int i = 0; i < 12; ++i) {
        schema += ", s" + std::to_string(i) + ": {properties: {";
        for (int j = 0; j < 12; ++j) {
            schema += (j > 0 ? ", " : "") + std::string{"m"} + std::to_string(i) + "_"
                      + std::to_string(j) + ": {$ref: '#/$defs/s" + std::to_string(j) + "'}";
        }
        schema += std::string{"}"} + (i == 7 ? ", allOf: [{$ref: '#/$defs/sec'}]}" : "}");
    }
    std::vector<std::string> expected;
    for (int i = 0; i < 12; ++i)
        expected.push_back("m" + std::to_string(i) + "_7");
    std::sort(expected.begin(), expected.end());
    CHECK(load_schema(schema + "}}")->secret_members() == expected);
}

TEST_CASE("secrets in lists and under arbitrary names are hidden with the property around them") {
    auto const contract = load_schema(R"(
properties:
  listed: { prefixItems: [{ writeOnly: true }] }
  open: { additionalProperties: { x-secret: true } }
  patterned: { patternProperties: { "^k": { x-secret: true } } }
  rest: { unevaluatedProperties: { x-secret: true } }
  named: { propertyNames: { format: password } }
  nested: { additionalProperties: { properties: { inner: { x-secret: true } } } }
)");
    CHECK(contract->secret_members()
          == std::vector<std::string>{"inner", "listed", "named", "open", "patterned", "rest"});
}

TEST_CASE("in a single schema secret marks are annotations") {
    for (auto const* const schema :
         {"{type: object, writeOnly: true}", "{type: string, format: password}", "x-secret: true",
          "{items: {writeOnly: true}}", "{allOf: [{writeOnly: true}]}",
          "{additionalProperties: {format: password}}"}) {
        INFO(schema);
        auto const loaded = Contract::load_schema(schema, "schema.yaml");
        CHECK(loaded.contract != nullptr);
        CHECK(loaded.problems.empty());
    }
}

TEST_CASE("an operation has the values of its document") {
    auto const contract = load_document(R"(
openapi: 3.1.0
info: { title: All of it, version: "1" }
servers: [{ url: / }]
paths:
  /v1/a/{x}/b/{y}:
    parameters:
      - $ref: "#/components/parameters/X"
      - { name: y, in: path, required: true, schema: { type: string } }
    put:
      operationId: change
      deprecated: true
      x-retry: safe
      x-timeouts: { first_byte: 290s, connect: 500ms, total: 5m }
      x-body-limit: 64KiB
      parameters: [{ name: q, in: query, schema: {} }, { name: Accept, in: header, schema: {} }]
      requestBody: { $ref: "#/components/requestBodies/B" }
      responses:
        default: { content: { application/json: { schema: { type: string } } } }
        "2XX": { content: { application/json: { schema: { type: integer } } } }
        "201": { $ref: "#/components/responses/R" }
        "204": { description: nothing }
    get: { operationId: look }
components:
  parameters: { X: { name: x, in: path, required: true, schema: { type: string } } }
  requestBodies:
    B:
      required: true
      content:
        "*/*": { schema: { type: string, format: binary } }
        application/*: {}
        application/json: { schema: { type: object } }
        application/merge-patch+json: { schema: {} }
  responses: { R: { content: { application/json: { schema: { type: object } } } } }
)");
    CHECK(contract->title() == "All of it");
    REQUIRE(contract->operations().size() == 2);
    auto const& change = *contract->find_operation("change");
    CHECK(change.method == "PUT");
    CHECK(change.path == "/v1/a/{x}/b/{y}");
    CHECK(change.parameter_names == std::vector<std::string>{"x", "y"});
    CHECK(change.retry_safe);
    CHECK(change.timeouts.first_byte == std::chrono::seconds{290});
    CHECK(change.timeouts.connect == std::chrono::milliseconds{500});
    CHECK(change.timeouts.total == std::chrono::minutes{5});
    CHECK_FALSE(change.timeouts.idle);
    CHECK(change.has_query_parameter("q"));
    REQUIRE(change.request_body);
    CHECK(change.request_body->required);
    CHECK(change.request_body->limit == 65536U);
    auto const& body = *change.request_body;
    CHECK(body.find("application/json")->schema.has_value());
    CHECK(body.find("application/merge-patch+json")->schema.has_value());
    CHECK(body.find("application/octet-stream")->name == "application/*");
    CHECK(body.find("text/plain")->name == "*/*");

    Validator validator;
    auto const takes = [&](unsigned status, std::string_view text) {
        auto const* const schema = change.response_schema(status);
        return schema != nullptr
               && validator.validate(*schema, Body{text}.view(), {}, {}).outcome == Outcome::valid;
    };
    CHECK(takes(201, "{}"));
    CHECK_FALSE(takes(201, "1"));
    CHECK(takes(200, "1"));
    CHECK(takes(299, "1"));
    CHECK(takes(404, R"("x")"));
    CHECK(change.response_schema(204) == nullptr);

    auto const& look = *contract->find_operation("look");
    CHECK_FALSE(look.request_body);
    CHECK_FALSE(look.retry_safe);
    CHECK(look.response_schema(200) == nullptr);
}

TEST_CASE(
    "a response has a schema for each media type, and a range for those that it does not name") {
    auto const loaded = Contract::load_text(R"(
openapi: 3.1.0
info: { title: T }
paths:
  /a:
    get:
      operationId: look
      responses:
        "200":
          content:
            Application/JSON; charset=utf-8: { schema: { type: object } }
            application/problem+json: { schema: { type: string } }
            image/*: {}
            application/json: { schema: { type: integer } }
)",
                                            "api.yaml");
    REQUIRE(loaded.contract);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(
        config::yaml::describe(loaded.problems[0])
        == R"(api.yaml:14:31: warning: paths["/a"].get.responses.200.content["application/json"]: )"
           "has no effect: this media type is already listed");
    auto const& look = *loaded.contract->find_operation("look");
    auto const& response = *look.find_response(200);
    CHECK(response.media_types.size() == 3);
    auto const* const json = look.response_schema(200);
    REQUIRE(json != nullptr);
    Validator validator;
    CHECK(validator.validate(*json, Body{"{}"}.view(), {}, {}).outcome == Outcome::valid);
    auto const* const problem = look.response_schema(200, "application/problem+json");
    REQUIRE(problem != nullptr);
    CHECK(validator.validate(*problem, Body{R"("x")"}.view(), {}, {}).outcome == Outcome::valid);
    CHECK(find_media_type(response.media_types, "image/png")->name == "image/*");
    CHECK(look.response_schema(200, "image/png") == nullptr);
    CHECK(look.response_schema(200, "text/html") == nullptr);
    CHECK(look.find_response(201) == nullptr);
}

TEST_CASE("a document may be JSON") {
    auto const contract = load_document(
        R"({"openapi":"3.1.0","info":{"title":"J"},"paths":{"/a":{"get":{"operationId":"o"}}}})");
    CHECK(contract->find_operation("o") != nullptr);
}

} // namespace
} // namespace sallyport::contract::test::load_test
