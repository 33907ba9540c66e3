// The changes of operations: parameters, bodies, responses, and names that the configuration uses.
#include "gateway/contract/diff/diff.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/contract/diff/in_words.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace sallyport::contract::test::documents_test {
namespace {

using sallyport::test::TemporaryFolder;

[[nodiscard]] Diff diff_of(std::string const& old, std::string const& now,
                           LoadOptions const& options = {}) {
    TemporaryFolder const folder;
    auto const before = folder.write("old.yaml", old);
    auto const after = folder.write("new.yaml", now);
    return compare_documents({before, options}, {after, options});
}

[[nodiscard]] std::string changes_of(std::string const& old, std::string const& now,
                                     LoadOptions const& options = {}) {
    return in_words(diff_of(old, now, options));
}

[[nodiscard]] std::string paths(std::string const& rest, std::string_view version = "3.1.0") {
    return "openapi: " + std::string{version} + "\ninfo: {title: T}\npaths:\n" + rest;
}
// One operation: POST /a, with more keys in flow style.
[[nodiscard]] std::string post(std::string const& more, std::string_view version = "3.1.0") {
    return paths("  /a: {post: {operationId: o" + (more.empty() ? "" : ", " + more) + "}}\n",
                 version);
}
[[nodiscard]] std::string body(std::string const& schema) {
    return "requestBody: {content: {application/json: {schema: " + schema + "}}}";
}
[[nodiscard]] std::string query(std::string const& parameters) {
    return "parameters: [" + parameters + "]";
}

TEST_CASE("operations that come, go or get another name") {
    auto const a = paths("  /a: {get: {operationId: g}}\n");
    auto const both = paths("  /a: {get: {operationId: g}, put: {operationId: p}}\n");
    CHECK(changes_of(a, a).empty());
    CHECK(changes_of(a, both) == "looser operation added");
    CHECK(changes_of(both, a) == "stricter operation removed");
    CHECK(changes_of(a, paths("  /a: {get: {operationId: h}}\n"))
          == "neutral operation renamed: allow and rules name it");
    CHECK(changes_of(a, paths("  /a: {get: {operationId: g, tags: [t]}}\n")) == "neutral tags");
    CHECK(changes_of(a, paths("  /a: {get: {operationId: g, x-stream: events}}\n"))
          == "neutral x-stream");
    CHECK(changes_of(a, paths("  /a: {get: {operationId: g, x-trailers: forward}}\n"))
          == "neutral x-trailers");
    CHECK(changes_of(paths("  /a: {get: {operationId: g, x-upgrade: websocket}}\n"), a)
          == "neutral x-upgrade");
    // Below another server it is another operation.
    CHECK(changes_of(a, a + "servers: [{url: /v1}]\n")
          == "looser operation added; stricter operation removed");
}

TEST_CASE("an operation may take requests from another") {
    std::string const parameters = "parameters: [{name: x, in: path, required: true, schema: {}}]";
    auto const one = paths("  /a/{x}: {" + parameters + ", get: {operationId: g}}\n");
    auto const with_literal = one + "  /a/b: {get: {operationId: b}}\n";
    CHECK(changes_of(one, with_literal)
          == "stricter operation added: requests of it were those of another?");
    CHECK(changes_of(one, paths("  /a/{x}: {" + parameters
                                + ", get: {operationId: g}, head: {operationId: h}}\n"))
          == "stricter operation added: requests of it were those of another?");
    CHECK(changes_of(one, paths("  /a/{y}: {parameters: [{name: y, in: path, required: true, "
                                "schema: {}}], get: {operationId: g}}\n"))
          == "neutral parameter of the path renamed: allow may name it");
}

TEST_CASE("parameters that come, go or change") {
    std::string const n = "{name: n, in: query, schema: {type: integer, maximum: 5}}";
    CHECK(changes_of(post(""), post(query(n))) == "stricter parameter added: it passed unchecked");
    CHECK(changes_of(post(""), post(query("{name: n, in: query, required: true, schema: {}}")))
          == "stricter required parameter added");
    CHECK(changes_of(post(query(n)), post("")) == "looser parameter removed");
    CHECK(changes_of(post(query(n)), post(query("{name: o, in: query, schema: {type: object, "
                                                "additionalProperties: false}}")))
          == "stricter parameter added: it passed unchecked; stricter parameter removed?");
    CHECK(changes_of(post(query("{name: n, in: query, schema: {type: integer, maximum: 4}}")),
                     post(query(n)))
          == "looser maximum");
    CHECK(changes_of(post(query(n)), post(query("{name: n, in: query, required: true, schema: "
                                                "{type: integer, maximum: 5}}")))
          == "stricter required");
    // A text is read by the types that are accepted.
    CHECK(changes_of(post(query("{name: n, in: query, schema: {type: integer}}")),
                     post(query("{name: n, in: query, schema: {type: number}}")))
              .find("stricter type: texts are read in another way?")
          == 0);
    CHECK(changes_of(
              post(query("{name: n, in: query, schema: {type: array, items: {type: string}}}")),
              post(query("{name: n, in: query, explode: false, schema: {type: array, items: {type: "
                         "string}}}")))
          == "stricter style?");
    CHECK(changes_of(post(query("{name: n, in: query, schema: {}}")),
                     post(query("{name: n, in: query, content: {application/json: {schema: {}}}}")))
          == "stricter schema or content: it is read in another way?");
    CHECK(changes_of(post(query("{name: n, in: query, schema: {type: string}}")),
                     post(query("{name: n, in: query, style: form, explode: true, schema: {type: "
                                "string}}")))
              .empty());
    CHECK(changes_of(post(query(n)), post(query("{name: n, in: query, schema: {}}")))
          == "looser type; looser maximum");
    // Types may be those of several forms, and names of an object were those of any pair.
    CHECK(changes_of(post(query("{name: n, in: query, schema: {anyOf: [{type: integer}]}}")),
                     post(query("{name: n, in: query, schema: {anyOf: [{type: number}]}}")))
              .find("stricter type: texts are read in another way?")
          == 0);
    CHECK(changes_of(post(query("{name: n, in: query, schema: {type: object}}")),
                     post(query("{name: n, in: query, schema: {type: object, properties: {p: "
                                "{}}}}")))
          == "stricter field added?");
    // Names of header fields have no letter case.
    CHECK(changes_of(post(query("{name: X-A, in: header, schema: {}}")),
                     post(query("{name: x-a, in: header, schema: {}}")))
              .empty());
}

TEST_CASE("bodies that come, go or change") {
    CHECK(changes_of(post(""), post(body("{}"))) == "looser request body added");
    CHECK(changes_of(post(body("{}")), post(""))
          == "stricter request body removed: one is refused");
    CHECK(changes_of(post(body("{maximum: 5}")), post(body("{maximum: 4}"))) == "stricter maximum");
    CHECK(
        changes_of(post(body("{}")),
                   post("requestBody: {required: true, content: {application/json: {schema: {}}}}"))
        == "stricter required");
    CHECK(changes_of(post(body("{}")), post("requestBody: {content: {application/json: {}}}"))
          == "looser schema removed: bodies pass unread");
    CHECK(changes_of(post(body("{}")), post("requestBody: {content: {text/plain: {}}}"))
          == "looser media type added; stricter media type removed");
    // A range covers what it did not name.
    CHECK(changes_of(post("requestBody: {content: {text/plain: {}}}"),
                     post("requestBody: {content: {'text/*': {}}}"))
          == "looser media type added");
    auto const limited = [](std::string const& limit) {
        return post(body("{}") + ", x-body-limit: " + limit);
    };
    CHECK(changes_of(limited("1KiB"), limited("2KiB")) == "looser x-body-limit");
    CHECK(changes_of(limited("2KiB"), limited("1KiB")) == "stricter x-body-limit");
    CHECK(changes_of(limited("2048"), limited("2KiB")).empty());
    CHECK(changes_of(limited("1KiB"), post(body("{}"))) == "stricter x-body-limit?");
}

TEST_CASE("forms have no types of their own, and an encoding is compared as it is") {
    auto const form = [](std::string const& schema, std::string const& more = {}) {
        return post("requestBody: {content: {application/x-www-form-urlencoded: {schema: " + schema
                    + more + "}}}");
    };
    CHECK(changes_of(form("{properties: {a: {type: integer}}}"),
                     form("{properties: {a: {type: number}}}"))
              .find("stricter type: texts are read in another way?")
          == 0);
    CHECK(changes_of(form("{properties: {a: {type: array, items: {type: string}}}}"),
                     form("{properties: {a: {type: array, items: {type: string}}}}",
                          ", encoding: {a: {explode: false}}"))
          == "stricter encoding?");
}

TEST_CASE("encodings of parts by position are compared as they are, and parts as texts") {
    auto const parts = [](std::string const& more) {
        return post("requestBody: {content: {multipart/mixed: {" + more + "}}}", "3.2.0");
    };
    CHECK(changes_of(parts("itemSchema: {}"), parts("itemSchema: {}, itemEncoding: {}"))
          == "stricter itemEncoding?");
    CHECK(changes_of(parts("itemSchema: {}, prefixEncoding: []"), parts("itemSchema: {}"))
          == "stricter prefixEncoding?");
    CHECK(changes_of(parts("itemSchema: {type: integer}"), parts("itemSchema: {type: number}"))
              .find("stricter type: texts are read in another way?")
          == 0);
    auto const events = [](std::string const& type) {
        return post("requestBody: {content: {text/event-stream: {itemSchema: {properties: {retry: "
                    "{type: "
                    + type + "}}}}}}");
    };
    CHECK(changes_of(events("integer"), events("number")) == "looser type");
}

TEST_CASE("what makes a part a file is compared") {
    auto const file = [](std::string const& more) {
        return post("requestBody: {content: {multipart/form-data: {schema: {properties: {a: {type: "
                    "string"
                    + more + "}}}}}}");
    };
    CHECK(changes_of(file(""), file(", format: binary"))
          == "stricter type: texts are read in another way?");
    CHECK(changes_of(file(""), file(", description: d")).empty());
}

TEST_CASE("responses are never refused") {
    auto const response = [](std::string const& schema) {
        return post("responses: {200: {description: d, content: {application/json: {schema: "
                    + schema + "}}}}");
    };
    auto const diff = diff_of(response("{maximum: 5}"), response("{maximum: 4}"));
    REQUIRE(diff.changes.size() == 1);
    CHECK(diff.changes[0].is_of_response);
    CHECK(diff.changes[0].kind == ChangeClass::neutral);
    CHECK(changes_of(post("responses: {200: {description: d}}"),
                     post("responses: {201: {description: d}}"))
          == "neutral response added; neutral response removed");
}

TEST_CASE("secrets are said, and change nothing for requests") {
    CHECK(changes_of(post(body("{properties: {p: {}}}")),
                     post(body("{properties: {p: {x-secret: true}}}")))
          == "neutral secret property added: it is not logged");
}

TEST_CASE("a document of 3.0 and its translation to 3.1 are the same") {
    std::string const old = post(body("{type: object, properties: {n: {type: integer, minimum: 0, "
                                      "exclusiveMinimum: true, nullable: true}}}"),
                                 "3.0.3");
    std::string const now = post(body("{type: object, properties: {n: {type: [integer, 'null'], "
                                      "exclusiveMinimum: 0}}}"));
    CHECK(changes_of(old, now).empty());
    CHECK(changes_of(now, old).empty());
    // In 3.0 keywords beside a $ref have no effect, and readOnly ones are not required.
    std::string const schemas = "components: {schemas: {S: {maximum: 5}}}\n";
    CHECK(changes_of(post(body("{$ref: '#/components/schemas/S', minimum: 1}"), "3.0.3") + schemas,
                     post(body("{$ref: '#/components/schemas/S', minimum: 1}")) + schemas)
          == "stricter minimum");
    std::string const read_only = body("{required: [a], properties: {a: {readOnly: true}}}");
    CHECK(changes_of(post(read_only, "3.0.3"), post(read_only)).find("stricter required") == 0);
}

TEST_CASE("a mistake with one meaning and what it means are the same") {
    std::string const old = post(
        "parameters: [{name: q, in: query, required: 'true', schema: {type: Integer}}], "
        + body("{type: object, properties: {n: {type: [string, null]}, m: {maximum: '5', required: "
               "true}, l: {uniqueItems: yes, multipleOf: '2', minItems: '1'}}}"));
    std::string const now = post(
        "parameters: [{name: q, in: query, required: true, schema: {type: integer}}], "
        + body("{type: object, required: [m], properties: {n: {type: [string, 'null']}, m: "
               "{maximum: 5}, l: {uniqueItems: true, multipleOf: 2, minItems: 1}}}"));
    CHECK(changes_of(old, now).empty());
    CHECK(changes_of(now, old).empty());
    CHECK(changes_of(post(body("{properties: {m: {maximum: '5'}}}")),
                     post(body("{properties: {m: {maximum: 6}}}")))
          == "looser maximum");
    CHECK(changes_of(post(body("{properties: {m: {required: true}}}")),
                     post(body("{properties: {m: {}}}")))
              .find("looser required")
          == 0);
}

TEST_CASE("a $ref is followed on both sides, wherever it leads") {
    std::string const schemas = "components: {schemas: {S: {maximum: MAX}}}\n";
    auto const with = [&](std::string const& maximum) {
        std::string text = schemas;
        text.replace(text.find("MAX"), 3, maximum);
        return post(body("{$ref: '#/components/schemas/S'}")) + text;
    };
    auto const diff = diff_of(with("5"), with("4"));
    REQUIRE(diff.changes.size() == 1);
    CHECK(diff.changes[0].where == "/components/schemas/S/maximum");
    CHECK(diff.changes[0].operation == "o");
}

TEST_CASE("what the old document leaves unchecked is not taken for a rule") {
    LoadOptions const unchecked{{}, {}, Unsupported::unchecked};
    std::string const lost = "'a+(?<=b+)c'";
    CHECK(changes_of(post(body("{pattern: " + lost + "}")),
                     post(body("{allOf: [{pattern: " + lost + "}, {title: t}]}")), unchecked)
          == "stricter pattern?");
    CHECK(changes_of(post(body("{oneOf: [{pattern: " + lost + "}, {type: integer}]}")),
                     post(body("{oneOf: [{pattern: " + lost + "}, {type: integer}], title: t}")),
                     unchecked)
              .empty());
    CHECK(
        changes_of(post(body("{oneOf: [{pattern: " + lost + "}, {type: integer}]}")),
                   post(body("{maxLength: 5, oneOf: [{pattern: " + lost + "}, {type: integer}]}")),
                   unchecked)
            .find("stricter oneOf?")
        != std::string::npos);
    CHECK(changes_of(post(body("{pattern: " + lost + "}")), post("")) == "does not load");
}

TEST_CASE("operations are compared wherever a document has them") {
    auto const item = [](std::string const& maximum) {
        return "{get: {operationId: g, parameters: [{name: n, in: query, schema: {type: integer, "
               "maximum: "
               + maximum + "}}]}}";
    };
    std::string const old = paths("  /a: " + item("5") + "\n");
    // A path item by $ref, within the document.
    auto const referred = [&](std::string const& maximum) {
        return paths("  /a: {$ref: '#/components/pathItems/A'}\n")
               + "components: {pathItems: {A: " + item(maximum) + "}}\n";
    };
    CHECK(changes_of(old, referred("5")).empty());
    auto const diff = diff_of(old, referred("4"));
    REQUIRE(diff.changes.size() == 1);
    CHECK(diff.changes[0].where == "/components/pathItems/A/get/parameters/0/schema/maximum");
    // Methods of 3.2, and one with a server of its own, which comes later in the contract.
    auto const more = [](std::string const& schema) {
        return paths("  /a:\n    additionalOperations: {LOCK: {operationId: l, " + body(schema)
                         + "}}\n    query: {operationId: q, " + body("{}")
                         + "}\n    get: {operationId: g, servers: [{url: /z}]}\n",
                     "3.2.0");
    };
    CHECK(changes_of(more("{maximum: 5}"), more("{maximum: 6}")) == "looser maximum");
    CHECK(changes_of(more("{maximum: 5}"), more("{maximum: 4}")) == "stricter maximum");
    // Requests that the API itself sends are none of the contract.
    CHECK(changes_of(old, old + "webhooks: {w: {post: {operationId: w}}}\n").empty());
}

TEST_CASE("a path item in another file is compared, at the place of its $ref") {
    TemporaryFolder const folder;
    (void)folder.write("item.yaml", "get: {operationId: g, parameters: [{name: n, in: query, "
                                    "schema: {type: integer, maximum: 4}}]}\n");
    auto const before = folder.write(
        "old.yaml", paths("  /a: {get: {operationId: g, parameters: [{name: n, in: query, schema: "
                          "{type: integer, maximum: 5}}]}}\n"));
    auto const after = folder.write("new.yaml", paths("  /a: {$ref: item.yaml}\n"));
    auto const diff = compare_documents({before, {}}, {after, {}});
    CHECK(in_words(diff) == "stricter maximum");
    REQUIRE(diff.changes.size() == 1);
    CHECK(diff.changes[0].where == "/paths/~1a/$ref/get/parameters/0/schema/maximum");
}

[[nodiscard]] std::string swagger(std::string const& rest) {
    return "swagger: '2.0'\ninfo: {title: T}\nconsumes: [application/json]\nproduces: "
           "[application/json]\nbasePath: /v1\npaths:\n"
           + rest;
}

TEST_CASE("documents of Swagger 2.0 are compared, at the places of the document") {
    auto const with = [](std::string const& maximum, std::string const& length) {
        return swagger("  /a:\n    post:\n      operationId: o\n      parameters:\n"
                       "        - {name: n, in: query, type: integer, maximum: "
                       + maximum
                       + "}\n        - {name: b, in: body, schema: {$ref: '#/definitions/S'}}\n"
                         "      responses: {200: {description: d, schema: {maxLength: 3}}}\n"
                         "definitions: {S: {properties: {p: {type: string, maxLength: "
                       + length + "}}}}\n");
    };
    CHECK(changes_of(with("5", "9"), with("5", "9")).empty());
    auto const diff = diff_of(with("5", "9"), with("4", "10"));
    CHECK(in_words(diff) == "stricter maximum; looser maxLength");
    REQUIRE(diff.changes.size() == 2);
    CHECK(diff.changes[0].where == "/paths/~1a/post/parameters/0/maximum");
    CHECK(diff.changes[1].where == "/definitions/S/properties/p/maxLength");
    CHECK(diff.changes[0].path == "/v1/a");
    // x-nullable lets null pass, also beside a $ref.
    auto const nullable = [](std::string const& more) {
        return swagger("  /a: {post: {operationId: o, parameters: [{name: b, in: body, schema: "
                       "{type: object, properties: {p: {$ref: '#/definitions/S'"
                       + more + "}}}}]}}\ndefinitions: {S: {type: string}}\n");
    };
    CHECK(changes_of(nullable(", x-nullable: true"), nullable("")) == "stricter type");
    CHECK(changes_of(nullable(""), nullable(", x-nullable: true")) == "looser type");
    // A list in `items` is one of schemas for the first items.
    auto const items = [](std::string const& schema) {
        return swagger("  /a: {post: {operationId: o, parameters: [{name: b, in: body, schema: "
                       "{type: array, items: ["
                       + schema + "]}}]}}\n");
    };
    CHECK(changes_of(items("{maximum: 5}"), items("{maximum: 4}")) == "stricter maximum");
    CHECK(changes_of(items("{maximum: 5}"), items("{maximum: 5}")).empty());
    // Forms: a parameter is a property.
    auto const form = [](std::string const& fields) {
        return swagger("  /a: {post: {operationId: o, consumes: "
                       "[application/x-www-form-urlencoded], parameters: ["
                       + fields + "]}}\n");
    };
    auto const added = diff_of(form("{name: a, in: formData, type: string}"),
                               form("{name: a, in: formData, type: string, maxLength: 4}"));
    REQUIRE(added.changes.size() == 1);
    CHECK(added.changes[0].where == "/paths/~1a/post/parameters/0/maxLength");
    CHECK(added.changes[0].kind == ChangeClass::stricter);
}

TEST_CASE("a document of 2.0 and its successor of 3 are the same where they say the same") {
    std::string const old = swagger(
        "  /a/{id}:\n    parameters: [{name: id, in: path, required: true, type: string, "
        "maxLength: "
        "5}]\n    post:\n      operationId: o\n      parameters:\n"
        "        - {name: l, in: query, type: array, items: {type: string}, collectionFormat: "
        "csv}\n"
        "        - {name: m, in: query, type: array, items: {type: string}, collectionFormat: "
        "multi}\n"
        "        - {name: b, in: body, required: true, schema: {$ref: '#/definitions/S'}}\n"
        "      responses: {200: {description: d, schema: {$ref: '#/definitions/S'}}}\n"
        "definitions: {S: {type: object, required: [p], properties: {p: {type: integer, maximum: "
        "5, exclusiveMaximum: true, x-nullable: true}}}}\n");
    auto const successor = [](std::string const& version, std::string const& property) {
        return paths(
            "  /a/{id}:\n    parameters: [{name: id, in: path, required: true, schema: "
            "{type: string, maxLength: 5}}]\n    post:\n      operationId: o\n      "
            "parameters:\n"
            "        - {name: l, in: query, explode: false, schema: {type: array, items: "
            "{type: string}}}\n"
            "        - {name: m, in: query, schema: {type: array, items: {type: string}}}\n"
            "      requestBody: {required: true, content: {application/json: {schema: "
            "{$ref: '#/components/schemas/S'}}}}\n"
            "      responses: {200: {description: d, content: {application/json: {schema: "
            "{$ref: '#/components/schemas/S'}}}}}\n"
            "servers: [{url: 'https://host/v1'}]\n"
            "components: {schemas: {S: {type: object, required: [p], properties: {p: "
                + property + "}}}}\n",
            version);
    };
    std::string const in_3_0 =
        successor("3.0.3", "{type: integer, maximum: 5, exclusiveMaximum: true, nullable: true}");
    std::string const in_3_1 = successor("3.1.0", "{type: [integer, 'null'], exclusiveMaximum: 5}");
    CHECK(changes_of(old, in_3_0).empty());
    CHECK(changes_of(old, in_3_1).empty());
    CHECK(changes_of(in_3_1, old).empty());
    CHECK(changes_of(old, successor("3.1.0", "{type: integer, exclusiveMaximum: 5}"))
              .find("stricter type")
          == 0);
}

// POST on each path, whose body is S in these media types, and so is the response of each.
[[nodiscard]] std::string sharing(std::vector<std::string> const& names,
                                  std::vector<std::string> const& types, std::string const& schema) {
    std::string document = "openapi: 3.0.3\ninfo: {title: T}\npaths:\n";
    std::string content;
    for (auto const& type : types)
        content += (content.empty() ? "" : ", ") + type
                   + ": {schema: {$ref: '#/components/schemas/S'}}";
    for (auto const& name : names) {
        document += "  /" + name + ": {post: {operationId: " + name + ", requestBody: {content: {"
                    + content + "}}, responses: {200: {description: d, content: {" + content
                    + "}}}}}\n";
    }
    return document + "components: {schemas: {S: " + schema + "}}\n";
}

TEST_CASE("a change of a schema that operations share is one, with the names of all of them") {
    std::vector<std::string> const json{"application/json"};
    std::string const open = "{type: object, properties: {a: {type: string}}}";
    std::string const strict = "{type: object, required: [a], properties: {a: {type: string}}}";
    auto const diff =
        diff_of(sharing({"a", "b", "c"}, json, open), sharing({"a", "b", "c"}, json, strict));
    CHECK(in_words(diff) == "stricter required");
    REQUIRE(diff.changes.size() == 1);
    auto const& change = diff.changes.front();
    CHECK(change.operation == "a");
    CHECK(change.others == std::vector<std::string>{"b", "c"});
    CHECK(change.in_responses_of == std::vector<std::string>{"a", "b", "c"});
    CHECK_FALSE(change.is_of_response);
    // What stands in each of them is a change of each.
    CHECK(changes_of(paths("  /a: {post: {operationId: a, " + body("{maxLength: 5}")
                           + "}}\n  /b: {post: {operationId: b, " + body("{maxLength: 5}") + "}}\n"),
                     paths("  /a: {post: {operationId: a, " + body("{maxLength: 4}")
                           + "}}\n  /b: {post: {operationId: b, " + body("{maxLength: 4}")
                           + "}}\n"))
          == "stricter maxLength; stricter maxLength");
}

TEST_CASE("a schema that several media types refer to changes once, and unread ones not at all") {
    std::vector<std::string> const all{"application/json", "application/xml",
                                       "application/x-www-form-urlencoded"};
    std::string const open = "{type: object, properties: {a: {type: string}}}";
    std::string const strict = "{type: object, required: [a], properties: {a: {type: string}}}";
    CHECK(changes_of(sharing({"a"}, all, open), sharing({"a"}, all, strict))
          == "stricter required");
    std::vector<std::string> const xml{"application/xml", "text/xml"};
    CHECK(changes_of(sharing({"a"}, xml, open), sharing({"a"}, xml, strict)).empty());
    CHECK(changes_of(sharing({"a"}, xml, open), sharing({"a"}, {"text/xml"}, open))
          == "stricter media type removed; neutral media type removed");
    // A text is read.
    std::vector<std::string> const text{"text/plain"};
    CHECK(changes_of(sharing({"a"}, text, "{type: string, maxLength: 5}"),
                     sharing({"a"}, text, "{type: string, maxLength: 4}"))
          == "stricter maxLength");
    // A recursive schema that cannot be shown to be harmless stays stricter.
    std::string const tree =
        "{type: object, properties: {a: {pattern: x}, t: {$ref: '#/components/schemas/S'}}}";
    std::string const other =
        "{type: object, properties: {a: {pattern: y}, t: {$ref: '#/components/schemas/S'}}}";
    CHECK(changes_of(sharing({"a"}, all, tree), sharing({"a"}, all, other))
          .find("stricter pattern?") == 0);
}

} // namespace
} // namespace sallyport::contract::test::documents_test
