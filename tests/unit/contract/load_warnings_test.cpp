// Documents that load with a warning, each with its message, and those that load without one.
#include "tests/unit/contract/load_cases.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::load_warnings_test {
namespace {

// The warnings of a document that loads.
[[nodiscard]] std::vector<std::string> warnings_of(std::string const& text) {
    auto const loaded = Contract::load_text(text, "api.yaml");
    std::vector<std::string> all;
    if (!loaded.contract) all.emplace_back("it does not load");
    for (auto const& problem : loaded.problems)
        all.push_back(describe(problem));
    return all;
}

TEST_CASE("a word that is unknown where it could matter, and resembles none, is a warning") {
    std::string const head = "openapi: 3.1.0\ninfo: {title: T}\n";
    for (
        auto const& one : std::vector<LoadCase>{
            {head + "paths: {/a: {get: {operationId: o}}}\nfuture: {}",
             R"(api.yaml:4:1: warning: future: "future" of an OpenAPI document is unknown and has no effect)"},
            {"openapi: 3.0.3\ninfo: {title: T}\njsonSchemaDialect: x\npaths: {/a: {get: "
             "{operationId: o}}}",
             R"(api.yaml:3:1: warning: jsonSchemaDialect: "jsonSchemaDialect" of an OpenAPI document is unknown and has no effect)"},
            {head + "servers: [{url: /b, protocol: http}]\npaths: {/a: {get: {operationId: o}}}",
             R"(api.yaml:3:21: warning: servers[0].protocol: "protocol" of a server is unknown and has no effect)"},
            {with_operation("operationId: o\n      body: {}"),
             R"(api.yaml:8:7: warning: paths["/a/{id}"].post.body: "body" of an operation is unknown and has no effect)"},
            {with_operation("operationId: o\n      parameters: [{name: q, in: query, typo: 1, "
                            "schema: {}}]"),
             R"(api.yaml:8:41: warning: paths["/a/{id}"].post.parameters[0].typo: "typo" of a parameter is unknown and has no effect)"},
            {with_operation("operationId: o\ncomponents: {schemas: {S: {maxx: 1}}}"),
             R"(api.yaml:8:28: warning: components.schemas.S.maxx: the keyword "maxx" is unknown and has no effect)"},
            {with_operation("operationId: o\ncomponents: {schemas: {S: {discriminator: "
                            "{propertyName: a, fallback: 1}}}}"),
             R"(api.yaml:8:61: warning: components.schemas.S.discriminator.fallback: "fallback" of a discriminator is unknown; write propertyName or mapping)"},
            {"openapi: 3.1.0\ninfo: {version: 1}\npaths: {/a: {get: {operationId: o}}}",
             "api.yaml:2:7: warning: info: has no title"},
            {head
                 + "servers: [{url: /a}, {url: 'https://h/a/'}, {url: /b}]\npaths: {/a: {get: "
                   "{operationId: o}}}",
             "api.yaml:3:45: warning: servers[2]: has no effect: its path is another than that of "
             "the servers before it; put first the server whose path clients use"},
            {head + "paths: {}",
             "api.yaml:3:8: warning: paths: has no operations: the contract matches no request"},
            {head + "components: {schemas: {S: {}}}",
             "api.yaml:1:1: warning: paths: has no operations: the contract matches no request"},
            {with_operation("operationId: o\ncomponents: {schemas: {A: {oneOf: [{$ref: "
                            "'#/components/schemas/B'}], discriminator: {propertyName: t, mapping: "
                            "{b: B, c: '#/components/schemas/C'}}}, B: {}}}"),
             R"(api.yaml:8:123: warning: components.schemas.A.discriminator.mapping.c: "#/components/schemas/C" is no schema, and has no effect; write the name of one of components.schemas, or a reference to one)"},
            {with_operation(
                 "operationId: o\ncomponents: {schemas: {S: {discriminator: {mapping: {}}}}}"),
             "api.yaml:8:43: warning: components.schemas.S.discriminator: has no propertyName, and "
             "so no effect"},
            {with_operation("operationId: o\ncomponents: {schemas: {S: {oneOf: [{type: string}], "
                            "discriminator: kind}}}"),
             "api.yaml:8:68: warning: components.schemas.S.discriminator: has no propertyName, and "
             "so no effect"},
            {with_operation("operationId: o\ncomponents: {schemas: {S: {discriminator: "
                            "{propertyName: a, mapping: []}}}}"),
             "api.yaml:8:70: warning: components.schemas.S.discriminator.mapping: is not a mapping "
             "of values to schemas"},
            // Words that resemble one without effect.
            {with_operation("operationId: o\n      sumary: a"),
             R"(api.yaml:8:7: warning: paths["/a/{id}"].post.sumary: "sumary" of an operation is unknown and has no effect; did you mean "summary"?)"},
            {with_operation("operationId: o\ncomponents: {schemas: {S: {descripton: a}}}"),
             R"(api.yaml:8:28: warning: components.schemas.S.descripton: the keyword "descripton" is unknown and has no effect; did you mean "description"?)"},
        }) {
        INFO(one.text);
        CHECK(warnings_of(one.text) == std::vector<std::string>{one.problem});
    }
}

TEST_CASE("what says nothing about a request may be anything, without a word") {
    CHECK(warnings_of(R"(
openapi: 3.0.3
info: {title: 5, verzion: '1', contact: [me], license: 3, $ref: '#/nowhere', $id: 'a#b'}
tags: yes
externalDocs: 5
x-anything: {$ref: nowhere}
paths:
  x-owner: me
  /a:
    summary: [a]
    post:
      operationId: o
      deprecated: soon
      tags: {a: 1}
      externalDocs: {urll: x, $ref: '#/nowhere'}
      x-badge: 1
      parameters: [{name: q, in: query, deprecated: 1, example: {$ref: a}, schema: {type: string}}]
      requestBody:
        description: 5
        content: {application/json: {example: {$id: 'a#b'}, schema: {$ref: '#/components/schemas/S'}}}
components:
  schemas:
    S:
      title: 5
      description: [a]
      deprecated: soon
      xml: {nam: x, $ref: y}
      externalDocs: here
      examples: [1]
      example: {$ref: '#/nowhere'}
      contentEncoding: 5
      $comment: {}
      x-internal: {$ref: '#/nowhere'}
)")
              .empty());
}

TEST_CASE("an x- word that resembles one of the gateway's is a warning, once each") {
    CHECK(
        warnings_of(with_operation("operationId: o\n      x-retri: 5\n      x-other: 5\n"
                                   "      x-timeout: 5\n    put: {operationId: p, x-retri: 5}"))
        == std::vector<std::string>{
            R"(api.yaml:10:7: warning: paths["/a/{id}"].post.x-timeout: "x-timeout" is unknown and has no effect; did you mean "x-timeouts"?)",
            R"(api.yaml:11:27: warning: paths["/a/{id}"].put.x-retri: "x-retri" is unknown and has no effect; did you mean "x-retry"?)"});
    CHECK(
        warnings_of(with_operation("operationId: o\n      x-secret: true\n"
                                   "components: {schemas: {S: {x-retry: safe, x-wehn: []}}}"))
        == std::vector<std::string>{
            R"(api.yaml:8:7: warning: paths["/a/{id}"].post.x-secret: "x-secret" has no effect on an operation)",
            R"(api.yaml:9:28: warning: components.schemas.S.x-retry: "x-retry" has no effect on a schema)",
            R"(api.yaml:9:43: warning: components.schemas.S.x-wehn: "x-wehn" is unknown and has no effect; did you mean "x-when"?)"});
}

TEST_CASE("keys beside an OpenAPI $ref, except for texts, are a warning") {
    for (std::string_view const version : {"3.0.3", "3.1.0"}) {
        INFO(version);
        auto const loaded = Contract::load_text("openapi: " + std::string{version} + R"(
info: { title: T }
paths:
  /a:
    post:
      operationId: o
      parameters: [{ $ref: "#/components/parameters/Q", required: true, description: of it }]
      requestBody: { $ref: "#/components/requestBodies/B", required: true, nonsense: 5 }
      responses:
        "200": { $ref: "#/components/responses/R", summary: of it, content: {}, x-mine: 1 }
        "201":
          description: made
          headers: { X: { $ref: "#/components/responses/201", required: true } }
components:
  parameters: { Q: { name: q, in: query, schema: { type: integer } } }
  requestBodies: { B: { $ref: "#/components/requestBodies/C", content: {} },
                   C: { content: { application/json: { schema: {} } } } }
  responses: { R: { description: done }, "201": { description: a field } }
)",
                                                "api.yaml");
        // In a parameter, a body (twice), a response, a field of one, and a component.
        REQUIRE(loaded.problems.size() == 1);
        CHECK(describe(loaded.problems.front())
              == R"(api.yaml:7:57: warning: paths["/a"].post.parameters[0].required: has no effect )"
                 "beside $ref (and at 5 other places, the next on line 8); write it at the target "
                 "of the $ref, or replace the $ref by its target");
        REQUIRE(loaded.contract);
        CHECK_FALSE(loaded.contract->find_operation("o")->query_parameters.front().required);
    }
}

TEST_CASE("webhooks and callbacks are a warning, once each") {
    auto const loaded = Contract::load_text(R"(
openapi: 3.1.0
info: { title: T }
webhooks: { pinged: { post: { requestBody: { content: {} } } } }
paths:
  /a:
    get: { operationId: a, callbacks: { done: {} }, security: [] }
    put: { operationId: b, callbacks: { done: {} } }
)",
                                            "api.yaml");
    REQUIRE(loaded.contract);
    std::vector<std::string> reported;
    for (auto const& problem : loaded.problems) {
        CHECK(problem.severity == config::yaml::Severity::warning);
        reported.push_back(problem.path + ' ' + problem.what);
    }
    std::string const why =
        " has no effect: requests that the API itself sends do not pass the gateway";
    CHECK(reported
          == std::vector<std::string>{"webhooks" + why, "paths[\"/a\"].get.callbacks" + why});
}

TEST_CASE("an unknown format has no effect, and is a warning if it resembles one that has") {
    auto const loaded = Contract::load_schema("{properties: {a: {format: e-mail}}}", "s.yaml");
    REQUIRE(loaded.contract);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(config::yaml::describe(loaded.problems[0])
          == "s.yaml:1:27: warning: properties.a.format: the format \"e-mail\" is unknown: nothing "
             "is checked; did you mean \"email\"?");
    for (std::string const format : {"password", "binary", "colour"}) {
        auto const other =
            Contract::load_schema("{properties: {a: {format: " + format + "}}}", "s");
        CHECK(other.contract);
        CHECK(other.problems.empty());
    }
}

TEST_CASE("a document of another's hand loads: codes as numbers, aliases, a byte-order mark") {
    CHECK(warnings_of("\xEF\xBB\xBF" + with_operation(R"(operationId: o
      responses:
        200: &ok {description: a, content: {application/json: {schema: {properties: {1: {type: string}}}}}}
        404: *ok
        default: {<<: *ok, description: b})"))
              .empty());
    auto const contract = load_document(with_operation(
        "operationId: o\n      responses: {200: {description: a}, 404: {description: b}}"));
    auto const& operation = contract->operations().front();
    REQUIRE(operation.find_response(404) != nullptr);
    CHECK(operation.find_response(404)->first == 404);
    CHECK(operation.find_response(500) == nullptr);
    // What an alias stands for is reported once, where it is written.
    CHECK(
        problems_of(with_operation(R"(operationId: o
      parameters: [{name: a, in: query, schema: &s {tpye: string}}, {name: b, in: query, schema: *s}])"))
        == std::vector<std::string>{
            R"(api.yaml:8:53: paths["/a/{id}"].post.parameters[0].schema.tpye: the keyword "tpye" is not implemented; did you mean "type"?)"});
}

} // namespace
} // namespace sallyport::contract::test::load_warnings_test
