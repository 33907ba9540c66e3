// Swagger 2.0: what its documents say is enforced, and problems have the places and paths of the
// document.
#include "gateway/contract/forms/form_body.h"
#include "tests/unit/contract/folder.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::swagger_test {
namespace {

std::string const head = "swagger: '2.0'\ninfo: {title: T}\n";

// The first error of a document that does not load.
[[nodiscard]] std::string first(std::string const& rest) {
    for (std::string const& problem : problems_of(head + rest))
        if (problem.find(": warning: ") == std::string::npos) return problem;
    return "none";
}

// The first warning of one that loads.
[[nodiscard]] std::string warned(std::string const& rest) {
    auto const loaded = Contract::load_text(head + rest, "api.yaml");
    for (auto const& problem : loaded.problems)
        if (problem.what.starts_with("unchecked: ") || problem.path.starts_with("responses"))
            return loaded.contract != nullptr ? describe(problem) : "does not load";
    return "none";
}

// A document with one operation `o`, of a POST to /a/{id}.
[[nodiscard]] std::string with_operation(std::string const& operation) {
    return head
           + "paths:\n  /a/{id}:\n    parameters: [{name: id, in: path, required: true, type: "
             "integer}]\n    post:\n      operationId: o\n      "
           + operation + "\n";
}

class Swagger {
public:
    explicit Swagger(std::string const& text) : contract_{load_document(text)} {}

    [[nodiscard]] Operation const& operation() const { return contract_->operations().front(); }
    [[nodiscard]] Contract const& contract() const { return *contract_; }
    [[nodiscard]] std::string body(std::string_view text,
                                   std::string_view type = "application/json") {
        auto const* const media = operation().request_body->find(type);
        if (media == nullptr) return "no such media type";
        if (!media->schema) return "unread";
        return verdict_of(validator_.validate(*media->schema, Body{text}.view(), {}, {}));
    }
    [[nodiscard]] std::string response(std::string_view text, unsigned status = 200) {
        auto const* const schema = operation().response_schema(status);
        if (schema == nullptr) return "unread";
        return verdict_of(validator_.validate(*schema, Body{text}.view(), {}, {}));
    }
    [[nodiscard]] bool takes_query(std::string_view query) {
        return validator_.check_query(operation(), query, {}, {}).outcome == Outcome::valid;
    }

private:
    std::shared_ptr<Contract const> contract_;
    Validator validator_;
};

TEST_CASE("a Swagger document with something invalid or not implemented does not load") {
    CHECK(
        warned("paths: {/a: {get: {servers: [], responses: {200: {description: d, schem: {}}}}}}")
        == R"(api.yaml:3:67: warning: paths["/a"].get.responses.200.schem: unchecked: "schem" of a response is unknown; did you mean "schema"?)");
    CHECK(problems_of("swagger: '1.2'\ninfo: {title: T}\npaths: {/a: {get: {}}}").at(0)
          == R"(api.yaml:1:10: swagger: must be version 2.0; write swagger: "2.0")");
    CHECK(first("basePath: /{v}\npaths: {/a: {get: {}}}")
          == "api.yaml:3:11: basePath: is not a path; begin it with /, without {, ? and #");
    CHECK(first("consumes: application/json\npaths: {/a: {get: {}}}")
          == "api.yaml:3:11: consumes: must be a list of media types");
    auto const parameter = [](std::string const& text) {
        return first("paths: {/a: {post: {parameters: [" + text + "]}}}");
    };
    std::string const at = R"(api.yaml:3:34: paths["/a"].post.parameters[0])";
    CHECK(parameter("{name: b, in: body}") == at + ": must have a schema");
    CHECK(parameter("{name: b, in: query}") == at + ": must have a type");
    CHECK(parameter("{name: b, in: cookie, type: string}").find("\"cookie\" is no place")
          != std::string::npos);
    CHECK(parameter("{name: b, in: query, type: object}").find("no type of such a parameter")
          != std::string::npos);
    CHECK(parameter("{name: b, in: query, type: file}").find("write in: formData")
          != std::string::npos);
    CHECK(parameter("{name: b, in: body, schema: {}, requird: true}")
              .find(R"("requird" of a parameter in body is unknown; did you mean "required"?)")
          != std::string::npos);
    for (auto const* const format : {"tsv", "csvv"}) {
        CHECK(parameter("{name: b, in: query, type: array, items: {type: string}, "
                        "collectionFormat: "
                        + std::string{format} + "}")
                  .find("paths[\"/a\"].post.parameters[0].collectionFormat: the collectionFormat \""
                        + std::string{format})
              != std::string::npos);
    }
    CHECK(parameter("{name: b, in: header, type: array, items: {type: string}, "
                    "collectionFormat: multi}")
              .find("is not implemented here; write csv")
          != std::string::npos);
    auto const of_field = descriptions(
        Contract::load_text(
            head
                + "paths: {/a: {get: {responses: {200: {headers: {X-A: {type: array, items: {type: "
                  "string}, collectionFormat: pipes}}}}}}}",
            "api.yaml")
            .problems);
    CHECK(std::any_of(of_field.begin(), of_field.end(), [](std::string const& problem) {
        return problem.find("headers.X-A.collectionFormat: unchecked: the collectionFormat \"pipes\" is not "
                            "implemented here; write csv")
               != std::string::npos;
    }));
    CHECK(
        parameter("{name: b, in: body, schema: {}}, {name: c, in: formData, type: string}")
        == at + R"(: is the body, and so is paths["/a"].post.parameters[1] a part of it; write one parameter in body, or parameters in formData)");
    CHECK(
        parameter("{name: b, in: query, type: string, patern: x}")
        == R"(api.yaml:3:69: paths["/a"].post.parameters[0].patern: the keyword "patern" is not implemented; did you mean "pattern"?)");
}

TEST_CASE("problems have the paths of the Swagger document") {
    CHECK(first("paths: {/a: {post: {parameters: [{name: b, in: body, schema: {properties: {c: "
                "{maximum: x}}}}]}}}")
              .find(R"(: paths["/a"].post.parameters[0].schema.properties.c.maximum: must be)")
          != std::string::npos);
    CHECK(first("paths: {/a: {post: {parameters: [{name: b, in: query, type: array, items: {type: "
                "string, maxLength: x}}]}}}")
              .find(R"(: paths["/a"].post.parameters[0].items.maxLength: must be)")
          != std::string::npos);
    CHECK(first("paths: {/a: {post: {consumes: [multipart/form-data], parameters: [{name: b.c, in: "
                "formData, type: string, maxLength: x}]}}}")
              .find(R"(: paths["/a"].post.parameters[0].maxLength: must be)")
          != std::string::npos);
    CHECK(warned("paths: {/a: {post: {responses: {200: {schema: {type: x}}}}}}")
              .find(R"(: paths["/a"].post.responses.200.schema.type: unchecked: the type "x" is unknown)")
          != std::string::npos);
    CHECK(warned("produces: [application/json]\npaths: {/a: {post: {responses: {200: {schema: "
                 "{$ref: '#/definitions/N'}}}}}}")
              .find(R"(: paths["/a"].post.responses.200.schema["$ref"]: unchecked: )"
                    R"("#/definitions/N" refers )"
                    "to nothing in this document; write #/definitions/ and a name that is defined "
                    "there")
          != std::string::npos);
    CHECK(first("consumes: [json]\npaths: {/a: {post: {parameters: [{name: b, in: body, schema: "
                "{}}]}}}")
              .find("api.yaml:3:12: consumes[0]: is not a media type")
          != std::string::npos);
    CHECK(
        first("paths: {/a: {post: {parameters: [{$ref: '#/parameters/p'}]}}}")
            .find(R"("#/parameters/p" refers to nothing in this document; write #/parameters/ or )"
                  "#/responses/ and its name there")
        != std::string::npos);
    // Also of what no operation uses.
    CHECK(first("parameters: {P: {name: b, in: body, schema: {type: x}}}\npaths: {/a: {post: {}}}")
              .find(R"(: parameters.P.schema.type: the type "x" is unknown)")
          != std::string::npos);
    CHECK(warned("responses: {R: {schema: {type: x}}}\npaths: {/a: {post: {}}}")
              .find(R"(: responses.R.schema.type: the type "x" is unknown)")
          != std::string::npos);
}

TEST_CASE("the base path goes in front of all paths, and hosts and schemes have no effect") {
    Swagger const api{head
                      + "host: example.com\nschemes: [https]\nbasePath: /v2/\npaths: {/a: "
                        "{get: {operationId: o, schemes: [http]}}}"};
    CHECK(api.contract().route("/v2/a"));
    CHECK_FALSE(api.contract().route("/a"));
    CHECK(Swagger{head + "basePath: /\npaths: {/a: {get: {}}}"}.contract().route("/a"));
}

TEST_CASE("a parameter in body is the body, of the media types that the operation consumes") {
    constexpr auto body = "parameters: [{name: b, in: body, required: true, schema: {$ref: "
                          "'#/definitions/S'}}]";
    std::string const definitions = "\ndefinitions: {S: {type: object, properties: {n: {type: "
                                    "integer}}}}\n";
    Swagger plain{with_operation(body) + definitions};
    CHECK(plain.body(R"({"n": "x"})") == "/n must be an integer, not a string");
    CHECK(plain.body("{}", "text/plain") == "no such media type");
    CHECK(plain.operation().request_body->required);
    Swagger global{with_operation(body) + definitions + "consumes: [application/vnd.x+json]\n"};
    CHECK(global.body(R"({"n": "x"})", "application/vnd.x+json")
          == "/n must be an integer, not a string");
    CHECK(global.body("{}") == "no such media type");
    Swagger own{
        with_operation("consumes: ['application/json; charset=utf-8']\n      " + std::string{body})
        + definitions + "consumes: [application/vnd.x+json]\n"};
    CHECK(own.body(R"({"n": "x"})") == "/n must be an integer, not a string");
    CHECK(own.body("{}", "application/vnd.x+json") == "no such media type");
    Swagger twice{with_operation("consumes: [application/json, application/json;charset=UTF-8]\n  "
                                 "    "
                                 + std::string{body})
                  + definitions};
    CHECK(twice.operation().request_body->media_types.size() == 1);
    // Of the path, and by reference.
    Swagger shared{head
                   + "paths: {/a: {parameters: [{$ref: '#/parameters/b'}], post: {}}}\n"
                     "parameters: {b: {name: b, in: body, schema: {type: integer}}}"};
    CHECK(shared.body("true") == "the body must be an integer, not a boolean");
    CHECK_FALSE(shared.operation().request_body->required);
    CHECK_FALSE(Swagger{head + "paths: {/a: {post: {}}}"}.operation().request_body);
}

TEST_CASE("bodies of media types in which a schema cannot be checked pass unread, marked") {
    auto const text = [](std::string const& consumes, std::string const& schema) {
        return with_operation("consumes: " + consumes
                              + "\n      parameters: [{name: b, in: body, "
                                "schema: {"
                              + schema + "}}]");
    };
    std::string const object = "type: object, properties: {n: {type: integer}}";
    Swagger mixed{text("[application/xml, application/json]", object)};
    CHECK(mixed.body(R"({"n": "x"})") == "/n must be an integer, not a string");
    CHECK(mixed.body("<n/>", "application/xml") == "unread");
    CHECK(mixed.operation().unchecked_in_requests.size() == 1);
    auto const loaded =
        Contract::load_text(text("[application/xml, application/json]", object), "api.yaml");
    REQUIRE(loaded.problems.size() == 1);
    CHECK(
        describe(loaded.problems.front())
        == R"(api.yaml:9:48: warning: paths["/a/{id}"].post.parameters[0].schema: unchecked: bodies of "application/xml" are not parsed: their size and media type alone are checked)");
    Swagger any{text("['*/*']", object)};
    CHECK(any.body(R"({"n": "x"})") == "/n must be an integer, not a string");
    CHECK(any.body(R"({"n": "x"})", "application/a+json") == "/n must be an integer, not a string");
    CHECK(any.body("<n/>", "application/xml") == "unread");
    Swagger form{text("[application/x-www-form-urlencoded]", object)};
    CHECK(form.operation().request_body->media_types.front().form);
    Swagger plain{text("[text/plain, application/json]", "type: string, maxLength: 2")};
    CHECK(plain.operation().request_body->media_types.size() == 2);
    Swagger free{text("['image/*']", "type: string, format: binary")};
    CHECK(free.body("x", "image/png") == "unread");
    Swagger xml{text("[application/xml]", object)};
    CHECK(xml.body("<n/>", "application/xml") == "unread");
    CHECK(xml.body("{}") == "no such media type");
}

TEST_CASE("parameters have their rules beside their names") {
    Swagger api{with_operation(
        "parameters: [{name: n, in: query, type: integer, minimum: 1, exclusiveMinimum: true}, "
        "{name: X-Kind, in: header, type: string, enum: [a, b]}, {name: e, in: query, type: "
        "integer, allowEmptyValue: true}, {name: z, in: query, type: integer, x-nullable: true}]")};
    CHECK(api.takes_query("n=2"));
    CHECK_FALSE(api.takes_query("n=1"));
    CHECK_FALSE(api.takes_query("n="));
    CHECK(api.takes_query("e="));
    CHECK_FALSE(api.takes_query("e=x"));
    CHECK(api.takes_query("z=null"));
    REQUIRE(api.operation().header_parameters.size() == 1);
    Validator validator;
    auto const& field = api.operation().header_parameters.front();
    CHECK(validator.check_header(field, {"a", false}, {}, {}).outcome == Outcome::valid);
    auto const& report = validator.check_header(field, {"c", false}, {}, {});
    REQUIRE(report.violations.size() == 1);
    CHECK(report.violations.front().rule_pointer == "/parameters/X-Kind/enum");
    CHECK(validator.check_path(api.operation(), api.contract().route("/a/x"), {}, {}).outcome
          == Outcome::violated);
}

TEST_CASE("lists are written by their collectionFormat") {
    auto const takes = [](std::string const& format, std::string_view query) {
        Swagger api{with_operation("parameters: [{name: l, in: query, type: array, items: {type: "
                                   "integer, collectionFormat: csv}"
                                   + format + "}]")};
        return api.takes_query(query);
    };
    for (std::string const format : {"", ", collectionFormat: csv"}) {
        CHECK(takes(format, "l=1,2"));
        CHECK_FALSE(takes(format, "l=1,x"));
        CHECK_FALSE(takes(format, "l=1&l=2"));
    }
    CHECK(takes(", collectionFormat: ssv", "l=1%202"));
    CHECK_FALSE(takes(", collectionFormat: ssv", "l=1,2"));
    CHECK(takes(", collectionFormat: pipes", "l=1|2"));
    CHECK_FALSE(takes(", collectionFormat: pipes", "l=1,2"));
    CHECK(takes(", collectionFormat: multi", "l=1&l=2"));
    CHECK_FALSE(takes(", collectionFormat: multi", "l=1,2"));
}

TEST_CASE("parameters in formData are the fields of a form") {
    Swagger api{with_operation(
        "consumes: [application/x-www-form-urlencoded, application/json]\n      parameters: "
        "[{name: "
        "n, in: formData, type: integer, required: true}, {name: l, in: formData, type: array, "
        "items: {type: string, maxLength: 2}, collectionFormat: pipes}, {name: m, in: formData, "
        "type: array, items: {type: integer}, collectionFormat: multi}]")};
    auto const& body = *api.operation().request_body;
    CHECK(body.required);
    REQUIRE(body.media_types.size() == 1);
    auto const& type = body.media_types.front();
    Validator validator;
    auto const verdict = [&](std::string_view text) {
        return verdict_of(validator.validate(type, {Body{text}.view(), {}}, {}, {}));
    };
    CHECK(verdict("n=1&l=ab|c&m=1&m=2") == "valid");
    CHECK(verdict("l=ab") == "/n is required");
    CHECK(verdict("n=x") == "/n must be an integer, not a string");
    CHECK(verdict("n=1&l=ab|cde") == "/l/1 must have at most 2 characters");
}

TEST_CASE("files in formData are bytes of a part") {
    auto const text = [](std::string const& consumes) {
        return with_operation(consumes
                              + "parameters: [{name: f, in: formData, type: file, required: true, "
                                "maxLength: 3}, {name: n, in: formData, type: integer}]");
    };
    Swagger api{text("consumes: [multipart/form-data]\n      ")};
    auto const* const type = api.operation().request_body->find("multipart/form-data");
    REQUIRE(type != nullptr);
    REQUIRE(type->form);
    REQUIRE(type->form->details.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        bool const is_file = type->form->fields.query_parameters[i].name == "f";
        auto const& field = type->form->details[i];
        CHECK((field.content == FieldContent::bytes) == is_file);
        CHECK(field.sizes.size() == (is_file ? 1 : 0));
    }
    auto const loaded = Contract::load_text(text(""), "api.yaml");
    REQUIRE(loaded.contract);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(
        describe(loaded.problems.front())
        == R"(api.yaml:7:7: warning: paths["/a/{id}"].post: has parameters in formData, and no media type of a form in consumes; bodies of multipart/form-data are accepted; write consumes: [multipart/form-data])");
    CHECK(first("paths: {/a: {post: {consumes: [multipart/form-data], parameters: [{name: l, in: "
                "formData, type: array, items: {type: string}}]}}}")
              .find("lists in one part of multipart/form-data are not implemented; write "
                    "collectionFormat: multi, for a part of each item")
          != std::string::npos);
}

TEST_CASE("responses have a schema for the media types that the operation produces") {
    std::string const responses = "responses: {200: {description: d, schema: {type: integer}}, "
                                  "404: {$ref: '#/responses/N'}, default: {description: d}}";
    std::string const others =
        "\nresponses: {N: {description: d, schema: {type: boolean}, headers: "
        "{X-A: {type: string}}, examples: {application/json: 1}}}\n";
    Swagger own{with_operation("produces: [application/json]\n      " + responses) + others
                + "produces: [text/csv]\n"};
    CHECK(own.response("true") == "the body must be an integer, not a boolean");
    CHECK(own.response("1", 404) == "the body must be a boolean, not a number");
    CHECK(own.response("1", 500) == "unread");
    CHECK(own.operation().find_response(200)->media_types.size() == 1);
    // Without `produces` what is not JSON is not described.
    Swagger open{with_operation(responses) + others};
    CHECK(open.response("true") == "the body must be an integer, not a boolean");
    auto const& types = open.operation().find_response(200)->media_types;
    CHECK(find_media_type(types, "text/csv") != nullptr);
    CHECK_FALSE(find_media_type(types, "text/csv")->schema);
    CHECK(Contract::load_text(
              with_operation("produces: [application/json, application/json;stream=watch]\n      "
                             + responses)
                  + others,
              "api.yaml")
              .problems.empty());
    // The schema is checked where its values are: in JSON, and in plain texts.
    constexpr auto object = "responses: {200: {description: d, schema: {type: object}}}";
    for (auto const* const all : {"[application/json, application/xml]", "['*/*']"}) {
        INFO(all);
        Swagger mixed{with_operation("produces: " + std::string{all} + "\n      " + object)};
        CHECK(mixed.response("1") == "the body must be an object, not a number");
        auto const& declared = mixed.operation().find_response(200)->media_types;
        REQUIRE(find_media_type(declared, "application/xml") != nullptr);
        CHECK_FALSE(find_media_type(declared, "application/xml")->schema);
    }
    Swagger plain{with_operation("produces: [text/plain]\n      " + responses) + others};
    CHECK(find_media_type(plain.operation().find_response(200)->media_types, "text/plain")->schema);
    Swagger file{with_operation("produces: [application/pdf]\n      responses: {200: {description: "
                                "d, schema: {type: file}}}")};
    CHECK(file.response("x") == "unread");
}

TEST_CASE("schemas of Swagger 2.0 are those of draft 4 with its own words") {
    Swagger api{with_operation("parameters: [{name: b, in: body, schema: {$ref: "
                               "'#/definitions/Pet'}}]")
                + R"(
definitions:
  Pet:
    type: object
    discriminator: kind
    required: [kind, id]
    properties:
      kind: {type: string}
      id: {type: integer, readOnly: true}
      name: {type: string, x-nullable: true}
      other: {$ref: '#/definitions/Other', x-nullable: true}
      pair: {type: array, items: [{type: integer}, {type: string}]}
      age: {type: [integer, 'null'], minimum: 0, exclusiveMinimum: true}
      key: {type: string, x-secret: true}
  Other: {type: object, x-extra: 1}
)"};
    CHECK(api.body(R"({"kind": "x", "name": null, "other": null, "age": null})") == "valid");
    CHECK(api.body(R"({"kind": "x", "age": 0})") == "/age must be greater than 0");
    CHECK(api.body(R"({"kind": "x", "other": 1})") == "/other must be an object, not a number");
    CHECK(api.body("{}") == "/kind is required");
    CHECK(api.body(R"({"kind": "x", "pair": [1, 2]})") == "/pair/1 must be a string, not a number");
    CHECK(api.contract().secret_members() == std::vector<std::string>{"key"});
    auto const loaded = Contract::load_text(
        head + "paths: {/a: {get: {operationId: o}}}\ndefinitions: {S: {oneOf: [{type: string}]}}",
        "api.yaml");
    REQUIRE(loaded.problems.size() == 1);
    CHECK(
        describe(loaded.problems.front())
        == R"(api.yaml:4:19: warning: definitions.S.oneOf: the keyword "oneOf" is not part of Swagger 2.0, and is read as in OpenAPI 3.0)");
    // In other versions it is an extension of others.
    CHECK(Checker{"type: string\nx-nullable: true"}.verdict("null")
          == "the body must be a string, not null");
}

TEST_CASE("streams, WebSockets and trailers are marked in Swagger 2.0 too") {
    auto const loaded = Contract::load_text(
        head
            + "paths:\n"
              "  /a: {get: {operationId: a, produces: [text/event-stream], responses: {200: "
              "{description: it, schema: {}}}}}\n"
              "  /b: {get: {operationId: b, x-stream: events, x-upgrade: websocket, "
              "x-trailers: forward}}\n",
        "api.yaml");
    REQUIRE(loaded.contract);
    CHECK(loaded.contract->find_operation("a")->streams == Streams::event_streams);
    CHECK(loaded.contract->find_operation("b")->streams == Streams::all);
    CHECK(loaded.contract->find_operation("b")->upgrade);
    CHECK(loaded.contract->find_operation("b")->forwards_trailers);
}

TEST_CASE("our own words work in Swagger 2.0") {
    Swagger api{with_operation("x-retry: safe\n      x-source: all\n      x-timeouts: {total: 5s}\n"
                               "      x-body-limit: 64KiB\n      parameters: [{name: b, in: body, "
                               "schema: {type: integer}}, {name: q, in: query, type: integer, "
                               "x-source: own}]")};
    auto const& operation = api.operation();
    CHECK(operation.retry_safe);
    CHECK(operation.source == "all");
    CHECK(operation.request_body->limit == 64 * 1024U);
    Validator validator;
    auto const& report = validator.check_query(operation, "q=x", {}, {});
    REQUIRE(report.violations.size() == 1);
    CHECK(report.violations.front().source == "own");
    CHECK(first("paths: {/a: {post: {x-body-limit: 1KiB}}}").find("x-body-limit: has no effect")
          != std::string::npos);
}

TEST_CASE("a Swagger document may have several files") {
    Folder const folder;
    folder.write("api.yaml", head + "paths: {/a: {$ref: 'paths.yaml#/a'}}\n");
    folder.write("paths.yaml",
                 "a:\n  post:\n    parameters: [{$ref: 'more/parameters.json#/b'}, {$ref: "
                 "'more/parameters.json#/q'}]\n    responses: {200: {$ref: "
                 "'more/responses.yaml#/ok'}}\n");
    folder.write("more/parameters.json",
                 R"({"b": {"name": "b", "in": "body", "schema": {"$ref": "s.yaml"}},
                     "q": {"name": "q", "in": "query", "type": "integer"}})");
    folder.write("more/s.yaml", "type: string\nx-nullable: true\n");
    folder.write("more/responses.yaml", "ok: {description: d, schema: {$ref: s.yaml}}\n");
    auto const loaded = Contract::load_file(folder.file("api.yaml"));
    REQUIRE(loaded.contract);
    auto const& operation = loaded.contract->operations().front();
    REQUIRE(operation.request_body);
    Validator validator;
    CHECK(verdict_of(validator.validate(*operation.request_body->media_types.front().schema,
                                        Body{"1"}.view(), {}, {}))
          == "the body must be a string, not a number");
    CHECK(operation.response_schema(200) != nullptr);
    CHECK(operation.has_query_parameter("q"));
    folder.write("more/s.yaml", "type: strin\n");
    auto const bad = Contract::load_file(folder.file("api.yaml"));
    REQUIRE(bad.problems.size() == 2); // and a warning
    CHECK(describe(bad.problems.back()).find("more/s.yaml:1:7: type: the type \"strin\"")
          != std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::swagger_test
