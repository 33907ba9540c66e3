// OpenAPI's additions to JSON Schema, and version 3.0.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

using namespace std::string_literals;

namespace sallyport::contract::test::openapi_test {
namespace {

// A document with one operation whose body has the schema `B`.
[[nodiscard]] std::string document(std::string_view version, std::string_view schemas) {
    std::string text{"openapi: "};
    text += version;
    text +=
        "\ninfo: {title: T}\npaths:\n  /a:\n    post:\n      operationId: o\n      requestBody: "
        "{content: {application/json: {schema: {$ref: '#/components/schemas/B'}}}}\n"
        "      responses: {'200': {description: d, content: {'application/json; charset=utf-8': "
        "{schema: {$ref: '#/components/schemas/B'}}}}}\ncomponents:\n  schemas:\n";
    text += schemas;
    return text;
}

class Bodies {
public:
    Bodies(std::string_view version, std::string_view schemas)
        : contract_{load_document(document(version, schemas))} {}

    std::string request(std::string_view body, LevelTable const& levels = {}) {
        auto const& types = contract_->operations().front().request_body->media_types;
        return verdict_of(
            validator_.validate(*types.front().schema, Body{body}.view(), {}, levels));
    }
    std::string response(std::string_view body) {
        auto const* const schema = contract_->operations().front().response_schema(200);
        REQUIRE(schema != nullptr);
        return verdict_of(validator_.validate(*schema, Body{body}.view(), {}, {}));
    }
    [[nodiscard]] Contract const& contract() const { return *contract_; }

private:
    std::shared_ptr<Contract const> contract_;
    Validator validator_;
};

TEST_CASE("keywords that have no effect, or are missing, in OpenAPI 3.0 are a warning") {
    auto const loaded = Contract::load_text(
        document("3.0.3", "    B: {properties: {a: {type: array}, b: {exclusiveMinimum: true},\n"
                          "      c: {exclusiveMaximum: true, maximum: 1}, d: {exclusiveMaximum: "
                          "true}, e: {exclusiveMinimum: false}}}\n"),
        "api.yaml");
    REQUIRE(loaded.contract);
    std::vector<std::string> messages;
    for (auto const& problem : loaded.problems)
        messages.push_back(describe(problem).substr(problem.where.file_name().size()));
    std::string const at = ": warning: components.schemas.B.properties.";
    CHECK(
        messages
        == std::vector<std::string>{
            ":11:32" + at
                + "a.type: must have items beside it in OpenAPI 3.0; any items are accepted; write "
                  "items: "
                  "{}",
            ":11:62" + at
                + "b.exclusiveMinimum: has no effect without minimum; write minimum, or remove it",
            ":12:70" + at
                + "d.exclusiveMaximum: has no effect without maximum; write maximum, or remove "
                  "it"});
}

TEST_CASE("values that no version has are refused in OpenAPI 3.0") {
    auto const first = [](std::string_view schema) {
        return problems_of(document("3.0.3", "    B: " + std::string{schema} + "\n")).at(0);
    };
    CHECK(
        first("{type: file}").find(R"(the type "file" is unknown; write one of boolean, integer, )")
        != std::string::npos);
    CHECK(first("{exclusiveMinimum: 'x'}").find("must be true or false") != std::string::npos);
    CHECK(first("{nullable: 1}").find("must be true or false") != std::string::npos);
}

TEST_CASE("nullable accepts null, whatever the other keywords are") {
    Bodies bodies{"3.0.3", R"(
    B:
      type: object
      properties:
        a: {type: string, nullable: true, enum: [x]}
        b: {nullable: true, allOf: [{$ref: '#/components/schemas/N'}]}
        c: {$ref: '#/components/schemas/N', nullable: true}
        d: {type: integer, nullable: false}
    N: {type: number}
)"};
    CHECK(bodies.request(R"({"d": null})") == "/d must be an integer, not null");
    CHECK(bodies.request(R"({"a": "y"})") == R"(/a must be "x")");
    CHECK(bodies.request(R"({"b": "y", "c": "y"})")
          == "/b must be a number, not a string; /c must be a number, not a string");
    CHECK(bodies.request(R"({"a": null, "b": null, "c": null})") == "valid");
    CHECK(bodies.request(R"({"a": "x", "b": 1, "c": 2})") == "valid");
}

TEST_CASE("exclusive bounds of OpenAPI 3.0 are flags") {
    Bodies bodies{"3.0.0", "    B: {type: number, minimum: 1, exclusiveMinimum: true, maximum: 5, "
                           "exclusiveMaximum: false}\n"};
    CHECK(bodies.request("1") == "the body must be greater than 1");
    CHECK(bodies.request("5.5") == "the body must be at most 5");
    CHECK(bodies.request("5") == "valid");
    CHECK(bodies.request("1.5") == "valid");
}

TEST_CASE("in OpenAPI 3.0 a readOnly or writeOnly property is required on its own side only") {
    constexpr auto schema = R"(
    B:
      type: object
      required: [id, key, name]
      properties:
        id: {type: string, readOnly: true}
        key: {type: string, writeOnly: true}
        name: {type: string}
)";
    Bodies of_3_0{"3.0.3", schema};
    CHECK(of_3_0.request("{}") == "/key is required; /name is required");
    CHECK(of_3_0.response("{}") == "/id is required; /name is required");
    Bodies of_3_1{"3.1.0", schema};
    CHECK(of_3_1.request("{}") == "/id is required; /key is required; /name is required");
}

TEST_CASE("a JSON media type may have charset=utf-8") {
    auto const contract =
        load_document("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, "
                      "requestBody: {content: {'application/json; charset=utf-8': {schema: {type: "
                      "integer}}}}}}}");
    auto const& body = *contract->operations().front().request_body;
    REQUIRE(body.find("application/json") != nullptr);
    CHECK(body.find("application/json")->schema);
}

TEST_CASE("an implemented dialect may be named in a root schema of OpenAPI 3.1") {
    constexpr std::string_view good = "$schema: 'https://json-schema.org/draft/2020-12/schema'";
    auto const with = [](std::string_view dialect) {
        return "    B: {" + std::string{dialect}
               + ", type: object, properties: {a: {$ref: '#/components/schemas/A'}}}\n    A: {"
               + std::string{dialect} + ", type: integer}\n";
    };
    CHECK(Bodies{"3.1.0", with(good)}.request(R"({"a": 1.5})")
          == "/a must be an integer, not a number with a fraction");
    CHECK(
        Bodies{"3.1.0", with("$schema: 'https://spec.openapis.org/oas/3.1/dialect/base'")}.request(
            R"({"a": 1})")
        == "valid");
    CHECK(problems_of(document("3.1.0", with("$schema: 'http://json-schema.org/draft-07/schema#'")))
              .at(0)
              .find("is a dialect that is not implemented in a schema without $id; write "
                    "https://json-schema.org/draft/2020-12/schema, or give the schema an $id")
          != std::string::npos);
    CHECK(problems_of(document("3.1.0", "    B: {items: {" + std::string{good} + "}}\n"))
              .at(0)
              .find("is in a schema without $id, and must be at the root; remove it")
          != std::string::npos);
    // A media type's own schema.
    CHECK(Contract::load_text("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: "
                              "o, requestBody: {content: {application/json: {schema: {"
                                  + std::string{good} + "}}}}}}}",
                              "api.yaml")
              .contract
          != nullptr);
}

TEST_CASE("a property of the other side is found through references and in parts of allOf") {
    constexpr std::string_view others = R"(
    Id: {type: string, readOnly: true}
    Far: {$ref: '#/components/schemas/Id'}
    Base: {type: object, properties: {id: {$ref: '#/components/schemas/Far'}}}
    Free: {type: string}
)";
    for (auto const* const form :
         {"{required: [id], properties: {id: {$ref: '#/components/schemas/Id'}}}",
          "{required: [id], properties: {id: {$ref: '#/components/schemas/Far'}}}",
          "{required: [id], properties: {id: {allOf: [{$ref: '#/components/schemas/Id'}]}}}",
          "{required: [id], properties: {id: {allOf: [{$ref: '#/components/schemas/Free'}, "
          "{readOnly: true}]}}}",
          "{allOf: [{$ref: '#/components/schemas/Base'}, {required: [id]}]}",
          "{allOf: [{required: [id]}, {allOf: [{$ref: '#/components/schemas/Base'}]}]}",
          "{required: [id], allOf: [{$ref: '#/components/schemas/Base'}]}"}) {
        INFO(form);
        std::string const schemas = "    B: " + std::string{form} + std::string{others};
        Bodies old{"3.0.3", schemas};
        CHECK(old.request("{}") == "valid");
        CHECK(old.response("{}") == "/id is required");
        if (std::string_view{form}.find("readOnly") != std::string_view::npos) continue;
        Bodies young{"3.1.0", schemas};
        CHECK(young.request("{}") == "/id is required");
    }
    Bodies others_name{"3.0.3", "    B: {required: [id, name], properties: {id: {$ref: "
                                "'#/components/schemas/Free'}, name: {properties: {id: {$ref: "
                                "'#/components/schemas/Id'}}}}}"
                                    + std::string{others}};
    CHECK(others_name.request("{}") == "/id is required; /name is required");
}

TEST_CASE("readOnly properties are refused in requests if the operator enforces it") {
    Bodies bodies{"3.1.0",
                  "    B: {type: object, properties: {id: {type: string, readOnly: true}}}\n"};
    CHECK(bodies.request(R"({"id": "x"})") == "valid");
    auto const refused =
        LevelTable::compile(bodies.contract(), {Level::enforce, Level::off, Level::enforce}, {});
    CHECK(bodies.request(R"({"id": "x"})", refused.table) == "/id is set only by the server");
    CHECK(bodies.request("{}", refused.table) == "valid");
    auto const at_default =
        LevelTable::compile(bodies.contract(), {Level::enforce, Level::off}, {});
    CHECK(bodies.request(R"({"id": "x"})", at_default.table) == "valid");
    auto const one_rule = LevelTable::compile(bodies.contract(), {Level::enforce, Level::off},
                                              {{"o", "/properties/id/readOnly", Level::enforce}});
    CHECK(one_rule.problems.empty());
    CHECK(bodies.request(R"({"id": "x"})", one_rule.table) == "/id is set only by the server");
    CHECK(bodies.response(R"({"id": "x"})") == "valid");
}

TEST_CASE("readOnly influences neither the condition of an if nor which branch matches") {
    Bodies bodies{"3.1.0", R"(
    B:
      properties:
        i: {if: {properties: {id: {readOnly: true}}, required: [id]}, then: {required: [k]}}
        n: {not: {required: [id], properties: {id: {type: integer, readOnly: true}}}}
        o:
          oneOf:
            - {required: [id], properties: {id: {type: integer, readOnly: true}}}
            - {required: [id], properties: {id: {minimum: 5}}}
        s: {anyOf: [{properties: {id: {readOnly: true}}, required: [id]}, {required: [x]}]}
)"};
    auto const refusing =
        LevelTable::compile(bodies.contract(), {Level::enforce, Level::off, Level::enforce}, {});
    auto const both = [&](std::string const& body) {
        return bodies.request(body) + " | " + bodies.request(body, refusing.table);
    };
    CHECK(both(R"({"i":{"id":1}})") == "/i/k is required | /i/k is required");
    CHECK(both(R"({"n":{"id":1}})")
          == "/n must not match what the contract excludes | "
             "/n must not match what the contract excludes");
    CHECK(both(R"({"o":{"id":6}})")
          == "/o matches 2 of the 2 forms of the contract, and must match exactly one | "
             "/o matches 2 of the 2 forms of the contract, and must match exactly one");
    CHECK(both(R"({"o":{"id":1}})") == "valid | /o/id is set only by the server");
    CHECK(both(R"({"s":{"id":1}})") == "valid | /s/id is set only by the server");
    CHECK(both(R"({"s":{"id":1,"x":1}})")
          == "valid | valid"); // the other branch matches without it
}

TEST_CASE("a discriminator selects the form whose violations are reported, and changes no result") {
    Bodies bodies{"3.0.3", R"(
    B:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind, mapping: {hound: '#/components/schemas/Dog', wolf: Dog}}
    Cat: {type: object, required: [kind, lives], properties: {kind: {enum: [Cat]}, lives: {type: integer}}}
    Dog: {type: object, required: [kind, bark], properties: {kind: {enum: [hound, wolf, Dog]}}}
)"};
    CHECK(bodies.request(R"({"kind": "Cat", "lives": "9"})")
          == "/lives must be an integer, not a string");
    CHECK(bodies.request(R"({"kind": "hound"})") == "/bark is required");
    CHECK(bodies.request(R"({"kind": "wolf"})") == "/bark is required");
    CHECK(bodies.request(R"({"kind": "Dog"})") == "/bark is required");
    constexpr auto kinds = R"("Cat", "hound", "wolf" or "Dog")";
    CHECK(bodies.request(R"({"kind": "fish"})") == "/kind must be "s + kinds);
    CHECK(bodies.request(R"({"kind": 5})") == "/kind must be "s + kinds);
    CHECK(bodies.request("{}") == "/kind is required, and must be "s + kinds);
    CHECK(bodies.request("[]") == "the body must match exactly one of the 2 forms of the contract");
    CHECK(bodies.request(R"({"kind": "Cat", "lives": 9})") == "valid");
    CHECK(bodies.request(R"({"kind": "wolf", "bark": 1})") == "valid");
}

TEST_CASE("discriminator values are those that the forms allow, otherwise names of schemas") {
    Bodies bodies{"3.1.0", R"(
    B:
      type: object
      additionalProperties:
        oneOf: [{$ref: '#/components/schemas/S3'}, {$ref: '#/components/schemas/Gcs'},
                {$ref: '#/components/schemas/Disk'}]
        discriminator: {propertyName: a/b, mapping: {here: '#/components/schemas/Disk'}}
    S3: {allOf: [{$ref: '#/components/schemas/Base'}, {properties: {a/b: {$ref: '#/components/schemas/Aws'}}}]}
    Aws: {const: aws}
    Base: {type: object, required: [a/b, bucket]}
    Gcs: {$ref: '#/components/schemas/Base'}
    Disk: {$ref: '#/components/schemas/Base'}
)"};
    // By its const, although the name of the schema is different.
    CHECK(bodies.request(R"({"x": {"a/b": "aws"}})") == "/x/bucket is required");
    CHECK(bodies.request(R"({"x": {"a/b": "azure"}})")
          == R"(/x/a~1b must be "aws", "Gcs" or "here")");
    CHECK(bodies.request(R"({"x": {}})")
          == R"(/x/a~1b is required, and must be "aws", "Gcs" or "here")");

    std::string forms;
    std::string schemas;
    for (int number = 1; number <= 18; ++number) {
        auto const name = "F" + std::to_string(number);
        forms += (number == 1 ? "" : ", ") + ("{$ref: '#/components/schemas/" + name + "'}");
        schemas += "    " + name + ": {type: object, required: [kind, never]}\n";
    }
    Bodies many{"3.1.0",
                "    B: {oneOf: [" + forms + "], discriminator: {propertyName: kind}}\n" + schemas};
    auto const messages = many.request(R"({"kind": "F19"})");
    CHECK(messages.find(R"("F16" or 2 other kinds)") != std::string::npos);
    CHECK(messages.find("F17") == std::string::npos);
}

TEST_CASE("nullable in OpenAPI 3.1 accepts null as in 3.0, with a warning") {
    constexpr auto schemas =
        "    B: {properties: {a: {type: string, nullable: true, enum: [x]}, b: "
        "{type: integer, nullable: false}}}\n";
    Bodies bodies{"3.1.0", schemas};
    CHECK(bodies.request(R"({"a": null})") == "valid");
    CHECK(
        bodies.request(R"({"a": 1, "b": null})")
        == R"(/a must be a string, not a number; /a must be "x"; /b must be an integer, not null)");
    auto const loaded = Contract::load_text(document("3.1.0", schemas), "api.yaml");
    REQUIRE(loaded.problems.size() == 2);
    CHECK(describe(loaded.problems[0])
          == "api.yaml:11:50: warning: components.schemas.B.properties.a.nullable: is not part of "
             "JSON Schema 2020-12; null passes, as in 3.0; write type: [..., \"null\"]");
    CHECK(describe(loaded.problems[1])
          == "api.yaml:11:97: warning: components.schemas.B.properties.b.nullable: is not part of "
             "JSON Schema 2020-12, and has no effect; remove it");
}

TEST_CASE("exclusive bounds that are flags in OpenAPI 3.1 are read as in 3.0, with a warning") {
    constexpr auto schemas = "    B: {minimum: 1, exclusiveMinimum: true, maximum: 5, "
                             "exclusiveMaximum: false}\n";
    Bodies bodies{"3.1.0", schemas};
    CHECK(bodies.request("1") == "the body must be greater than 1");
    CHECK(bodies.request("5.5") == "the body must be at most 5");
    CHECK(bodies.request("5") == "valid");
    auto const loaded = Contract::load_text(document("3.1.0", schemas), "api.yaml");
    REQUIRE(loaded.problems.size() == 2);
    CHECK(describe(loaded.problems[0])
          == "api.yaml:11:39: warning: components.schemas.B.exclusiveMinimum: is a flag, as in "
             "OpenAPI 3.0, and is read like there; write the bound itself here, as OpenAPI 3.1 "
             "does");
    CHECK(Bodies{"3.1.0", "    B: {minimum: 1, exclusiveMinimum: 2}\n"}.request("2")
          == "the body must be greater than 2");
    // And the other way round.
    constexpr auto numbers = "    B: {exclusiveMinimum: 1, maximum: 9, exclusiveMaximum: 5}\n";
    Bodies old{"3.0.3", numbers};
    CHECK(old.request("1") == "the body must be greater than 1");
    CHECK(old.request("5") == "the body must be less than 5");
    CHECK(old.request("2") == "valid");
    auto const warned = Contract::load_text(document("3.0.3", numbers), "api.yaml");
    REQUIRE(warned.problems.size() == 2);
    CHECK(describe(warned.problems[0])
          == "api.yaml:11:27: warning: components.schemas.B.exclusiveMinimum: is a number, as in "
             "OpenAPI 3.1, and is read as the bound; write the bound without \"exclusive\", and "
             "true here");
}

TEST_CASE(
    "the path of the servers is the prefix of all paths, with the defaults of its variables") {
    auto const with_servers = [](std::string_view servers) {
        return "openapi: 3.1.0\ninfo: {title: T}\nservers: " + std::string{servers}
               + "\npaths: {/a: {get: {operationId: o}}}\n";
    };
    auto const contract = load_document(with_servers(
        "[{url: 'https://{host}/{base}/', variables: {host: {default: h}, base: {default: v1}}}]"));
    CHECK(contract->operations().front().path == "/v1/a");
    CHECK(load_document(with_servers("[{url: /v1}, {url: /v2}]"))->operations().front().path
          == "/v1/a");
    CHECK(problems_of(with_servers("[{url: 'https://h/{base}'}]")).size() == 1);
    CHECK(problems_of(with_servers("[{url: 'https://h/{base', variables: {base: {default: v1}}}]"))
              .size()
          == 1);
}

TEST_CASE("servers of an operation replace those of its path, and those the document's") {
    auto const contract = load_document(R"(
openapi: 3.1.0
info: {title: T}
servers: [{url: 'https://h/v1'}]
paths:
  /a:
    servers: [{url: 'https://other/v2/'}]
    get: {operationId: get_a}
    head: {operationId: head_a, servers: [{url: /v3}]}
    put: {operationId: put_a, servers: [{url: /v3}]}
    post: {operationId: post_a, servers: []}
  /b/{id}:
    parameters: [{name: id, in: path, required: true, schema: {}}]
    get: {operationId: get_b}
    put: {operationId: put_b, servers: [{url: /v3}]}
)");
    auto const operation_at = [&contract](std::string_view method, std::string_view path) {
        auto const* const found = contract->find_operation(contract->route(path), method);
        return found != nullptr ? found->id : "none";
    };
    CHECK(operation_at("GET", "/v2/a") == "get_a");
    CHECK(operation_at("GET", "/v1/a") == "none");
    CHECK(operation_at("PUT", "/v3/a") == "put_a");
    CHECK(operation_at("PUT", "/v2/a") == "none");
    CHECK(operation_at("HEAD", "/v3/a") == "head_a");
    CHECK(operation_at("HEAD", "/v2/a") == "get_a"); // GET is alone at this path
    CHECK(operation_at("POST", "/a") == "post_a");
    CHECK(operation_at("GET", "/v1/b/5") == "get_b");
    CHECK(operation_at("PUT", "/v3/b/5") == "put_b");
    CHECK(contract->route("/v3/a").item->allow == "PUT, HEAD");
    CHECK(contract->find_operation("put_b")->path == "/v3/b/{id}");
    // One path by two ways.
    CHECK(problems_of(R"(
openapi: 3.1.0
info: {title: T}
paths:
  /v1/a: {get: {operationId: o}}
  /a: {get: {operationId: p, servers: [{url: /v1}]}}
)")
              .front()
              .find("is the same path as /v1/a")
          != std::string::npos);
}

TEST_CASE("a document without operations loads and matches no path") {
    for (std::string const rest : {"paths: {}", "components: {schemas: {S: {type: string}}}",
                                   "webhooks: {pinged: {post: {}}}"}) {
        auto const loaded =
            Contract::load_text("openapi: 3.1.0\ninfo: {title: T}\n" + rest, "api.yaml");
        REQUIRE(loaded.contract);
        CHECK(loaded.contract->operations().empty());
        CHECK(loaded.contract->owned_prefixes().empty());
        CHECK(loaded.contract->route("/").item == nullptr);
        CHECK(loaded.contract->route("/a").item == nullptr);
    }
}

} // namespace
} // namespace sallyport::contract::test::openapi_test
