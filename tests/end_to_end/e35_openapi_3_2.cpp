// What OpenAPI 3.2 adds, cookies, path parameters of the styles label and matrix, and header fields
// of responses: what is refused, what reaches the upstream, what is logged.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <catch2/catch.hpp>

namespace e35_openapi_3_2 {

using namespace sallyport::test;

namespace {

constexpr std::string_view contract = R"yaml(openapi: 3.2.0
$self: https://example.com/things.yaml
info: { title: T, version: "1" }
paths:
  /v1/things:
    get:
      operationId: list
      parameters:
        - { name: all, in: querystring, content: { application/x-www-form-urlencoded: { schema: {
            type: object, additionalProperties: false, properties: { limit: { type: integer, maximum: 9 } } } } } }
    query:
      operationId: search
      requestBody: { content: { application/json: { $ref: "things.yaml#/components/mediaTypes/Search" } } }
    additionalOperations:
      Purge: { operationId: purge }
  /v1/session:
    get:
      operationId: session
      parameters:
        - { name: sid, in: cookie, required: true, schema: { type: string, pattern: "^[a-z]{3}$" } }
  /v1/cars{id}/parts/{part}:
    get:
      operationId: part
      parameters:
        - { name: id, in: path, required: true, style: matrix, schema: { type: integer, maximum: 9 } }
        - { name: part, in: path, required: true, schema: { type: string } }
  /v1/files/{id}:
    get:
      operationId: file
      parameters:
        - { name: id, in: path, required: true, style: label, schema: { type: integer, maximum: 9 } }
      responses:
        "200":
          headers:
            X-Left: { required: true, schema: { type: integer, maximum: 9 } }
            X-Tags: { schema: { type: array, maxItems: 2, items: { type: string } } }
            Set-Cookie: { schema: { type: string, pattern: "; Secure$" } }
        "304": { headers: { ETag: { required: true } } }
components:
  mediaTypes:
    Search: { schema: { type: object, required: [text], properties: { text: { type: string } } } }
)yaml";

// The administrator, and one who may only call operations whose `id` is 5.
std::string credentials() {
    std::string const all = standard_credentials();
    std::string text = administrator_credentials();
    auto const begin = all.find("  - name: narrow");
    text += all.substr(begin, all.find("    allow:", begin) - begin);
    return text + "    allow: { operations: [\"own/*\"], id: [\"5\"] }\n";
}

// The gateway with that contract; `more` are keys of the API.
Stage stage_with(std::string more = ", forward_cookies: true") {
    Gateway::Options options;
    options.credentials = credentials();
    options.files["own.yaml"] = contract;
    return Stage{{},
                 [more](Configuration& configuration) {
                     configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                          "authenticate: [basic]"
                                          + more + " }\n";
                     configuration.rest += admin_section;
                 },
                 options};
}

Outgoing by_caller(std::string_view method, std::string_view target) {
    return Outgoing{method, target}.authorization(basic(administrator));
}

// The status and the reason of a request.
std::string outcome_of(Stage const& stage, Outgoing const& outgoing) {
    auto const response = stage.send(outgoing);
    auto const line = stage.log_of(response);
    auto const text = std::to_string(response.status);
    return line["reason"].is_null() ? text : text + ' ' + line.text("reason");
}

std::string outcome_of(Stage const& stage, std::string_view method, std::string_view target) {
    return outcome_of(stage, by_caller(method, target));
}

using Reported = std::vector<std::string>;

Reported reported(Json const& line) {
    Reported found;
    for (Json const& violation : line["violations"].items)
        found.push_back(violation.text("rule") + " " + violation.text("rule_pointer"));
    return found;
}

} // namespace

TEST_CASE("a method of additionalOperations passes as it is written alone, and is logged") {
    Stage stage = stage_with();
    CHECK(outcome_of(stage, "PURGE", "/v1/things") == "405 method_not_allowed");
    CHECK(outcome_of(stage, "purge", "/v1/things") == "405 method_not_allowed");
    CHECK(outcome_of(stage, "COPY", "/v1/things") == "405 method_not_allowed");
    auto const refused = stage.send(by_caller("COPY", "/v1/things"));
    CHECK(refused.fields.one("Allow") == "GET, HEAD, QUERY, Purge");
    auto const purged = stage.send(by_caller("Purge", "/v1/things"));
    CHECK(purged.status == 200);
    auto const line = stage.log_of(purged);
    CHECK(line.text("method") == "Purge");
    CHECK(line.text("operation") == "purge");
    CHECK(stage.upstream.request(0).method == "Purge");
    stage.finish();
}

TEST_CASE("QUERY has a body that is checked, and is repeated on a stale connection like GET") {
    Stage stage = stage_with();
    stage.upstream.respond_with([](UpstreamExchange& exchange) {
        if (exchange.number_on_connection > 0)
            exchange.reset();
        else
            exchange.send(response_text("{}"));
    });
    RawClient client{stage.port()};
    auto const search = by_caller("QUERY", "/v1/things").body(R"({"text":"a"})");
    CHECK(client.exchange(by_caller("QUERY", "/v1/things").body("{}").text()).status == 400);
    CHECK(client.exchange(search.text()).status == 200);
    auto const again = client.exchange(search.text());
    CHECK(again.status == 200);
    CHECK(stage.log_of(again).text("retries") == "1");
    CHECK(stage.upstream.requests().size() == 3);
    CHECK(stage.upstream.requests().back().body == R"({"text":"a"})");
    // Without a body it has the length 0 (RFC 9110, 8.6).
    auto const empty = stage.send(by_caller("QUERY", "/v1/things"));
    CHECK(empty.status == 200);
    CHECK(stage.upstream.requests().back().fields.one("Content-Length") == "0");
    stage.finish();
}

TEST_CASE("a query that is one value is checked as a whole, and reaches the upstream unchanged") {
    Stage stage = stage_with();
    auto const refused = stage.send(by_caller("GET", "/v1/things?limit=10"));
    CHECK(refused.status == 400);
    CHECK(refused.body.find("The query parameter all/limit must be at most 9")
          != std::string::npos);
    CHECK(reported(stage.log_of(refused))
          == Reported{"maximum /parameters/all/properties/limit/maximum"});
    CHECK(outcome_of(stage, "GET", "/v1/things?limit=1&limit=2") == "400 bad_parameter");
    CHECK(outcome_of(stage, "GET", "/v1/things?limit=1&c4nary=2") == "400 bad_parameter");
    CHECK(outcome_of(stage, "GET", "/v1/things?%6Cimit=%39") == "200");
    CHECK(outcome_of(stage, "GET", "/v1/things") == "200");
    CHECK(stage.upstream.request(0).target == "/v1/things?%6Cimit=%39");
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("a cookie of the contract is checked where cookies are forwarded") {
    Stage stage = stage_with();
    auto const with = [&](std::string_view cookies) {
        return outcome_of(stage, by_caller("GET", "/v1/session").add("Cookie", cookies));
    };
    CHECK(outcome_of(stage, "GET", "/v1/session") == "400 bad_parameter");
    CHECK(with("sid=c4nary") == "400 bad_parameter");
    CHECK(with("sid=abc; sid=abc") == "400 bad_parameter");
    CHECK(with("sid=abc; SID=c4n") == "400 bad_parameter");
    CHECK(with("a=1; sid=abc") == "200");
    CHECK(stage.upstream.request(0).fields.one("Cookie") == "a=1; sid=abc");
    // In another line, which is forwarded too.
    CHECK(outcome_of(
              stage,
              by_caller("GET", "/v1/session").add("Cookie", "sid=abc").add("Cookie", "sid=def"))
          == "400 bad_parameter");
    CHECK(outcome_of(
              stage,
              by_caller("GET", "/v1/session").add("Cookie", "sid=abc").set("Connection", "Cookie"))
          == "400 bad_parameter");
    auto const refused = stage.send(by_caller("GET", "/v1/session").add("Cookie", "sid=ABC"));
    CHECK(refused.body.find("The cookie sid must match the pattern") != std::string::npos);
    CHECK(refused.body.find(R"("in":"cookie")") != std::string::npos);
    CHECK(reported(stage.log_of(refused)) == Reported{"pattern /parameters/sid/pattern"});
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("a semicolon passes where a matrix parameter has one, and nowhere else at any level") {
    for (auto const& more : {std::string{}, std::string{", requests: report"},
                             std::string{", requests: off, unknown_operations: forward"}}) {
        CAPTURE(more);
        Stage stage = stage_with(", forward_cookies: true" + more);
        for (std::string_view const target :
             {"/v1/cars;id=5/parts/a;c4nary=1", "/v1/cars;id=5;c4nary=1/parts/a",
              "/v1/cars;c4nary/parts/a", "/v1/things;c4nary=1", "/v1/;c4nary=1/things",
              "/v1/files/.5;c4nary=1", "/v1/..;c4nary=1/things", "/v1/unknown;c4nary=1"}) {
            CAPTURE(target);
            CHECK(outcome_of(stage, "GET", target) == "400 bad_request");
        }
        CHECK(outcome_of(stage, "GET", "/v1/cars;id=5/parts/a") == "200");
        CHECK(stage.upstream.request(0).target == "/v1/cars;id=5/parts/a");
        CHECK(stage.upstream.requests().size() == 1);
        CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
        stage.finish();
    }
}

TEST_CASE("values of label and matrix are checked, and allowed, without what is in front of them") {
    Stage stage = stage_with();
    CHECK(outcome_of(stage, "GET", "/v1/cars;id=10/parts/a") == "400 bad_parameter");
    CHECK(outcome_of(stage, "GET", "/v1/files/.10") == "400 bad_parameter");
    CHECK(outcome_of(stage, "GET", "/v1/files/5") == "400 bad_parameter");
    CHECK(outcome_of(stage, "GET", "/v1/files/.5") == "200");
    auto const by_narrow = [&](std::string_view target) {
        return outcome_of(stage, Outgoing{"GET", target}.authorization(basic(narrow)));
    };
    CHECK(by_narrow("/v1/files/.6") == "403 forbidden");
    CHECK(by_narrow("/v1/files/5") == "403 forbidden");
    CHECK(by_narrow("/v1/cars;id=6/parts/5") == "403 forbidden");
    CHECK(by_narrow("/v1/files/.5") == "200");
    CHECK(by_narrow("/v1/cars;id=5/parts/a") == "200");
    stage.finish();
}

TEST_CASE("header fields of responses are judged, logged and counted, and never changed") {
    Stage stage = stage_with(", forward_cookies: true, responses: report");
    auto const with = [&](std::string const& fields, std::string_view method = "GET",
                          std::string_view status = "200 OK") {
        stage.upstream.respond_with([&](UpstreamExchange& exchange) {
            std::string const length = status == "200 OK" ? "Content-Length: 0\r\n" : "";
            exchange.send("HTTP/1.1 " + std::string{status} + "\r\n" + length + fields + "\r\n");
        });
        auto const response = stage.send(by_caller(method, "/v1/files/.5"));
        CHECK(std::to_string(response.status) == status.substr(0, 3));
        for (auto const& field : {"X-Left", "X-Tags"}) {
            if (fields.find(field) != std::string::npos) CHECK(response.fields.find(field));
        }
        return reported(stage.log_of(response));
    };
    std::string const at = " /responses/200/headers/";
    CHECK(with("") == Reported{"required" + at + "X-Left/required"});
    CHECK(with("x-left: 10\r\n") == Reported{"maximum" + at + "X-Left/maximum"});
    CHECK(with("X-Left: 1\r\nX-Left: 2\r\n") == Reported{"duplicate" + at + "X-Left/malformed"});
    CHECK(with("X-Left: 1\r\nX-Tags: a, b\r\nX-Tags: c\r\n")
          == Reported{"maxItems" + at + "X-Tags/maxItems"});
    CHECK(with("X-Left: 1\r\nSet-Cookie: a=1; Secure\r\nSet-Cookie: b=c4nary, d\r\n")
          == Reported{"pattern" + at + "Set-Cookie/pattern"});
    CHECK(with("X-Left: 9\r\nX-Tags: a\r\nX-Tags: b\r\nSet-Cookie: a=1, 2; Secure\r\n")
          == Reported{});
    CHECK(with("", "HEAD") == Reported{});
    CHECK(with("X-Left: 10\r\n", "HEAD") == Reported{"maximum" + at + "X-Left/maximum"});
    CHECK(with("", "GET", "304 Not Modified")
          == Reported{"required /responses/304/headers/ETag/required"});
    auto metrics = metrics_of(stage.gateway);
    CHECK(metrics["sallyport_contract_violations_total{api=\"own\",operation=\"file\","
                  "part=\"response\",rule=\"maximum\",level=\"report\"}"]
          == 2);
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("levels turn off single fields of responses, and all of them") {
    auto const violations = [](std::string const& more) {
        Stage stage = stage_with(", forward_cookies: true" + more);
        stage.upstream.respond_with([](UpstreamExchange& exchange) {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Tags: a,b,c\r\n\r\n");
        });
        auto const found = reported(stage.log_of(stage.send(by_caller("GET", "/v1/files/.5"))));
        stage.finish();
        return found;
    };
    CHECK(violations(", responses: off") == Reported{});
    CHECK(violations(", responses: report, rules: [ { operation: file, rule: "
                     "/responses/200/headers/X-Left/required, level: off } ]")
          == Reported{"maxItems /responses/200/headers/X-Tags/maxItems"});
}

} // namespace e35_openapi_3_2
