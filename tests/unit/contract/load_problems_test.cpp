// Documents that do not load, or load with a warning, each with its message.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test {
namespace {

struct Case {
    std::string text;
    std::string problem;
};

// A document with `{}` replaced by one part.
[[nodiscard]] std::string with_operation(std::string const& operation) {
    return "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a/{id}:\n    parameters: [{name: id, "
           "in: "
           "path, required: true, schema: {}}]\n    post:\n      "
           + operation + "\n";
}

TEST_CASE("an OpenAPI document with something invalid or not implemented does not load") {
    std::string const head = "openapi: 3.1.0\ninfo: {title: T}\n";
    for (
        auto const& one : std::vector<Case>{
            {"openapi: 3.2.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o}}}",
             "api.yaml:1:10: openapi: must be version 3.0 or 3.1 of OpenAPI; write openapi: "
             "3.1.0"},
            {"swagger: '2.0'\ninfo: {title: T}\nbasePath: /v1\npaths: {/a: {get: {}}}",
             "api.yaml:1:10: swagger: OpenAPI 2 (Swagger) is not supported; "
             "convert it to version 3 of OpenAPI"},
            {"openapi: 3.10.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o}}}",
             "api.yaml:1:10: openapi: must be version 3.0 or 3.1 of OpenAPI; write openapi: "
             "3.1.0"},
            {"openapi: 3.1.0\ninfo: {}\npaths: {/a: {get: {operationId: o}}}",
             "api.yaml:2:7: info: must have a title"},
            {"openapi: 3.1.0\ninfo: {title: T, verzion: '1'}\npaths: {/a: {get: {operationId: "
             "o}}}",
             R"(api.yaml:2:18: info.verzion: "verzion" of info is unknown; did you mean "version"?)"},
            {head
                 + "jsonSchemaDialect: http://json-schema.org/draft-07/schema#\npaths: {/a: "
                   "{get: "
                   "{operationId: o}}}",
             "api.yaml:3:20: jsonSchemaDialect: is a dialect that is not implemented; write "
             "https://spec.openapis.org/oas/3.1/dialect/base, or leave it out"},
            {"openapi: 3.0.3\ninfo: {title: T}\njsonSchemaDialect: "
             "https://spec.openapis.org/oas/3.1/dialect/base\npaths: {/a: {get: {operationId: "
             "o}}}",
             R"(api.yaml:3:1: jsonSchemaDialect: "jsonSchemaDialect" of an OpenAPI document is unknown; write one of openapi, info, servers, paths, components, security, tags or externalDocs)"},
            {head + "paths: {}", "api.yaml:3:8: paths: must be a mapping of at least one path"},
            {head + "path: {}\npaths: {/a: {get: {operationId: o}}}",
             R"(api.yaml:3:1: path: "path" of an OpenAPI document is unknown; did you mean "paths"?)"},
            {head + "paths: {a: {get: {operationId: o}}}",
             R"(api.yaml:3:9: paths.a: the path does not begin with a slash; begin it with /)"},
            {head + "paths: {/a: {gett: {operationId: o}}}",
             R"(api.yaml:3:14: paths["/a"].gett: "gett" of a path is unknown; did you mean "get"?)"},
            {head + "paths: {/a: {trace: {operationId: o}}}",
             R"(api.yaml:3:14: paths["/a"].trace: "trace" of a path is not implemented; remove it: the gateway does not forward TRACE)"},
            {head + "paths: {/a: {get: {}}}",
             R"(api.yaml:3:19: paths["/a"].get.operationId: is missing: credentials, rules and the log use it as the operation's name; write operationId: get_a, or another name of letters, digits, _, - and .)"},
            {head + "paths: {'/v1/users.d/me-too/': {put: {operationId: 'a b'}}}",
             R"(api.yaml:3:52: paths["/v1/users.d/me-too/"].put.operationId: must be a name of letters, digits, _, - and .; write one such as put_v1_users.d_me-too)"},
            {head + "paths: {/a: {get: {operationId: o}, put: {operationId: o}}}",
             R"(api.yaml:3:56: paths["/a"].put.operationId: "o" is also the name of paths["/a"].get; write another name)"},
            {head + "paths: {'/a/{x}': {get: {operationId: o}}}",
             R"(api.yaml:3:25: paths["/a/{x}"].get: the parameter "x" of the path is not among the parameters)"},
            {with_operation("operationId: o\n      x-retry: always"),
             R"(api.yaml:8:16: paths["/a/{id}"].post.x-retry: must be safe, or absent; write x-retry: safe)"},
            {with_operation("operationId: o\n      x-timeouts: {first_byte: 290}"),
             R"(api.yaml:8:32: paths["/a/{id}"].post.x-timeouts.first_byte: must be a duration above 0; write a number and a unit, such as 290s)"},
            {with_operation("operationId: o\n      x-timeouts: {first_bite: 1s}"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.x-timeouts.first_bite: "first_bite" of x-timeouts is unknown; did you mean "first_byte"?)"},
            {with_operation(
                 "operationId: o\n      x-body-limit: 64KB\n      requestBody: {content: "
                 "{application/json: {}}}"),
             R"(api.yaml:8:21: paths["/a/{id}"].post.x-body-limit: must be a size above 0, of 1024GiB at most; write digits, or digits and B, KiB, MiB or GiB, such as 64KiB)"},
            {with_operation("operationId: o\n      x-body-limit: 64KiB"),
             R"(api.yaml:8:21: paths["/a/{id}"].post.x-body-limit: has no effect: the operation has no requestBody)"},
            {with_operation("operationId: o\n      x-retri: 5"),
             R"(api.yaml:8:7: paths["/a/{id}"].post.x-retri: "x-retri" of an operation is unknown; did you mean "x-retry"?)"},
            {with_operation("operationId: o\n      requestBody: {content: {}}"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.requestBody.content: must be a mapping of at least one media type)"},
            {with_operation("operationId: o\n      requestBody: {content: {Application/JSON: {}}}"),
             R"(api.yaml:8:31: paths["/a/{id}"].post.requestBody.content["Application/JSON"]: is not a media type; write it in lower case, without parameters)"},
            {with_operation("operationId: o\n      requestBody: {content: {text/plain: {schema: "
                            "{maxLength: 5}}}}"),
             R"(api.yaml:8:52: paths["/a/{id}"].post.requestBody.content["text/plain"].schema: rules for bodies of "text/plain" are not implemented; write schema: {}, or none)"},
            {with_operation("operationId: o\n      responses: {\"20\": {}}"),
             R"(api.yaml:8:19: paths["/a/{id}"].post.responses.20: is not a status; write one such as 200, 2XX or default)"},
            {with_operation("operationId: o\n      responses: {\"200\": {content: {text/plain: "
                            "{schema: {maxLength: 5}}}}}"),
             R"(api.yaml:8:58: paths["/a/{id}"].post.responses.200.content["text/plain"].schema: rules for bodies of "text/plain" are not implemented; write schema: {}, or none)"},
            {with_operation(
                 "operationId: o\n      responses: {\"200\": {headers: {X-Left: {schema: "
                 "{type: integer}}}}}"),
             R"(api.yaml:8:45: paths["/a/{id}"].post.responses.200.headers.X-Left: rules for header fields of responses are not implemented; write schema: {type: string}, without required)"},
            {with_operation(
                 "operationId: o\n      responses: {\"200\": {headers: {X-Left: {required: "
                 "true}}}}"),
             R"(api.yaml:8:45: paths["/a/{id}"].post.responses.200.headers.X-Left: rules for header fields of responses are not implemented; write schema: {type: string}, without required)"},
            {with_operation(
                 "operationId: o\n      responses: {\"200\": {headers: {X-Left: {content: "
                 "{}}}}}"),
             R"(api.yaml:8:46: paths["/a/{id}"].post.responses.200.headers.X-Left.content: "content" of a field of a response is not implemented; write schema: {type: string})"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: h, in: cookie, schema: {}}]"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0].in: parameters in "cookie" are not implemented; write path, query or header)"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: id, in: path, required: true, "
                 "style: label, schema: {}}]"),
             R"(api.yaml:8:64: paths["/a/{id}"].post.parameters[0].style: the style "label" is not implemented here; write simple, or leave it out)"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: id, in: path, required: true, "
                 "style: matrix, schema: {}}]"),
             R"(api.yaml:8:64: paths["/a/{id}"].post.parameters[0].style: the style "matrix" is not implemented here; write simple, or leave it out)"},
            {with_operation("operationId: o\n      parameters: [{name: q, in: query, style: form, "
                            "content: {application/json: {schema: {}}}}]"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: has content and "style": only one of them can define its format)"},
            {with_operation("operationId: o\n      parameters: [{name: q, in: query, "
                            "content: {text/plain: {schema: {}}}}]"),
             R"(api.yaml:8:63: paths["/a/{id}"].post.parameters[0].content["text/plain"]: parameters of the media type "text/plain" are not implemented; write application/json)"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: q, in: query, content: {}}]"),
             R"(api.yaml:8:50: paths["/a/{id}"].post.parameters[0].content: must be a mapping of one media type)"},
            {with_operation("operationId: o\n      parameters: [{name: q, in: query, "
                            "content: {application/json: {}}}]"),
             R"(api.yaml:8:69: paths["/a/{id}"].post.parameters[0].content["application/json"]: must have a schema)"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: q, in: query, schema: {type: "
                 "[array, string]}}]"),
             R"(api.yaml:8:49: paths["/a/{id}"].post.parameters[0].schema: parameters that may be a plain value, a list or an object are not implemented; write one type)"},
            {with_operation("operationId: o\n      parameters: [{name: q, in: query, style: "
                            "spaceDelimited, schema: {}}]"),
             R"(api.yaml:8:48: paths["/a/{id}"].post.parameters[0].style: the style "spaceDelimited" is not implemented here; write form; of a list also spaceDelimited or pipeDelimited, of an object deepObject)"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: '', in: query, schema: {}}]"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: must have a name and in)"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: a b, in: header, schema: {}}]"),
             R"(api.yaml:8:27: paths["/a/{id}"].post.parameters[0].name: is not the name of a header field)"},
            {with_operation("operationId: o\n      parameters: [{name: X-A, in: header, schema: "
                            "{}}, {name: x-a, in: header, schema: {}}]"),
             R"(api.yaml:8:57: paths["/a/{id}"].post.parameters[1]: the parameter "x-a" is listed twice; remove one of the two)"},
            {head + "servers: {}\npaths: {/a: {get: {operationId: o}}}",
             "api.yaml:3:10: servers: must be a list of servers"},
            {head
                 + "servers: [{url: /b, protocol: http}]\npaths: {/a: {get: {operationId: "
                   "o}}}",
             R"(api.yaml:3:21: servers[0].protocol: "protocol" of a server is unknown; write one of url, variables or description)"},
            {head + "paths: {/a: {get: {operationId: o}}}\ncomponents: {responses: []}",
             "api.yaml:4:25: components.responses: must be a mapping of names"},
            {with_operation("operationId: o\n      parameters: [{name: q, in: query}]"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: must have a schema)"},
            {with_operation(
                 "operationId: o\n      parameters: [{name: z, in: path, required: true, "
                 "schema: {}}]"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: the path has no parameter "z")"},
            {with_operation("operationId: o\n      parameters: [{name: id, in: path, schema: {}}]"),
             R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: must have required: true, as every parameter of a path)"},
            {with_operation(
                 "operationId: o\n      parameters: [{$ref: '#/components/parameters/x'}]"),
             R"(api.yaml:8:27: paths["/a/{id}"].post.parameters[0]["$ref"]: "#/components/parameters/x" refers to nothing in this document; write #/components/ and its path there)"},
            {with_operation("operationId: o\ncomponents: {parameters: {P: {name: p, in: query, "
                            "schema: {tpye: string}}}}"),
             R"(api.yaml:8:60: components.parameters.P.schema.tpye: the keyword "tpye" is not implemented; did you mean "type"?)"},
            {with_operation("operationId: o\ncomponents: {parameters: {P: {name: p, in: query, "
                            "typo: 1, schema: {}}}}"),
             R"(api.yaml:8:51: components.parameters.P.typo: "typo" of a parameter is unknown; write one of name, in, required, schema, content, deprecated, style, explode, allowReserved, allowEmptyValue, x-source, description, example or examples)"},
            {with_operation("operationId: o\ncomponents: {parameters: {P: {name: p, in: cookie, "
                            "schema: {}}}}"),
             R"(api.yaml:8:30: components.parameters.P.in: parameters in "cookie" are not implemented; write path, query or header)"},
            {with_operation("operationId: o\ncomponents: {requestBodies: {B: {content: "
                            "{application/json: {schema: {tpye: string}}}}}}"),
             R"(api.yaml:8:72: components.requestBodies.B.content["application/json"].schema.tpye: the keyword "tpye" is not implemented; did you mean "type"?)"},
            {with_operation("operationId: o\ncomponents: {responses: {R: {contents: {}}}}"),
             R"(api.yaml:8:30: components.responses.R.contents: "contents" of a response is unknown; did you mean "content"?)"},
            {with_operation("operationId: o\ncomponents: {responses: {R: {content: "
                            "{application/json: {schema: {tpye: string}}}}}}"),
             R"(api.yaml:8:68: components.responses.R.content["application/json"].schema.tpye: the keyword "tpye" is not implemented; did you mean "type"?)"},
            {with_operation("operationId: o\ncomponents: {schemas: {A: {oneOf: [{$ref: "
                            "'#/components/schemas/B'}], discriminator: {propertyName: t, mapping: "
                            "{b: B, c: '#/components/schemas/C'}}}, B: {}}}"),
             R"(api.yaml:8:123: components.schemas.A.discriminator.mapping.c: "#/components/schemas/C" is no schema; write the name of one of components.schemas, or a reference to one)"},
            {head
                 + "servers: [{url: 'https://h:{port}/', variables: {port: {default: "
                   "8443}}}]\n"
                   "paths: {/a: {get: {operationId: o}}}",
             R"(api.yaml:3:66: servers[0].variables.port.default: must be a string, and is an integer; write it in quotes)"},
            {head
                 + "servers: [{url: 'https://h/{v}', variables: {v: {default: a, enum: [b, "
                   "c]}}}]\npaths: {/a: {get: {operationId: o}}}",
             R"(api.yaml:3:59: servers[0].variables.v.default: is not one of the values of its enum; write one of them)"},
            {head + "servers: [{url: v1}]\npaths: {/a: {get: {operationId: o}}}",
             R"(api.yaml:3:17: servers[0].url: is neither a path nor a full URL; begin it with / or https://)"},
            {head + "servers: [{url: '/{x}'}]\npaths: {/a: {get: {operationId: o}}}",
             R"(api.yaml:3:17: servers[0].url: has a path that cannot be used; write a path whose variables have defaults)"},
            {head + "servers: [{url: /a}, {url: /b}]\npaths: {/a: {get: {operationId: o}}}",
             R"(api.yaml:3:28: servers[1].url: has a different path than the servers before it; write servers with one path, or two documents)"},
            {head + "paths: {/a: {$ref: '#/x'}}",
             R"(api.yaml:3:14: paths["/a"]["$ref"]: "$ref" of a path is not implemented; write its target here)"},
            {head + "paths: {/a: {get: {operationId: o, servers: []}}}",
             R"(api.yaml:3:36: paths["/a"].get.servers: "servers" of an operation is not implemented; write them at the top of the document)"},
            {head + "paths: {'/{x}{y}': {get: {operationId: o}}}",
             R"(api.yaml:3:9: paths["/{x}{y}"]: the path has two parameters without a literal between them; write one parameter for both, or a literal between them)"},
            {head + "paths: {'/a{x': {get: {operationId: o}}}",
             R"(api.yaml:3:9: paths["/a{x"]: the path has a brace without the other one, or without a name between them; write {name})"},
            {head + "paths: {'/a#b': {get: {operationId: o}}}",
             R"(api.yaml:3:9: paths["/a#b"]: the path has a fragment, which clients do not send; remove it, and write paths that differ only in it as one)"},
            {head + "paths: {'/a?b=1': {get: {operationId: o}}}",
             R"(api.yaml:3:9: paths["/a?b=1"]: the path has a query; write the path without it, and its names as parameters with in: query)"},
            {head + "paths: {'/{x}.': {get: {operationId: o}}}",
             R"(api.yaml:3:9: paths["/{x}."]: the path has a parameter beside white space or a dot at the end of its segment; write the segment as one parameter, with a pattern)"},
            {with_operation("operationId: o\n      requestBody: {content: {application/json; "
                            "charset=latin1: {}}}"),
             R"(api.yaml:8:31: paths["/a/{id}"].post.requestBody.content["application/json; charset=latin1"]: has parameters, which are not checked; write it in lower case, without parameters)"},
            {with_operation("operationId: o\n      requestBody: {content: {application/json: {}, "
                            "application/json;charset=UTF-8: {}}}"),
             R"(api.yaml:8:53: paths["/a/{id}"].post.requestBody.content["application/json;charset=UTF-8"]: "application/json" is listed twice; remove one of the two)"},
            {with_operation("operationId: o\ncomponents: {schemas: {S: {additionalItems: false}}}"),
             R"(api.yaml:8:28: components.schemas.S.additionalItems: the keyword "additionalItems" is not implemented; write items, and prefixItems in place of a list of items)"},
            {with_operation("operationId: o\ncomponents: {schemas: {Unused: {maxx: 1}}}"),
             R"(api.yaml:8:33: components.schemas.Unused.maxx: the keyword "maxx" is not implemented; write a keyword of JSON Schema 2020-12, or x- in front of one of your own)"},
        }) {
        INFO(one.text);
        auto const problems = problems_of(one.text);
        CHECK(problems.size() == 1);
        CHECK(problems.at(0) == one.problem);
    }
}

TEST_CASE("a path with one parameter twice does not load") {
    for (std::string const path : {"/{x}-{x}", "/{x}/{x}", "/{x}.a/{x}"}) {
        INFO(path);
        auto const problems =
            problems_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {'" + path
                        + "': {get: {operationId: o, parameters: [{name: x, in: path, required: "
                          "true, schema: {}}]}}}");
        CHECK(problems.at(0) == "api.yaml:3:9: paths[\"" + path
                                    + "\"]: the path has the parameter \"x\" twice; give one of "
                                      "them another name");
    }
}

TEST_CASE("the same path twice does not load") {
    auto const problems = problems_of(R"(
openapi: 3.1.0
info: {title: T}
paths:
  /a/{x}:
    parameters: [{name: x, in: path, required: true, schema: {}}]
    get: {operationId: one}
  /a/{y}:
    parameters: [{name: y, in: path, required: true, schema: {}}]
    get: {operationId: two}
)");
    CHECK(
        problems
        == std::vector<std::string>{
            R"(api.yaml:9:5: paths["/a/{y}"]: is the same path as /a/{x} of line 5; write one path for both)"});
}

TEST_CASE(
    "two paths that can match one request are a warning that says which one takes precedence") {
    auto const warnings = [](std::vector<std::string> const& paths) {
        std::string text = "openapi: 3.1.0\ninfo: {title: T}\npaths:\n";
        int number = 0;
        for (auto const& path : paths) {
            text += "  " + path + ":\n    parameters: [";
            for (char const name : std::string_view{"ab"}) {
                if (path.find(std::string{'{'} + name + '}') == std::string::npos) continue;
                text += std::string{"{name: "} + name + ", in: path, required: true, schema: {}}, ";
            }
            text += "]\n    get: {operationId: o" + std::to_string(number++) + "}\n";
        }
        auto const loaded = Contract::load_text(text, "api.yaml");
        CHECK(loaded.contract);
        std::vector<std::string> all;
        for (auto const& problem : loaded.problems)
            all.push_back(config::yaml::describe(problem));
        return all;
    };
    using List = std::vector<std::string>;
    std::string const hint =
        "; write one path for both, or one that has a literal wherever the other has one";
    CHECK(warnings({"/a/{b}", "/{a}/b"})
          == List{"api.yaml:8:5: warning: paths[\"/{a}/b\"]: can match the same path as /a/{b}: "
                  "the other one takes precedence, whose literal is further left"
                  + hint});
    CHECK(warnings({"/{a}/b", "/a/{b}"})
          == List{"api.yaml:8:5: warning: paths[\"/a/{b}\"]: can match the same path as /{a}/b: "
                  "this one takes precedence, whose literal is further left"
                  + hint});
    CHECK(warnings({"/{a}-{b}", "/{a}.{b}"})
          == List{"api.yaml:8:5: warning: paths[\"/{a}.{b}\"]: can match the same path as "
                  "/{a}-{b}: a request for such a path is refused"
                  + hint});
    CHECK(warnings({"/x/{a}", "/x/me", "/x/{a}.json", "/x/{a}:cancel"}) == List{});
}

TEST_CASE("all problems of a document are reported at once, in its order, each once") {
    auto const problems = problems_of(R"(
openapi: 3.1.0
info: {title: T}
paths:
  /a:
    put:
      operationId: o
      x-retry: 5
      requestBody:
        content:
          application/json: { schema: { $ref: "#/components/schemas/A" } }
      responses:
        "200": { content: { application/json: { schema: { $ref: "#/components/schemas/A" } } } }
components:
  schemas:
    A: { properties: { b: { minimum: x }, c: { pattern: "(" } } }
)");
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].find("api.yaml:8:16: ") == 0);
    CHECK(problems[1].find("api.yaml:16:38: components.schemas.A.properties.b.minimum") == 0);
    CHECK(problems[2].find("api.yaml:16:57: components.schemas.A.properties.c.pattern") == 0);
}

TEST_CASE("a YAML problem is reported once, and hides no other problem") {
    auto const loaded = Contract::load_text(with_operation(R"(operationId: o
      summary: one
      summary: two
      tags: &all [a]
      responses: { 200: { description: x } }
      requestBody: { content: { application/json: { schema: { typ: string } } } }
      deprecated: *all)"),
                                            "api.yaml");
    CHECK_FALSE(loaded.contract);
    std::string all;
    for (auto const& problem : loaded.problems)
        all += describe(problem) + '\n';
    INFO(all);
    CHECK(loaded.problems.size() == 5);
    for (auto const* const words :
         {"the key is given twice", "anchors are not read", "a key must be a string",
          "aliases are not read", ".schema.typ: "})
        CHECK(all.find(words) != std::string::npos);
}

TEST_CASE("definitions without references are checked, each once") {
    auto const problems = problems_of_schema(R"(
properties: { a: { $ref: "#/$defs/used" }, b: { $ref: "#/$defs/used" } }
$defs:
  used:
    $defs: { below: { maximun: 5, x-secret: true }, other: { $ref: "#/$defs/used/$defs/below" } }
  unused: { x-foreign: 1, properties: { c: { typ: string } } }
)");
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].find("schema.yaml:5:23: ") == 0);
    CHECK(problems[1].find("x-foreign") != std::string::npos);
    CHECK(problems[2].find(R"(schema.yaml:6:46: ["$defs"].unused.properties.c.typ: )") == 0);
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
        std::vector<std::string> reported;
        for (auto const& problem : loaded.problems) {
            CHECK(problem.severity == config::yaml::Severity::warning);
            reported.push_back(std::to_string(problem.where.line) + ' ' + problem.path);
            CHECK(problem.what == "has no effect beside $ref");
            CHECK(problem.hint
                  == "write it at the target of the $ref, or replace the $ref by its target");
        }
        CHECK(reported
              == std::vector<std::string>{R"(7 paths["/a"].post.parameters[0].required)",
                                          R"(8 paths["/a"].post.requestBody.required)",
                                          R"(8 paths["/a"].post.requestBody.nonsense)",
                                          R"(10 paths["/a"].post.responses.200.content)",
                                          R"(13 paths["/a"].post.responses.201.headers.X.required)",
                                          "16 components.requestBodies.B.content"});
        REQUIRE(loaded.contract);
        CHECK_FALSE(loaded.contract->find_operation("o")->query_parameters.front().required);
    }
}

TEST_CASE("a body limit is written like a size of the configuration, or in bytes") {
    struct Size {
        std::string_view text;
        std::uint64_t bytes;
    };
    for (auto const& [text, bytes] :
         {Size{"32", 32}, Size{"32B", 32}, Size{"2KiB", 2048}, Size{"1MiB", 1'048'576},
          Size{"1024GiB", std::uint64_t{1} << 40}}) {
        INFO(text);
        auto const loaded = Contract::load_text(
            with_operation("operationId: o\n      x-body-limit: " + std::string{text}
                           + "\n      requestBody: {content: {application/json: {}}}"),
            "api.yaml");
        REQUIRE(loaded.contract);
        CHECK(loaded.contract->find_operation("o")->request_body->limit == bytes);
    }
}

TEST_CASE("files that cannot be read, and texts that are not YAML, are problems") {
    CHECK(Contract::load_file("/nonexistent/api.yaml").contract == nullptr);
    CHECK_FALSE(Contract::load_file("/nonexistent/api.yaml").problems.empty());
    CHECK(problems_of("a: [").size() == 1);
    CHECK(problems_of("").size() >= 1);
    CHECK(problems_of("[]").size() >= 1);
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

TEST_CASE("an unknown format is a warning, not an error") {
    auto const loaded = Contract::load_schema("{properties: {a: {format: colour}}}", "s.yaml");
    REQUIRE(loaded.contract);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].severity == config::yaml::Severity::warning);
    CHECK(config::yaml::describe(loaded.problems[0]).find("\"colour\" is unknown")
          != std::string::npos);
    CHECK(Contract::load_schema("{properties: {a: {format: password}}}", "s").problems.empty());
}

} // namespace
} // namespace sallyport::contract::test
