// Documents that do not load, each with its message.
#include "tests/unit/contract/load_cases.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::load_problems_test {
namespace {

TEST_CASE("an OpenAPI document with something invalid or not implemented does not load") {
    std::string const head = "openapi: 3.1.0\ninfo: {title: T}\n";
    for (auto const&
             one : std::
                 vector<LoadCase>{
                     {"openapi: 3.3.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o}}}",
                      "api.yaml:1:10: openapi: must be version 3.0, 3.1 or 3.2 of OpenAPI; write "
                      "openapi: "
                      "3.1.0"},
                     {"openapi: 3.10.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o}}}",
                      "api.yaml:1:10: openapi: must be version 3.0, 3.1 or 3.2 of OpenAPI; write "
                      "openapi: "
                      "3.1.0"},
                     {head
                          + "jsonSchemaDialect: http://json-schema.org/draft-07/schema#\npaths: "
                            "{/a: "
                            "{get: "
                            "{operationId: o}}}",
                      "api.yaml:3:20: jsonSchemaDialect: is a dialect that is not implemented; "
                      "write "
                      "https://spec.openapis.org/oas/3.1/dialect/base, or leave it out"},
                     {head + "paths: []", "api.yaml:3:8: paths: must be a mapping of paths"},
                     {head + "tags: []", "api.yaml:1:1: paths: must be a mapping of paths"},
                     {head + "path: {}\npaths: {/a: {get: {operationId: o}}}",
                      R"(api.yaml:3:1: path: "path" of an OpenAPI document is unknown; did you mean "paths"?)"},
                     {head + "paths: {a: {get: {operationId: o}}}",
                      R"(api.yaml:3:9: paths.a: the path does not begin with a slash; begin it with /)"},
                     {head + "paths: {/a: {gett: {operationId: o}}}",
                      R"(api.yaml:3:14: paths["/a"].gett: "gett" of a path is unknown; did you mean "get"?)"},
                     {head + "paths: {'/v1/users.d/me-too/': {put: {operationId: [a]}}}",
                      R"(api.yaml:3:52: paths["/v1/users.d/me-too/"].put.operationId: must be a name of letters, digits, _, - and .; write one such as put_v1_users.d_me-too)"},
                     {with_operation("operationId: o\n      x-retry: always"),
                      R"(api.yaml:8:16: paths["/a/{id}"].post.x-retry: must be safe, or absent; write x-retry: safe)"},
                     {with_operation("operationId: o\n      x-stream: yes"),
                      R"(api.yaml:8:17: paths["/a/{id}"].post.x-stream: must be events or none; write x-stream: events if its responses last as long as something happens)"},
                     {with_operation("operationId: o\n      x-trailers: yes"),
                      R"(api.yaml:8:19: paths["/a/{id}"].post.x-trailers: must be forward or drop; write x-trailers: forward if the fields behind its bodies are to be passed on)"},
                     {with_operation("operationId: o\n      x-timeouts: {first_byte: 290}"),
                      R"(api.yaml:8:32: paths["/a/{id}"].post.x-timeouts.first_byte: must be a duration above 0; write a number and a unit, such as 290s)"},
                     {with_operation("operationId: o\n      x-timeouts: {patience: 1s}"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.x-timeouts.patience: "patience" of x-timeouts is unknown; write one of connect, first_byte, idle or total)"},
                     {with_operation("operationId: o\n      x-timeouts: {first_bite: 1s}"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.x-timeouts.first_bite: "first_bite" of x-timeouts is unknown; did you mean "first_byte"?)"},
                     {with_operation(
                          "operationId: o\n      x-body-limit: 64KB\n      requestBody: {content: "
                          "{application/json: {}}}"),
                      R"(api.yaml:8:21: paths["/a/{id}"].post.x-body-limit: must be a size above 0, of 1024GiB at most; write digits, or digits and B, KiB, MiB or GiB, such as 64KiB)"},
                     {with_operation("operationId: o\n      x-body-limit: 64KiB"),
                      R"(api.yaml:8:21: paths["/a/{id}"].post.x-body-limit: has no effect: the operation has no requestBody)"},
                     {with_operation("operationId: o\n      requestBody: {content: []}"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.requestBody.content: must be a mapping of media types; write content: {application/json: {schema: ...}})"},
                     {with_operation(
                          "operationId: o\n      requestBody: {content: {application: {}}}"),
                      R"(api.yaml:8:31: paths["/a/{id}"].post.requestBody.content.application: is not a media type; write one such as application/json)"},
                     {with_operation(
                          "operationId: o\n      requestBody: {content: {application/jsonl: "
                          "{schema: {type: array, minItems: 2}}}}"),
                      R"(api.yaml:8:59: paths["/a/{id}"].post.requestBody.content["application/jsonl"].schema: rules for bodies of "application/jsonl" are not implemented; write itemSchema)"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: h, in: body, schema: {}}]"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0].in: "body" is no place of a parameter; write requestBody beside parameters: {content: {application/json: {schema: ...}}})"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: id, in: path, required: true, "
                          "style: form, schema: {}}]"),
                      R"(api.yaml:8:64: paths["/a/{id}"].post.parameters[0].style: the style "form" is not implemented here; write simple, label or matrix, or leave it out)"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: q, in: query, style: form, "
                          "content: {application/json: {schema: {}}}}]"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: has content and "style": only one of them can define its format)"},
                     {with_operation("operationId: o\n      parameters: [{name: q, in: query, "
                                     "content: {text/csvs: {schema: {}}}}]"),
                      R"(api.yaml:8:62: paths["/a/{id}"].post.parameters[0].content["text/csvs"]: parameters of the media type "text/csvs" are not implemented; write application/json, or text/plain)"},
                     {with_operation("operationId: o\n      parameters: [{name: q, in: query, "
                                     "content: {text/plain: {schema: {type: array}}}}]"),
                      R"(api.yaml:8:72: paths["/a/{id}"].post.parameters[0].content["text/plain"].schema: must be for plain values, as every text; write content: {application/json: ...}, or schema with a style)"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: q, in: query, content: {}}]"),
                      R"(api.yaml:8:50: paths["/a/{id}"].post.parameters[0].content: must be a mapping of one media type)"},
                     {with_operation("operationId: o\n      parameters: [{name: q, in: query, "
                                     "content: {application/json: {}}}]"),
                      R"(api.yaml:8:69: paths["/a/{id}"].post.parameters[0].content["application/json"]: must have a schema)"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: q, in: query, schema: {type: "
                          "[object, string]}}]"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: an object of several pairs, or else another value, is not implemented; write explode: false, style: deepObject, or one type)"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: q, in: query, style: "
                          "spaceDelimited, schema: {}}]"),
                      R"(api.yaml:8:48: paths["/a/{id}"].post.parameters[0].style: the style "spaceDelimited" is not implemented here; write form; of a list also spaceDelimited or pipeDelimited, of an object deepObject, or those two with explode: false)"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: '', in: query, schema: {}}]"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: must have a name and in)"},
                     {with_operation("operationId: o\n      parameters: [{name: a b, in: header, "
                                     "schema: {}}]"),
                      R"(api.yaml:8:27: paths["/a/{id}"].post.parameters[0].name: is not the name of a header field)"},
                     {with_operation(
                          "operationId: o\n      parameters: [{name: X-A, in: header, schema: "
                          "{}}, {name: x-a, in: header, schema: {type: integer}}]"),
                      R"(api.yaml:8:57: paths["/a/{id}"].post.parameters[1]: the parameter "x-a" is listed twice; remove one of the two)"},
                     {head + "servers: {}\npaths: {/a: {get: {operationId: o}}}",
                      "api.yaml:3:10: servers: must be a list of servers"},
                     {head + "paths: {/a: {get: {operationId: o}}}\ncomponents: {responses: []}",
                      "api.yaml:4:25: components.responses: must be a mapping of names"},
                     {with_operation("operationId: o\n      parameters: [{name: q, in: query}]"),
                      R"(api.yaml:8:20: paths["/a/{id}"].post.parameters[0]: must have a schema)"},
                     {with_operation("operationId: o\n      parameters: [{$ref: "
                                     "'#/components/parameters/x'}]"),
                      R"(api.yaml:8:27: paths["/a/{id}"].post.parameters[0]["$ref"]: "#/components/parameters/x" refers to nothing in this document; write #/components/ and its path there)"},
                     {with_operation(
                          "operationId: o\ncomponents: {parameters: {P: {name: p, in: query, "
                          "schema: {tpye: string}}}}"),
                      R"(api.yaml:8:60: components.parameters.P.schema.tpye: the keyword "tpye" is not implemented; did you mean "type"?)"},
                     {with_operation(
                          "operationId: o\ncomponents: {parameters: {P: {name: p, in: body, "
                          "schema: {}}}}"),
                      R"(api.yaml:8:30: components.parameters.P.in: "body" is no place of a parameter; write requestBody beside parameters: {content: {application/json: {schema: ...}}})"},
                     {with_operation("operationId: o\ncomponents: {requestBodies: {B: {content: "
                                     "{application/json: {schema: {tpye: string}}}}}}"),
                      R"(api.yaml:8:72: components.requestBodies.B.content["application/json"].schema.tpye: the keyword "tpye" is not implemented; did you mean "type"?)"},
                     {head + "servers: [{url: '/{x}'}]\npaths: {/a: {get: {operationId: o}}}",
                      R"(api.yaml:3:17: servers[0].url: has a path that cannot be used; write a path whose variables have defaults)"},
                     {head + "paths: {/a: {servers: [{}], get: {operationId: o}}}",
                      R"(api.yaml:3:24: paths["/a"].servers[0]: must have a url)"},
                     {head + "paths: {/a: {get: {operationId: o, servers: {}}}}",
                      R"(api.yaml:3:45: paths["/a"].get.servers: must be a list of servers)"},
                     {head + "paths: {/a: {$ref: '#/x'}}",
                      R"(api.yaml:3:20: paths["/a"]["$ref"]: "#/x" refers to nothing in this document)"},
                     {head + "paths: {/a: {$ref: 1}}",
                      R"(api.yaml:3:20: paths["/a"]["$ref"]: must be a string)"},
                     {head + "paths: {/a: {$ref: '#/paths/~1a'}}",
                      R"(api.yaml:3:13: paths["/a"]: its $refs form a cycle; let one of them lead to the path itself)"},
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
                     {with_operation(
                          "operationId: o\n      requestBody: {content: {application/json; "
                          "charset=latin1: {}}}"),
                      R"(api.yaml:8:31: paths["/a/{id}"].post.requestBody.content["application/json; charset=latin1"]: has a parameter by which readers do not tell bodies apart; write application/json)"},
                     {with_operation(
                          "operationId: o\n      requestBody: {content: {application/json: {}, "
                          "application/json;charset=UTF-8: {schema: {type: integer}}}}"),
                      R"(api.yaml:8:53: paths["/a/{id}"].post.requestBody.content["application/json;charset=UTF-8"]: "application/json" is listed twice, with another schema; remove one of the two)"},
                 }) {
        INFO(one.text);
        auto const problems = problems_of(one.text);
        CHECK(problems.size() == 1);
        CHECK(problems.at(0) == one.problem);
    }
}

TEST_CASE("rules of earlier drafts of JSON Schema are refused with what replaced them") {
    for (auto const& [word, hint] : std::vector<std::pair<std::string, std::string>>{
             {"additionalItems", "write items, and prefixItems"},
             {"dependencies", "write dependentRequired or dependentSchemas"},
             {"disallow", "write not"},
             {"divisibleBy", "write multipleOf"},
             {"extends", "write allOf"},
             {"$recursiveRef", "write $dynamicRef"}}) {
        auto const problems = problems_of_schema("{" + word + ": 5}");
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].find("is not implemented; " + hint) != std::string::npos);
    }
}

TEST_CASE("a path with one parameter twice does not load") {
    for (std::string const path : {"/{x}-{x}", "/{x}/{x}", "/{x}.a/{x}"}) {
        INFO(path);
        auto const problems =
            problems_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {'" + path
                        + "': {get: {operationId: o, parameters: [{name: x, in: path, required: "
                          "true, schema: {}}]}}}");
        CHECK(problems.at(0)
              == "api.yaml:3:9: paths[\"" + path
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
    put: {operationId: three}
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
      tags: !all [a]
      responses: { ~: { description: x } }
      requestBody: { content: { application/json: { schema: { typ: string } } } })"),
                                            "api.yaml");
    CHECK_FALSE(loaded.contract);
    std::string all;
    for (auto const& problem : loaded.problems)
        all += describe(problem) + '\n';
    INFO(all);
    CHECK(loaded.problems.size() == 4);
    for (auto const* const words :
         {"the key is given twice", "tags are not read", "a key must be a string", ".schema.typ: "})
        CHECK(all.find(words) != std::string::npos);
}

TEST_CASE("definitions without references are checked, each once") {
    auto const problems = problems_of_schema(R"(
properties: { a: { $ref: "#/$defs/used" }, b: { $ref: "#/$defs/used" } }
$defs:
  used:
    $defs: { below: { maximun: 5, x-secret: true }, other: { $ref: "#/$defs/used/$defs/below" } }
  unused: { x-foreign: 1, x-sekret: 1, properties: { c: { typ: string } } }
)");
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].find("schema.yaml:5:23: ") == 0);
    CHECK(problems[1].find("x-sekret") != std::string::npos);
    CHECK(problems[2].find(R"(schema.yaml:6:59: ["$defs"].unused.properties.c.typ: )") == 0);
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

TEST_CASE("of very many problems the errors come first, and the last line counts the others") {
    std::string schemas = "components:\n  schemas:\n";
    // Each of another text: those that say the same are one.
    auto const add = [&schemas](std::size_t count, std::string_view name,
                                std::string const& before, std::string const& behind) {
        for (std::size_t i = 0; i < count; ++i) {
            schemas += "    " + std::string{name} + std::to_string(i) + ": {" + before
                       + std::to_string(i) + behind + "}\n";
        }
    };
    auto const last = [&schemas](std::size_t& errors) {
        auto const problems =
            Contract::load_text("openapi: 3.1.0\ninfo: {title: T}\n" + schemas, "api.yaml")
                .problems;
        errors = 0;
        for (auto const& problem : problems)
            if (problem.severity == config::yaml::Severity::error) ++errors;
        auto lines = descriptions(problems);
        REQUIRE(lines.size() == config::yaml::max_problems + 1);
        errors -= problems.size() - lines.size();
        return lines.back();
    };
    std::size_t errors = 0;
    add(201, "W", "unheard", ": 1"); // and the warning that there are no paths
    CHECK(last(errors) == "api.yaml: warning: 2 more warnings");
    CHECK(errors == 0);
    add(3, "E", "$ref: '#/e", "'");
    CHECK(last(errors) == "api.yaml: warning: 5 more warnings");
    CHECK(errors == 3);
    add(198, "F", "$ref: '#/f", "'");
    CHECK(last(errors) == "api.yaml: 203 more problems");
    CHECK(errors == 201);             // with the line that counts
    schemas += "    G: &a {b: *a}\n"; // one of syntax
    CHECK(describe(Contract::load_text(schemas, "api.yaml").problems.back()).find("more")
          == std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::load_problems_test
