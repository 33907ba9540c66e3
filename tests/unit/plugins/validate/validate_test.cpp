// Each verdict about a body, and what is found on the way.
#include "plugins/validate/validate.h"

#include "tests/unit/pipeline/double.h"

#include "gateway/pipeline/steps.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace validate_test {

using namespace sallyport;
using namespace sallyport::pipeline;

namespace {

constexpr std::string_view document = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /v1/items:
    put:
      operationId: putItem
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties: { size: { type: integer, maximum: 9 }, old: { deprecated: true } }
              required: [size]
      responses: { "200": { description: fine } }
    post:
      operationId: noBody
      responses: { "200": { description: fine } }
  /v1/forms:
    post:
      operationId: sendForm
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { role: { enum: [a] } } }
      responses: { "200": { description: fine } }
)";

struct Checked : pipeline::test::Fixture {
    Checked(std::string_view line, std::string_view body, contract::Level level,
            std::string_view type = "application/json")
        : Fixture{std::string{line} + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                  + "Content-Type: " + std::string{type} + "\r\n\r\n"} {
        auto const loaded = contract::Contract::load_text(document, "test.yaml");
        REQUIRE(loaded.contract);
        api.contract = loaded.contract;
        api.body_limit = 1000;
        auto levels = contract::LevelTable::compile(*api.contract, {level, level, level}, {});
        REQUIRE(levels.problems.empty());
        api.levels = std::move(levels.table);
        REQUIRE(find_operation(exchange.request, exchange.decision) == nullptr);
        REQUIRE(plan_body(exchange.request, exchange.decision) == nullptr);
        // The engine reads behind a body.
        padded.assign(body).append(contract::body_padding, ' ');
        exchange.request.body = std::string_view{padded}.substr(0, body.size());
    }
    /// "passes", or the reason with the detail, or the rules that are broken.
    std::string verdict() {
        auto const plugin = plugins::make_validate(api);
        REQUIRE(plugin);
        auto verdict = ask(*plugin);
        if (verdict.kind() == Verdict::Kind::pass) return "passes";
        auto const denial = std::move(verdict).take_denial();
        std::string text{to_string(denial->reason)};
        for (auto const& violation : denial->violations)
            text.append(" ").append(violation.rule);
        if (denial->violations.empty()) text += ": " + denial->public_detail;
        return text;
    }
    std::string findings() const {
        std::string text;
        for (auto const& one : exchange.decision.findings.violations)
            text.append(one.rule).append(" ");
        return text;
    }

    std::string padded;
};

constexpr auto enforce = contract::Level::enforce;
constexpr auto report = contract::Level::report;
constexpr std::string_view put = "PUT /v1/items";
constexpr std::string_view post = "POST /v1/items";

} // namespace

TEST_CASE("an API without a contract validates nothing") {
    Api const api;
    CHECK(plugins::make_validate(api) == nullptr);
}

TEST_CASE("a body that is no JSON is malformed at every level, with its place") {
    for (auto const level : {enforce, report, contract::Level::off}) {
        CHECK(Checked{put, R"({"size":)", level}.verdict()
              == "malformed_body: The request body is not acceptable JSON: the body is not JSON "
                 "(it ends too early)");
        CHECK(Checked{put, R"({"size":1,"size":2})", level}.verdict().starts_with(
            "malformed_body: The request body is not acceptable JSON: "));
    }
}

TEST_CASE("a body that breaks a rule is a violation, or a finding where rules report") {
    Checked enforced{put, R"({"size":10})", enforce};
    CHECK(enforced.verdict() == "contract_violation maximum");
    CHECK(enforced.findings().empty());
    Checked reported{put, R"({"size":10})", report};
    CHECK(reported.verdict() == "passes");
    CHECK(reported.findings() == "maximum ");
}

TEST_CASE("an empty body that has to be there is malformed, or a finding") {
    CHECK(Checked{put, "", enforce}.verdict().starts_with("malformed_body"));
    Checked reported{put, "", report};
    CHECK(reported.verdict() == "passes");
    CHECK(reported.findings() == "missing_body ");
}

TEST_CASE("a body where none belongs is malformed, or a finding, and has to be JSON where it is "
          "declared as such") {
    Checked reported{post, "{}", report};
    CHECK(reported.verdict() == "passes");
    CHECK(reported.findings() == "undeclared_body ");
    CHECK(Checked{post, "{", report}.verdict().starts_with("malformed_body"));
    CHECK(Checked{post, "{", report, "text/plain"}.verdict() == "passes");
}

TEST_CASE("a charset that a form names beside UTF-8 is an unsupported media type, and text that says "
          "US-ASCII is that") {
    constexpr std::string_view form = "POST /v1/forms";
    constexpr std::string_view type = "application/x-www-form-urlencoded";
    for (auto const level : {enforce, report}) {
        CHECK(Checked{form, "role=a&_charset_=utf-7", level, type}.verdict()
              == "unsupported_media_type: The request body is not an acceptable form: it names "
                 "another charset than UTF-8 (at byte 7)");
        CHECK(Checked{form, "role=a&_charset_=utf-8", level, type}.verdict() == "passes");
    }
    std::string_view const ascii = "application/json; charset=us-ascii";
    CHECK(Checked{put, R"({"size":1,"x":"\u00e9"})", enforce, ascii}.verdict() == "passes");
    CHECK(Checked{put, "{\"size\":1,\"x\":\"\xc3\xa9\"}", enforce, ascii}.verdict()
          == "malformed_body: The request body is not acceptable JSON: it is not US-ASCII, the "
             "charset that it names");
}

TEST_CASE("what passes is counted: unknown and deprecated properties") {
    Checked checked{put, R"({"size":9,"old":1,"unknown":2})", enforce};
    CHECK(checked.verdict() == "passes");
    auto const& findings = checked.exchange.decision.findings;
    CHECK(findings.body_validated);
    CHECK(findings.unknown_members == 1);
    REQUIRE(findings.deprecated_members.size() == 1);
    CHECK(findings.deprecated_members.front() == "old");
}

} // namespace validate_test
