// Mistakes of documents that can mean only one thing: warnings that say how they are read; and what
// would pass unchecked, which does not load.
#include "tests/unit/contract/load_cases.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::mistakes_test {
namespace {

std::string const head = "openapi: 3.1.0\ninfo: {title: T}\n";

// All warnings, of a document that must load.
[[nodiscard]] std::string warnings_of(std::string const& document) {
    auto const loaded = Contract::load_text(document, "api.yaml");
    std::string all;
    for (auto const& one : descriptions(loaded.problems))
        all += one + '\n';
    INFO(document);
    INFO(all);
    REQUIRE(loaded.contract != nullptr);
    return all;
}

[[nodiscard]] bool says(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// All errors, of a document that must not load.
[[nodiscard]] std::vector<std::string> errors_of(std::string const& document) {
    auto all = problems_of(document);
    std::erase_if(all, [](std::string const& one) { return says(one, ": warning: "); });
    INFO(document);
    REQUIRE_FALSE(all.empty());
    return all;
}

// A document whose first error it is.
void check_first(std::vector<LoadCase> const& cases) {
    for (auto const& [text, problem] : cases) {
        INFO(text);
        CHECK(errors_of(text).front() == problem);
    }
}

[[nodiscard]] std::string with_schema(std::string const& schema) {
    return with_operation("operationId: o\ncomponents: {schemas: {S: " + schema + "}}");
}

TEST_CASE("a schema one level too high does not load, and the error says where it belongs") {
    std::string const at = R"(api.yaml:7:57: paths["/a/{id}"].post.requestBody.content[)";
    check_first({
        {with_operation("requestBody: {content: {application/json:        {type: object}}}"),
         at + R"("application/json"].type: a media type has no "type": nothing would be checked; )"
              "write schema: {type: ...}"},
        {with_operation("requestBody: {content: {application/json: {$ref: "
                        "'#/components/schemas/S'}}}\n"
                        "components: {schemas: {S: {required: [n]}}}"),
         R"(api.yaml:7:56: paths["/a/{id}"].post.requestBody.content["application/json"]["$ref"]: )"
         "leads to a schema, which nothing would be checked by here; write schema: {$ref: ...}, in "
         "a body or a response below content and its media type"},
        {with_operation("requestBody: {content: {text/plain: {}}, maxLength: 5}"),
         R"(api.yaml:7:48: paths["/a/{id}"].post.requestBody.maxLength: a request body has no )"
         R"("maxLength": nothing would be checked; write content: {application/json: {schema: )"
         "{maxLength: ...}}}"},
        {with_operation("requestBody: {content: {}, schema: {type: object}}"),
         R"(api.yaml:7:34: paths["/a/{id}"].post.requestBody.schema: a request body has no )"
         R"("schema": nothing would be checked; write content: {application/json: {schema: ...}})"},
        {with_operation("parameters: [{name: q, in: query, schema: {}, minimum: 5}]"),
         R"(api.yaml:7:53: paths["/a/{id}"].post.parameters[0].minimum: a parameter has no )"
         R"("minimum": nothing would be checked; write schema: {minimum: ...})"},
    });
    // What says nothing of a value is no rule that would be missing.
    CHECK(says(warnings_of(with_operation(
                   "requestBody: {content: {application/json: {title: T, schema: {}}}}")),
               R"("title" of a media type is unknown and has no effect)"));
}

TEST_CASE("a reference that leads nowhere names what it was probably meant to be") {
    auto const first = [](std::string const& reference) {
        return errors_of(with_operation("requestBody: {content: {application/json: {schema: "
                                          "{$ref: '"
                                          + reference
                                          + "'}}}}\ncomponents: {schemas: {Pet: {}, Order: {}}}"))
            .at(0);
    };
    std::string const pet = R"(did you mean "#/components/schemas/Pet"?)";
    CHECK(says(first("#/components/schemas/pet"), pet));
    CHECK(says(first("#/components/schemas/Pets"), pet));
    CHECK(says(first("#/components/schema/Pet"), pet));
    CHECK(says(first("#/definitions/Pet"), pet));
    CHECK_FALSE(says(first("#/components/schemas/Invoice"), "did you mean"));
}

TEST_CASE("places of Swagger 2.0 are told by what version 3 has") {
    CHECK(says(errors_of(with_operation("parameters: [{name: a, in: formData, schema: {}}]")).at(0),
               R"("formData" is no place of a parameter; write requestBody beside parameters: )"
               "{content: {application/x-www-form-urlencoded: {schema: ...}}}"));
}

TEST_CASE("a status in another letter case, and extensions among the statuses, are read") {
    std::string const document = with_operation(
        "operationId: o\n      responses: {'2xx': {description: d}, 4Xx: {description: d}, Default: "
        "{description: d}, x-note: 5, x-other: {a: b}}");
    auto const warnings = warnings_of(document);
    CHECK(says(warnings, "responses.2xx: is read as 2XX; write 2XX"));
    CHECK(says(warnings, "responses.4Xx: is read as 4XX; write 4XX"));
    CHECK(says(warnings, "responses.Default: is read as default; write default"));
    CHECK_FALSE(says(warnings, "x-note"));
    auto const contract = load_document(document);
    auto const& responses = contract->operations().front().responses;
    REQUIRE(responses.size() == 3);
    CHECK(responses[0].first == 200);
    CHECK(responses[0].last == 299);
    CHECK(responses[1].first == 400);
    CHECK(responses[2].last == 999);
    // Extensions alone declare no status.
    auto const none = load_document(with_operation("operationId: o\n      responses: {x-a: 1}"));
    CHECK_FALSE(none->operations().front().declared_status);
    CHECK(says(warnings_of(with_operation("operationId: o\n      responses: {4xy: {}}")),
               "is not a status"));
}

TEST_CASE("extensions are allowed in every object that the specification allows them in") {
    for (std::string const version : {"3.0.3", "3.1.0", "3.2.0"}) {
        INFO(version);
        CHECK_FALSE(says(
            warnings_of("openapi: " + version + R"(
x-a: 1
info: {title: T, x-a: 1, contact: {x-a: 1}, license: {name: N, x-a: 1}}
servers: [{url: /v, x-a: 1, variables: {v: {default: a, x-a: 1}}}]
tags: [{name: t, x-a: 1}]
externalDocs: {url: u, x-a: 1}
security: []
paths:
  x-a: 1
  /a:
    x-a: 1
    post:
      x-a: 1
      operationId: o
      externalDocs: {url: u, x-a: 1}
      parameters: [{name: q, in: query, x-a: 1, schema: {x-a: 1, xml: {x-a: 1}, discriminator: {propertyName: p, x-a: 1}}}]
      requestBody:
        x-a: 1
        content:
          multipart/form-data:
            x-a: 1
            schema: {type: object, properties: {f: {type: string}}}
            encoding: {f: {contentType: text/plain, x-a: 1}}
      responses: {x-a: 1, 200: {description: d, x-a: 1, headers: {X-B: {x-a: 1, schema: {}}}, links: {l: {x-a: 1}}}}
components:
  x-a: 1
  examples: {e: {x-a: 1}}
  securitySchemes: {s: {type: oauth2, x-a: 1, flows: {x-a: 1, implicit: {x-a: 1}}}}
)"),
            "x-a"));
    }
    CHECK_FALSE(says(warnings_of(R"(
swagger: '2.0'
x-a: 1
info: {title: T, x-a: 1}
paths:
  x-a: 1
  /a:
    x-a: 1
    post:
      x-a: 1
      consumes: [application/x-www-form-urlencoded]
      parameters: [{name: q, in: query, type: array, x-a: 1, items: {type: string, x-a: 1}}, {name: f, in: formData, type: string, x-a: 1}]
      responses: {x-a: 1, 200: {description: d, x-a: 1, schema: {type: object, x-a: 1}, headers: {X-B: {type: string, x-a: 1}}}}
definitions: {S: {x-a: 1}}
securityDefinitions: {s: {type: basic, x-a: 1}}
)"),
                     "x-a"));
}

TEST_CASE("types are read in another letter case, as YAML's null, and named twice") {
    auto const type = [](std::string const& text) { return with_schema("{type: " + text + "}"); };
    CHECK(says(warnings_of(type("[string, null]")),
               R"(type: has YAML's null, which is read as the type "null"; write "null", in quotes)"));
    CHECK(says(warnings_of(type("null")), "has YAML's null"));
    CHECK(says(warnings_of(type("String")),
               R"(type: has "String", which is read as the type "string"; write "string")"));
    CHECK(says(warnings_of(type("[string, string]")), R"(has the type "string" twice)"));
    CHECK(says(warnings_of(type("5")), "must be a type, or a list of types"));
    Checker checker{"{type: [String, null, string]}"};
    CHECK(checker.verdict("null") == "valid");
    CHECK(checker.verdict(R"("a")") == "valid");
    CHECK(checker.verdict("1") == "the body must be a string or null, not a number");
    CHECK(checker.check("1").violations.front().expected == R"(["string","null"])");
}

TEST_CASE("a flag in the schema of a property is read as a name in required around it") {
    CHECK(says(warnings_of(with_schema("{properties: {a: {type: string, required: true}}}")),
               R"(a.required: is a flag: it is read as "a" in required of the object around it; )"
               "write required: [a] in the schema whose properties have it"));
    CHECK(says(warnings_of(with_schema("{properties: {a: {required: false}}}")),
               "a.required: is a flag, and has no effect; remove it"));
    Checker checker{"{required: [b], properties: {a: {required: true, type: string}, b: {required: "
                    "true}, c: {required: false}, required: {type: boolean}}}"};
    CHECK(checker.verdict("{}") == "/b is required; /a is required");
    CHECK(checker.verdict(R"({"a":"","b":1})") == "valid");
    // Of what it would be a property is not clear.
    CHECK(says(warnings_of(with_schema("{type: array, items: {required: true}}")),
               "items.required: must be a list of property names; write required: [NAME] in the "
               "schema whose properties have that name"));
}

TEST_CASE("flags and numbers in quotes are what they spell") {
    auto const warnings = warnings_of(with_operation(
        "operationId: o\n      parameters: [{name: q, in: query, required: 'true', explode: no, "
        "schema: {maximum: '5', minLength: \"2\", uniqueItems: yes}}]"));
    CHECK(says(warnings, "required: is a text, and is read as true; write true, without quotes"));
    CHECK(says(warnings, "explode: is a text, and is read as false"));
    CHECK(says(warnings, "maximum: is a text, and is read as the number; write it without quotes"));
    CHECK(says(warnings, "minLength: is a text, and is read as the number"));
    CHECK(says(warnings, "uniqueItems: is a text, and is read as true"));
    Checker checker{"{maximum: '5', multipleOf: '2'}"};
    CHECK(checker.verdict("6") == "the body must be at most 5");
    CHECK(checker.verdict("3") == "the body must be a multiple of 2");
}

TEST_CASE("a parameter that the path does not have, or that is listed twice alike, is a warning") {
    CHECK(says(warnings_of(with_operation("parameters: [{name: ids, in: path, required: true, "
                                          "schema: {}}]")),
               R"(has no effect: the path has no parameter "ids"; did you mean "id"?)"));
    CHECK(says(warnings_of(with_operation("parameters: [{name: z, in: path, required: true, schema: "
                                          "{type: integer}}]")),
               "write {z} into the path, or remove it"));
    auto const twice = [](std::string const& second) {
        return with_operation(
            "parameters: [{name: q, in: query, schema: {type: integer}}, " + second + "]");
    };
    CHECK(says(warnings_of(twice("{schema: {type: integer}, in: query, name: q, description: d, "
                                 "required: false}")),
               R"(the parameter "q" is listed twice, with the same meaning; remove one of the two)"));
    CHECK(says(errors_of(twice("{name: q, in: query, required: true, schema: {type: integer}}"))[0],
               R"(the parameter "q" is listed twice; remove one of the two)"));
}

TEST_CASE("nothing behind a key is nothing said") {
    auto const warnings = warnings_of(
        head + "paths:\n  /a:\n  /b:\n    post:\n      requestBody: {content: {application/json: }}\n"
               "      parameters:\n      responses: {200: }\n    get:\n      responses:\n    put:\n"
               "      requestBody:\ncomponents:\n");
    CHECK(says(warnings, R"(paths["/a"]: is empty: it is read as a path that says nothing; write {})"));
    CHECK(says(warnings, "is empty: it is read as a media type that says nothing"));
    CHECK(says(warnings, "responses.200: is empty: it is read as a response that says nothing"));
    CHECK(says(warnings, "parameters: is empty: there are no parameters; remove it"));
    CHECK(says(warnings, "responses: is empty: every status passes"));
    CHECK(says(warnings, "requestBody: is empty: a body is refused"));
    CHECK(says(warnings, "components: is empty"));
    CHECK(says(warnings_of(with_schema("{properties: , required: }")),
               "properties: is empty: no property is declared"));
    // A schema that was forgotten would leave its values unchecked.
    CHECK(says(errors_of(with_operation("requestBody: {content: {application/json: {schema: }}}"))[0],
               "schema: is null, not a schema"));
}

TEST_CASE("a server without a scheme or a slash is read as its path") {
    auto const path_of = [](std::string const& servers) {
        auto const contract = load_document("openapi: 3.1.0\ninfo: {title: T}\nservers: [" + servers
                                            + "]\npaths: {/a: {get: {operationId: o}}}\n");
        return contract->operations().front().path;
    };
    CHECK(path_of("{url: v1}") == "/v1/a");
    CHECK(path_of("{url: ./v1/}") == "/v1/a");
    CHECK(path_of("{url: v1.0}") == "/v1.0/a");
    CHECK(path_of("{url: api.example.com/v1}") == "/v1/a");
    CHECK(path_of("{url: api.example.com}") == "/a");
    CHECK(path_of("{url: 'localhost:8080/v2'}") == "/v2/a");
    CHECK(path_of("{url: '10.0.0.1/v2'}") == "/v2/a");
    CHECK(path_of("{url: 'https://h:{port}/v', variables: {port: {default: 8443}}}") == "/v/a");
    CHECK(path_of("{url: '/{v}', variables: {v: {default: a, enum: [b]}}}") == "/a/a");
    CHECK(path_of("{url: /v1}, {url: '{{base}}/v1'}, {url: v1}, {}") == "/v1/a");
    CHECK(says(warnings_of(head + "servers: [{url: v1}]\npaths: {/a: {get: {operationId: o}}}"),
               "api.yaml:3:17: warning: servers[0].url: is neither a path nor a full URL: its path is "
               "read as /v1; begin it with / or https://"));
    CHECK(says(warnings_of("swagger: '2.0'\ninfo: {title: T}\nbasePath: v1\npaths: {/a: {get: {}}}"),
               "basePath: is read as /v1; begin it with /"));
}

TEST_CASE("what no value satisfies is a warning") {
    for (auto const& [schema, warning] : std::vector<std::pair<std::string, std::string>>{
             {"{minimum: 5, maximum: 3}", "minimum: is above maximum: no value is valid"},
             {"{exclusiveMinimum: 3, maximum: 3}", "exclusiveMinimum: is above maximum"},
             {"{minLength: 5, maxLength: 3}", "minLength: is above maxLength"},
             {"{minItems: 5, maxItems: 3}", "minItems: is above maxItems"},
             {"{minProperties: 5, maxProperties: 3}", "minProperties: is above maxProperties"},
             {"{contains: {}, minContains: 2, maxContains: 1}", "minContains: is above maxContains"},
             {"{type: string, enum: [a, 1]}",
              "enum[1]: never passes: it is an integer, which type excludes; write it in quotes"},
             {"{type: integer, const: a}", "const: never passes: it is a string, which type excludes"},
             {"{additionalProperties: false, properties: {a: {}}, required: [a, b]}",
              R"(required[1]: "b" is required, and additionalProperties excludes it)"},
             {"{properties: {a: false}, required: [a]}", R"("a" is required, and false in properties)"},
             {"{pattern: /^a$/}", "the pattern matches no text: a character stands in front of ^, or "
                                  "behind $; write it without the slashes around it"},
             {"{pattern: \"^a$\\n\"}", "the pattern matches no text"},
             {"{allOf: [{additionalProperties: false, properties: {a: {}}}, "
              "{additionalProperties: false, properties: {b: {}}}]}",
              "the additionalProperties of one part excludes \""},
         }) {
        CAPTURE(schema);
        CHECK(says(warnings_of(with_schema(schema)), warning));
    }
    for (std::string const schema :
         {"{minimum: 3, maximum: 3}", "{type: integer, enum: [1.0, 2]}", "{type: number, enum: [1]}",
          "{minLength: 3, maxLength: 3}", "{pattern: '/a/'}", "{pattern: '^a$|^b$'}",
          "{pattern: '(?:/|^)a'}", "{additionalProperties: false, properties: {a: {}}, required: [a]}",
          "{allOf: [{additionalProperties: false, properties: {a: {}, b: {}}}, {properties: {b: "
          "{}}}]}"}) {
        CAPTURE(schema);
        CHECK(warnings_of(with_schema(schema)).find(".S") == std::string::npos);
    }
}

TEST_CASE("a parent that lists its children, each of which has it in allOf, is inheritance") {
    for (std::string const version : {"3.0.3", "3.1.0"}) {
        for (std::string const root : {"Ride", "Bus"}) {
            INFO(version << ' ' << root);
            std::string const document =
                "openapi: " + version + R"(
info: {title: T}
paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/)"
                + root + R"("}}}}}}}
components:
  schemas:
    Ride:
      type: object
      required: [kind]
      properties: {kind: {type: string}, next: {$ref: "#/components/schemas/Ride"}}
      discriminator: {propertyName: kind, mapping: {bus: "#/components/schemas/Bus", tram: "#/components/schemas/Tram"}}
      oneOf: [{$ref: "#/components/schemas/Bus"}, {$ref: "#/components/schemas/Tram"}]
    Motor: {allOf: [{$ref: "#/components/schemas/Ride"}, {properties: {power: {type: integer}}}]}
    Bus: {allOf: [{$ref: "#/components/schemas/Motor"}, {required: [doors], properties: {doors: {type: integer}}}]}
    Tram: {allOf: [{$ref: "#/components/schemas/Ride"}, {required: [line], properties: {line: {type: string}}}]}
)";
            CHECK(says(warnings_of(document), "leads back to the schema that lists this one"));
            auto const contract = load_document(document);
            Validator validator;
            LevelTable const levels;
            auto const verdict = [&](std::string_view body) {
                auto const& types = contract->operations().front().request_body->media_types;
                return verdict_of(
                    validator.validate(*types.front().schema, Body{body}.view(), {}, levels));
            };
            CHECK(verdict(R"({"kind":"bus","doors":3})") == "valid");
            CHECK(verdict(R"({"kind":"bus"})") == "/doors is required");
            CHECK(verdict(R"({"kind":"bus","doors":3,"power":"x"})")
                  == "/power must be an integer, not a string");
            CHECK(verdict(R"({"kind":1,"doors":3})") != "valid");
            CHECK(verdict(R"({"doors":3})") != "valid");
            // The property is any ride again.
            CHECK(verdict(R"({"kind":"bus","doors":3,"next":{"kind":"tram","line":"5"}})") == "valid");
            CHECK(verdict(R"({"kind":"bus","doors":3,"next":{"kind":"tram"}})")
                  == "/next/line is required");
            if (root == "Ride") CHECK(verdict(R"({"kind":"tram","line":"5"})") == "valid");
        }
    }
}

} // namespace
} // namespace sallyport::contract::test::mistakes_test
