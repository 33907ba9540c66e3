// Header fields of responses: which are read, and the rules that they become.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::response_headers_test {
namespace {

constexpr std::string_view document = R"yaml(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/a:
    get:
      operationId: read
      responses:
        "200":
          headers:
            X-Left: { required: true, schema: { type: integer, maximum: 9 } }
            X-Tags: { schema: { type: array, maxItems: 2, items: { type: string } } }
            X-Box: { $ref: "#/components/headers/Box" }
            X-Json: { content: { application/json: { schema: { type: object } } } }
            ETag: { content: { text/plain: { schema: { type: string, pattern: '^"' } } } }
            X-Only: { required: true }
            X-Free: { schema: { type: string }, description: "no rules" }
            content-type: { required: true, schema: { const: never } }
  /v1/b:
    get:
      operationId: other
      responses: { default: { headers: { X-Free: { schema: { type: string } } } } }
components:
  headers:
    Box: { explode: true, schema: { type: object, properties: { r: { type: integer } } } }
)yaml";

std::vector<std::string> names_of(Response const& response) {
    std::vector<std::string> names;
    for (auto const& header : response.headers)
        names.push_back(header.parameter.name + (header.required ? "!" : ""));
    return names;
}

TEST_CASE("fields of responses without rules are not looked at, and Content-Type never is") {
    auto const contract = load_document(document);
    auto const& response = contract->find_operation("read")->responses.front();
    CHECK(names_of(response)
          == std::vector<std::string>{"X-Left!", "X-Tags", "X-Box", "X-Json", "ETag", "X-Only!"});
    CHECK(contract->find_operation("other")->responses.front().headers.empty());
    auto const levels = LevelTable::compile(*contract, {Level::enforce, Level::report}, {});
    CHECK(levels.table.checks_responses(contract->find_operation("read")->index));
    CHECK_FALSE(levels.table.checks_responses(contract->find_operation("other")->index));
}

TEST_CASE("a field of a response is checked like a header parameter, at the level of responses") {
    auto const contract = load_document(document);
    auto const& response = contract->find_operation("read")->responses.front();
    auto const levels = LevelTable::compile(*contract, {Level::enforce, Level::report}, {});
    Validator validator;
    auto const check = [&](std::size_t at, std::string_view value) {
        auto const& report = validator.check_header(response.headers.at(at).parameter,
                                                    {value, false}, {}, levels.table);
        CHECK(report.violations.empty());
        return report.reported.empty() ? "valid"
                                       : std::string{report.reported.front().rule_pointer} + ": "
                                             + message_of(report.reported.front());
    };
    CHECK(check(0, "10") == "/responses/200/headers/X-Left/maximum: X-Left must be at most 9");
    CHECK(check(0, "9") == "valid");
    CHECK(check(1, "a, b, c")
          == "/responses/200/headers/X-Tags/maxItems: X-Tags must have at most 2 items");
    CHECK(check(2, "r=x")
          == "/responses/200/headers/X-Box/properties/r/type: X-Box/r must be an integer, not a "
             "string");
    CHECK(check(3, "1")
          == "/responses/200/headers/X-Json/type: X-Json must be an object, not a number");
    CHECK(check(4, "W/1")
          == "/responses/200/headers/ETag/pattern: ETag must match the pattern ^\"");
    CHECK(check(4, "\"1, 2") == "valid");
}

TEST_CASE("levels name the rules of a field of a response") {
    auto const contract = load_document(document);
    auto const& header = contract->find_operation("read")->responses.front().headers.front();
    for (std::string_view const keyword : {"required", "malformed"}) {
        CAPTURE(keyword);
        auto const levels = LevelTable::compile(
            *contract, {Level::enforce, Level::report},
            {{"read", "/responses/200/headers/X-Left/" + std::string{keyword}, Level::off}});
        CHECK(levels.problems.empty());
        auto const rule = keyword == "required" ? header.required : header.malformed;
        CHECK_FALSE(break_rule(*contract, levels.table, rule));
    }
    auto const levels = LevelTable::compile(*contract, {Level::enforce, Level::report}, {});
    auto const violation = break_rule(*contract, levels.table, header.required);
    REQUIRE(violation);
    CHECK(violation->rule_pointer == "/responses/200/headers/X-Left/required");
}

TEST_CASE("what no field of a response can be is not checked, with a warning") {
    auto const problem = [](std::string_view headers) {
        auto const loaded = Contract::load_text(
            "openapi: 3.1.0\ninfo: { title: T }\npaths:\n  /v1/a:\n    get: { operationId: o, "
            "responses: { \"200\": { headers: "
                + std::string{headers} + " } } }\n",
            "api.yaml");
        REQUIRE(loaded.contract != nullptr);
        auto const& operation = *loaded.contract->find_operation("o");
        CHECK((operation.responses.empty() || operation.responses.front().headers.empty()));
        return loaded.problems.empty() ? std::string{} : describe(loaded.problems.front());
    };
    CHECK(problem("[ X-A ]").find("must be a mapping of fields") != std::string::npos);
    CHECK(problem("{ \"X A\": { required: true } }").find("is not the name of a header field")
          != std::string::npos);
    CHECK(problem("{ X-A: { style: form, schema: { type: integer } } }")
              .find("the style \"form\" is not implemented here; write simple")
          != std::string::npos);
    CHECK(problem("{ X-A: { required: 1 } }").find("must be true or false") != std::string::npos);
    CHECK(problem("{ X-A: { content: { application/linkset: { schema: { type: object } } } } }")
              .find("parameters of the media type \"application/linkset\"")
          != std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::response_headers_test
