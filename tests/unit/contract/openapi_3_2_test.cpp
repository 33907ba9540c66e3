// What OpenAPI 3.2 has and 3.1 has not: any method, a query as one value, media types by reference,
// the document's own URI, a default form.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::openapi_3_2_test {
namespace {

constexpr std::string_view document = R"yaml(
openapi: 3.2.0
$self: https://example.com/apis/things.yaml
jsonSchemaDialect: https://spec.openapis.org/oas/3.2/dialect/2025-09-17
info: { title: T, summary: things }
servers: [ { url: /v1, name: first } ]
tags:
  - { name: things, summary: Things, kind: nav }
  - { name: parts, parent: things, kind: audience }
paths:
  /things:
    get:
      operationId: list
      parameters:
        - { name: all, in: querystring, required: true, content: { application/x-www-form-urlencoded: {
            schema: { type: object, required: [limit], additionalProperties: false, properties: {
              limit: { type: integer, maximum: 9 }, tags: { type: array, items: { type: string } } } } } } }
      responses: { "200": { summary: all of them } }
    query:
      operationId: search
      requestBody: { required: true, content: { application/json: {
        $ref: "https://example.com/apis/things.yaml#/components/mediaTypes/Search" } } }
    additionalOperations:
      COPY: { operationId: copy, tags: [parts] }
      Purge:
        operationId: purge
        parameters:
          - { name: filter, in: querystring, content: { application/json: {
              schema: { type: object, properties: { at: { type: integer } } } } } }
      LOCK:
        operationId: lock
        parameters:
          - { name: word, in: querystring, content: { text/plain: {
              schema: { type: string, maxLength: 3, example: { dataValue: a, serializedValue: a } } } } }
      FIND:
        operationId: find
        parameters:
          - { name: any, in: querystring, content: { text/plain: {} } }
components:
  mediaTypes:
    Search: { schema: { $ref: "things.yaml#/components/schemas/Search" } }
  schemas:
    Search:
      type: object
      xml: { nodeType: element }
      anyOf: [ { $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Other" } ]
      discriminator: { propertyName: kind, mapping: { cat: Cat }, defaultMapping: Other }
    Cat: { required: [kind, lives], properties: { lives: { type: integer } } }
    Other: { required: [weight], properties: { weight: { type: integer } } }
)yaml";

class Api {
public:
    Operation const* find(std::string_view method) const {
        return contract_->find_operation(contract_->route("/v1/things"), method);
    }
    std::string query(std::string_view method, std::string_view query) {
        auto const& report =
            validator_.check_query_string(*find(method)->query_string, query, {}, {});
        if (report.outcome == Outcome::valid) return "valid";
        Violation const& first = report.violations.front();
        CHECK(first.in == ValuePlace::query);
        CHECK(first.name == find(method)->query_string->parameter.name);
        return message_of(first);
    }
    std::string body(std::string_view text) {
        auto const& type = *find("QUERY")->request_body->find("application/json");
        return verdict_of(validator_.validate(*type.schema, Body{text}.view(), {}, {}));
    }
    Contract const& contract() const { return *contract_; }

private:
    std::shared_ptr<Contract const> contract_ = load_document(document);
    Validator validator_;
};

std::string with_path(std::string_view item, std::string_view version = "3.2.0") {
    return "openapi: " + std::string{version}
           + "\ninfo: { title: T }\npaths:\n  /v1/a:\n    get: { operationId: g }\n"
           + std::string{item};
}

bool has_problem(std::string_view text, std::string_view problem) {
    auto const problems = problems_of(text);
    CAPTURE(problems);
    return std::any_of(problems.begin(), problems.end(), [problem](std::string const& one) {
        return one.find(problem) != std::string::npos;
    });
}

TEST_CASE("a method is found as it is written, and no other spelling of it") {
    Api const api;
    CHECK(api.find("copy") == nullptr);
    CHECK(api.find("PURGE") == nullptr);
    CHECK(api.find("query") == nullptr);
    REQUIRE(api.find("COPY") != nullptr);
    CHECK(api.find("COPY")->id == "copy");
    CHECK(api.find("COPY")->tags == std::vector<std::string>{"parts"});
    CHECK(api.find("Purge")->id == "purge");
    CHECK(api.find("QUERY")->id == "search");
    CHECK(api.contract().route("/v1/things").item->allow
          == "GET, HEAD, QUERY, COPY, Purge, LOCK, FIND");
}

TEST_CASE("a method that a path has a key for, or that is none, is no additional operation") {
    for (std::string_view const method : {"GET", "get", "Post", "TRACE", "query"}) {
        CAPTURE(method);
        CHECK(has_problem(with_path("    additionalOperations: { " + std::string{method}
                                    + ": { operationId: o } }\n"),
                          "is a method with a key of its own"));
    }
    CHECK(has_problem(with_path("    additionalOperations: { connect: { operationId: o } }\n"),
                      "is never forwarded"));
    for (auto const& method :
         {std::string{"\"A B\""}, std::string{"\"A:B\""}, std::string(33, 'A')}) {
        CAPTURE(method);
        CHECK(has_problem(
            with_path("    additionalOperations: { " + method + ": { operationId: o } }\n"),
            "is not a method; write the method as it is sent"));
    }
    CHECK(has_problem(with_path("    additionalOperations: [ COPY ]\n"),
                      "must be a mapping of methods"));
}

TEST_CASE("earlier versions have no additional operations, and no parameter for the whole query") {
    auto const contract =
        load_document(with_path("    additionalOperations: { COPY: { operationId: o } }\n"
                                "    query: { operationId: q }\n",
                                "3.1.1"));
    CHECK(contract->operations().size() == 1);
    CHECK(has_problem(with_path("    parameters: [ { name: q, in: querystring, content: { "
                                "application/json: { schema: {} } } } ]\n",
                                "3.1.1"),
                      "\"querystring\" is no place of a parameter; write path, query, header or "
                      "cookie"));
}

TEST_CASE("a query that is a form as a whole is checked like a form") {
    Api api;
    CHECK(api.query("GET", "") == "all is required");
    CHECK(api.query("GET", "limit=10") == "all/limit must be at most 9");
    CHECK(api.query("GET", "tags=a") == "all/limit is required");
    CHECK(api.query("GET", "limit=1&c4nary=2")
          == "all/c4nary is not a property that the contract allows");
    CHECK(api.query("GET", "limit=1&limit=2")
          == "all must be a form: a field that is not a list occurs twice");
    CHECK(api.query("GET", "limit=1&LIMIT=2").find("all must be a form: ") == 0);
    CHECK(api.query("GET", "limit=%zz").find("all must be a form: ") == 0);
    CHECK(api.query("GET", "limit=1&tags=a+b&tags=%63") == "valid");
}

TEST_CASE("a query that is JSON or a text as a whole is decoded once, and checked") {
    Api api;
    CHECK(api.query("Purge", "") == "valid"); // not required
    CHECK(api.query("Purge", "%7B%22at%22%3A%22x%22%7D")
          == "filter/at must be an integer, not a string");
    CHECK(api.query("Purge", "{\"at\":1") == "filter must be JSON");
    CHECK(api.query("Purge", "%7B%22a%22:%22+%22%7D")
          == "filter must not contain an unencoded plus sign, which some servers read as a space");
    CHECK(api.query("Purge", "%7B%22at%22%3A1%7D") == "valid");
    CHECK(api.query("LOCK", "%61bcd") == "word must have at most 3 characters");
    CHECK(api.query("LOCK", "ab%FF") == "word must be percent-encoded UTF-8 text");
    CHECK(api.query("LOCK", "%61bc") == "valid");
    CHECK(api.query("FIND", "anything=%00+at&all") == "valid");
}

TEST_CASE("the log names the fields of a query that is a form as a whole") {
    Api const api;
    CHECK(api.find("GET")->query_parameter_of("limit") == "limit");
    CHECK(api.find("GET")->query_parameter_of("c4nary").empty());
    CHECK(api.find("Purge")->query_parameter_of("%7Bat%7D").empty());
}

TEST_CASE("a query is described as a whole or by its parameters") {
    constexpr std::string_view whole =
        "{ name: q, in: querystring, content: { application/json: { schema: {} } } }";
    auto const with = [](std::string const& parameters) {
        return with_path("    parameters: [ " + parameters + " ]\n");
    };
    CHECK(has_problem(with(std::string{whole} + ", { name: a, in: query, schema: {} }"),
                      "has a parameter for the whole query and others in it"));
    CHECK(has_problem(with(std::string{whole}
                           + ", { name: r, in: querystring, content: { "
                             "text/plain: {} } }"),
                      "is a second parameter for the whole query"));
    CHECK(has_problem(with("{ name: q, in: querystring, schema: {} }"), "must have content"));
    CHECK(has_problem(with("{ name: q, in: querystring, schema: {}, content: { text/plain: {} } }"),
                      "has content and \"schema\""));
    CHECK(has_problem(with("{ name: q, in: querystring, content: { text/plain: {}, a/b: {} } }"),
                      "must be a mapping of one media type"));
    CHECK(has_problem(with("{ name: q, in: querystring, content: { multipart/form-data: { schema: "
                           "{ type: object } } } }"),
                      "no query is a multipart body"));
}

TEST_CASE("a value that selects no form of a discriminator is reported by the default one") {
    Api api;
    CHECK(api.body(R"({"kind":"cat"})") == "/lives is required");
    CHECK(api.body(R"({"kind":"dog","weight":"x"})") == "/weight must be an integer, not a string");
    CHECK(api.body(R"({"weight":"x"})") == "/weight must be an integer, not a string");
    CHECK(api.body(R"({"kind":"dog","weight":1})") == "valid");
}

TEST_CASE("a document with its own URI is known by it, and by no other") {
    CHECK(has_problem("openapi: 3.2.0\n$self: https://example.com/a/b.yaml\ninfo: { title: T }\n"
                      "paths: {}\ncomponents: { schemas: { A: { $ref: "
                      "\"https://example.com/b.yaml#/components/schemas/B\" }, B: {} } }\n",
                      "\"https://example.com/b.yaml\" is not a known document"));
    CHECK(has_problem("openapi: 3.2.0\n$self: a#b\ninfo: { title: T }\npaths: {}\n",
                      "must be a URI reference without fragment"));
}

} // namespace
} // namespace sallyport::contract::test::openapi_3_2_test
