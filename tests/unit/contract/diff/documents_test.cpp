// The changes of operations: parameters, bodies, responses, and names that the configuration uses.
#include "gateway/contract/diff/diff.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/contract/diff/in_words.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test {
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

} // namespace
} // namespace sallyport::contract::test
