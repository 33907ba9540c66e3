// What a contract only reports, and what is refused nevertheless: levels of an API and of an
// operation, unknown operations, and trailing slashes.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <catch2/catch.hpp>

namespace e24_shadow_mode {

using namespace sallyport::test;

namespace {

constexpr std::string_view contract = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/things:
    get: { operationId: listThings }
    post:
      operationId: addThing
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [name] } } }
  /v1/things/me:
    get: { operationId: getMine }
  /v1/things/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: integer } } ]
    get:
      operationId: getThing
      parameters:
        - { name: limit, in: query, required: true, schema: { type: integer, maximum: 5 } }
        - { name: X-Mode, in: header, schema: { enum: [a, b] } }
    put:
      operationId: putThing
      requestBody:
        required: true
        content: { text/plain: {}, application/json: { schema: { type: object } } }
  /v1/slashed/:
    post:
      operationId: addSlashed
      requestBody: { content: { application/json: { schema: { type: object } } } }
)yaml";

// `administrator` may do everything, `reader` may read one thing, `narrow` is restricted to a
// parameter, and `observer` names the API.
std::string credentials() {
    std::string text = standard_credentials();
    auto const entry = [&text](std::string_view name) {
        auto const begin = text.find("  - name: " + std::string{name});
        return text.substr(begin, text.find("  - name: ", begin + 1) - begin);
    };
    auto const with = [](std::string one, std::string_view allow) {
        return one.replace(one.find("allow:"), std::string::npos, std::string{allow} + "\n");
    };
    return "credentials:\n" + entry("administrator")
           + with(entry("reader"), "allow: { operations: [own/getThing] }")
           + with(entry("narrow"), "allow: { apis: [own], id: [\"7\"] }")
           + with(entry("enterprise"), "allow: { operations: [\"own/*\"] }");
}

Stage stage_with(std::string const& more) {
    Gateway::Options options;
    options.credentials = credentials();
    options.files["own.yaml"] = contract;
    return Stage{{},
                 [more](Configuration& configuration) {
                     configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                          "authenticate: [basic], "
                                          + more + " }\n";
                 },
                 options};
}

Outgoing by(Key const& key, std::string_view method, std::string_view target) {
    return Outgoing{method, target}.authorization(basic(key));
}
Outgoing request(std::string_view method, std::string_view target) {
    return by(administrator, method, target);
}

// The status, and the violations of the log: "200 report:limit required" with the rules in their
// order.
std::string outcome_of(Stage const& stage, Outgoing const& outgoing) {
    auto const response = stage.send(outgoing);
    auto const line = stage.log_of(response);
    std::string text = std::to_string(response.status);
    if (!line["reason"].is_null()) text += " " + line.text("reason");
    for (auto const& violation : line["violations"].items)
        text += " " + violation.text("level") + ":" + violation.text("rule");
    return text;
}

} // namespace

TEST_CASE("at report everything that the contract decides is forwarded, and reported") {
    Stage stage = stage_with("requests: report");
    struct Row {
        Outgoing outgoing;
        std::string outcome;
    };
    auto const thing = [](std::string_view rest) {
        return request("GET", "/v1/things/7" + std::string{rest});
    };
    for (auto& row : std::vector<Row>{
             {request("GET", "/v1/other"), "200 report:unknown_operation"},
             {request("GET", "/v1/THINGS"), "200 report:unknown_operation"},
             {request("GET", "/v1/things/"), "200 report:unknown_operation"},
             {request("PURGE", "/v1/things"), "200 report:unknown_method"},
             {request("DELETE", "/v1/things/7").body("x", "text/plain"),
              "200 report:unknown_method"},
             {thing(""), "200 report:required"},
             {thing("?limit=1&limit=2"), "200 report:duplicate"},
             {thing("?limit=9"), "200 report:maximum"},
             {request("GET", "/v1/things/x?limit=1"), "200 report:type"},
             {thing("?limit=1").add("X-Mode", "c"), "200 report:enum"},
             {thing("?limit=1").add("X_Mode", "a"), "200 report:twin"},
             {thing("?limit=1").body("{}"), "200 report:undeclared_body"},
             {thing("?limit=1").chunked_body("abc", 1).set("Content-Type", "text/plain"),
              "200 report:undeclared_body"},
             {thing("?limit=1").chunked_body("", 1), "200"},
             {request("POST", "/v1/things"), "200 report:missing_body"},
             {request("POST", "/v1/things").chunked_body("", 1), "200 report:missing_body"},
             {request("POST", "/v1/things").body("{}"), "200 report:required"},
             {request("POST", "/v1/things").body("name", "text/plain"), "200 report:media_type"},
             {request("POST", "/v1/things").body("{}").without("Content-Type"),
              "200 report:media_type"},
             {request("PUT", "/v1/things/7"), "200 report:missing_body"},
             {request("PUT", "/v1/things/7").chunked_body("", 1).set("Content-Type", "text/plain"),
              "200 report:missing_body"},
         }) {
        INFO(row.outgoing.text());
        auto const index = stage.upstream.requests().size();
        CHECK(outcome_of(stage, row.outgoing) == row.outcome);
        REQUIRE(stage.upstream.requests().size() == index + 1);
    }
    // Byte for byte.
    CHECK(stage.upstream.request(0).target == "/v1/other");
    CHECK(stage.upstream.request(4).body == "x");
    CHECK(stage.upstream.request(12).body == "abc");
    CHECK(stage.upstream.request(17).fields.one("Content-Type") == "text/plain");
    CHECK(stage.upstream.request(17).body == "name");
    stage.finish();
}

TEST_CASE("at report framing, identity, allow, sizes and well-formed JSON are enforced") {
    Stage stage = stage_with("requests: report");
    CHECK(outcome_of(stage, Outgoing{"GET", "/v1/other"}) == "401 unauthenticated");
    CHECK(outcome_of(stage, by(reader, "GET", "/v1/other"))
          == "403 forbidden report:unknown_operation");
    CHECK(outcome_of(stage, by(reader, "GET", "/v1/things")) == "403 forbidden");
    CHECK(outcome_of(stage, by(narrow, "GET", "/v1/other"))
          == "403 forbidden report:unknown_operation");
    CHECK(outcome_of(stage, by(narrow, "GET", "/v1/things/8")) == "403 forbidden");
    CHECK(outcome_of(stage, request("TRACE", "/v1/things")) == "405 method_not_allowed");
    CHECK(outcome_of(stage, request("GET", "/v1//other")) == "400 bad_request");
    CHECK(outcome_of(stage, request("POST", "/v1/things").body("{")) == "400 malformed_body");
    CHECK(outcome_of(stage, request("GET", "/v1/things").chunked_body("abc", 1))
          == "400 malformed_body report:undeclared_body");
    CHECK(outcome_of(stage, request("GET", "/v1/things").body("{\"a\":1,\"a\":2}"))
          == "400 malformed_body report:undeclared_body");
    auto const large = [](Outgoing outgoing) {
        return outgoing.set("Content-Type", "application/json").set("Content-Length", "2000000");
    };
    CHECK(outcome_of(stage, large(request("POST", "/v1/things"))) == "413 body_too_large");
    CHECK(outcome_of(stage, large(request("GET", "/v1/things"))) == "413 body_too_large");
    CHECK(outcome_of(stage, large(request("GET", "/v1/other")))
          == "413 body_too_large report:unknown_operation");
    CHECK(stage.upstream.connections() == 0);
    // A caller with permission for the API, also by a pattern for all its operations, may call all
    // of it.
    CHECK(outcome_of(stage, by(enterprise, "GET", "/v1/other")) == "200 report:unknown_operation");
    // An unknown operation ends here nevertheless, if the caller requests it.
    auto const ended = stage.send(request("OPTIONS", "/v1/other").add("Max-Forwards", "0"));
    CHECK(ended.status == 200);
    CHECK(ended.fields.count("Allow") == 0);
    CHECK(stage.send(request("OPTIONS", "/v1/things").add("Max-Forwards", "0")).fields.one("Allow")
          == "GET, HEAD, POST");
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("an unknown operation is logged without a name, and counted") {
    Stage stage = stage_with("requests: report");
    auto const response = stage.send(request("PURGE", "/v1/things"));
    auto const line = stage.log_of(response);
    CHECK(line.text("api") == "own");
    CHECK(line["operation"].is_null());
    CHECK(line.text("method") == "PURGE");
    CHECK(line.text("path") == "/v1/things");
    CHECK(line["reason"].is_null());
    stage.finish();
}

TEST_CASE("an operation with an enforced rule cannot be bypassed at report") {
    SECTION("one rule") {
        Stage stage =
            stage_with("requests: report, rules: [ { operation: addThing, rule: /required, level: "
                       "enforce } ]");
        CHECK(outcome_of(stage, request("POST", "/v1/things").body("{}"))
              == "400 contract_violation enforce:required");
        CHECK(outcome_of(stage, request("POST", "/v1/things").body("{}", "text/plain"))
              == "415 unsupported_media_type");
        CHECK(outcome_of(stage, request("POST", "/v1/things")) == "400 malformed_body");
        // A request that resembles an operation may be one for the upstream; all others are
        // reported.
        CHECK(outcome_of(stage, request("POST", "/v1/THINGS").body("{}"))
              == "403 unknown_operation");
        CHECK(outcome_of(stage, request("POST", "/v1/things/").body("{}"))
              == "403 unknown_operation");
        CHECK(outcome_of(stage, request("post", "/v1/things").body("{}"))
              == "405 method_not_allowed");
        CHECK(stage.upstream.connections() == 0);
        CHECK(outcome_of(stage, request("GET", "/v1/other")) == "200 report:unknown_operation");
        CHECK(outcome_of(stage, request("GET", "/v1/things").body("{}"))
              == "200 report:undeclared_body");
        stage.finish();
    }
    SECTION("a whole operation") {
        Stage stage =
            stage_with("requests: report, rules: [ { operation: addThing, level: enforce } ]");
        CHECK(outcome_of(stage, request("POST", "/v1/things").body("{}", "text/plain"))
              == "415 unsupported_media_type");
        CHECK(outcome_of(stage, request("POST", "/v1/things/").body("{}"))
              == "403 unknown_operation");
        CHECK(outcome_of(stage, request("PATCH", "/v1/things")) == "200 report:unknown_method");
        stage.finish();
    }
}

TEST_CASE("off checks and reports nothing of an operation's parameters and body") {
    SECTION("of the API") {
        Stage stage = stage_with("requests: off");
        for (auto const& outgoing :
             {request("GET", "/v1/things/x").add("X_Mode", "c"),
              request("GET", "/v1/things").body("{}"),
              request("GET", "/v1/things").body("x", "a/b"),
              request("GET", "/v1/things").chunked_body("abc", 1).set("Content-Type", "a/b"),
              request("POST", "/v1/things"),
              request("POST", "/v1/things").chunked_body("", 1),
              request("POST", "/v1/things").body("x", "text/plain"),
              request("PUT", "/v1/things/7")
                  .chunked_body("", 1)
                  .set("Content-Type", "text/plain")}) {
            INFO(outgoing.text());
            CHECK(outcome_of(stage, outgoing) == "200");
        }
        // Existing operations are listed by the contract nevertheless.
        CHECK(outcome_of(stage, request("GET", "/v1/other")) == "403 unknown_operation");
        CHECK(outcome_of(stage, request("PURGE", "/v1/things")) == "405 method_not_allowed");
        CHECK(outcome_of(stage, request("POST", "/v1/things").body("{")) == "400 malformed_body");
        stage.finish();
    }
    SECTION("of one operation") {
        Stage stage = stage_with("rules: [ { operation: listThings, level: off }, "
                                 "{ operation: getThing, level: report } ]");
        CHECK(outcome_of(stage, request("GET", "/v1/things").body("{}")) == "200");
        CHECK(outcome_of(stage, request("GET", "/v1/things/x"))
              == "200 report:type report:required");
        CHECK(outcome_of(stage, request("GET", "/v1/things/me").body("{}"))
              == "400 malformed_body");
        CHECK(outcome_of(stage, request("POST", "/v1/things")) == "400 malformed_body");
        CHECK(outcome_of(stage, request("GET", "/v1/other")) == "403 unknown_operation");
        stage.finish();
    }
}

TEST_CASE("unknown operations are forwarded if the API enables it, and reported as such") {
    Stage stage = stage_with("unknown_operations: forward");
    auto const upload = request("POST", "/v1/uploads").body(std::string(300'000, 'x'), "a/b");
    CHECK(outcome_of(stage, upload) == "200 report:unknown_operation");
    CHECK(stage.upstream.request(0).body == std::string(300'000, 'x'));
    CHECK(outcome_of(stage, request("DELETE", "/v1/things/7")) == "200 report:unknown_method");
    CHECK(outcome_of(stage, by(narrow, "DELETE", "/v1/things/7"))
          == "403 forbidden report:unknown_method");
    CHECK(outcome_of(stage, by(reader, "DELETE", "/v1/things/7"))
          == "403 forbidden report:unknown_method");
    CHECK(outcome_of(stage, Outgoing{"DELETE", "/v1/things/7"}) == "401 unauthenticated");
    CHECK(outcome_of(stage, request("TRACE", "/v1/things")) == "405 method_not_allowed");
    // The contract's own operations are checked by all their rules, in every spelling.
    CHECK(outcome_of(stage, request("POST", "/v1/things").body("{}"))
          == "400 contract_violation enforce:required");
    for (std::string_view const target :
         {"/v1/things/", "/v1/THINGS", "/v1/%74hings", "/v1/things.", "/v1/things/ME",
          "/v1/things/7/", "/v1/Things/7"}) {
        CAPTURE(target);
        CHECK(outcome_of(stage, request("POST", target).body("{}")) == "403 unknown_operation");
    }
    CHECK(outcome_of(stage, request("post", "/v1/things").body("{}")) == "405 method_not_allowed");
    CHECK(stage.upstream.requests().size() == 2);
    stage.finish();
}

TEST_CASE("a trailing slash is ignored if the API enables it") {
    SECTION("it is another one by itself") {
        Stage stage = stage_with("requests: enforce");
        CHECK(outcome_of(stage, request("GET", "/v1/things/")) == "403 unknown_operation");
        CHECK(outcome_of(stage, request("POST", "/v1/slashed")) == "403 unknown_operation");
        stage.finish();
    }
    SECTION("the same") {
        Stage stage = stage_with("trailing_slash: same");
        auto const response = stage.send(request("GET", "/v1/things/"));
        CHECK(response.status == 200);
        CHECK(stage.log_of(response).text("operation") == "listThings");
        CHECK(stage.upstream.request(0).target == "/v1/things/"); // unchanged
        CHECK(outcome_of(stage, request("POST", "/v1/slashed").body("{}")) == "200");
        // By all rules of that path.
        CHECK(outcome_of(stage, request("POST", "/v1/things/").body("{}"))
              == "400 contract_violation enforce:required");
        CHECK(outcome_of(stage, request("GET", "/v1/things/x/?limit=1"))
              == "400 bad_parameter enforce:type");
        CHECK(outcome_of(stage, request("GET", "/v1/things/7/?limit=1")) == "200");
        CHECK(outcome_of(stage, by(narrow, "GET", "/v1/things/8/?limit=1")) == "403 forbidden");
        CHECK(outcome_of(stage, by(narrow, "GET", "/v1/things/7/?limit=1")) == "200");
        CHECK(outcome_of(stage, request("GET", "/v1/things/ME/")) == "403 unknown_operation");
        CHECK(outcome_of(stage, request("GET", "/v1/other/")) == "403 unknown_operation");
        stage.finish();
    }
}

TEST_CASE("at report all wrong parameters are counted, even more than are stored") {
    std::string parameters;
    for (int i = 0; i < 20; ++i)
        for (std::string const place : {"query", "header"})
            parameters += "        - { name: x-" + place + std::to_string(i) + ", in: " + place
                          + ", required: true, schema: { type: integer } }\n";
    Gateway::Options options;
    options.credentials = administrator_credentials();
    options.files["own.yaml"] =
        "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths:\n  /v1/things:\n    get:\n"
        "      operationId: listThings\n      parameters:\n"
        + parameters;
    auto const level = GENERATE(std::string{"report"}, std::string{"enforce"});
    CAPTURE(level);
    Stage stage{{},
                [level](Configuration& configuration) {
                    configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                         "authenticate: [basic], requests: "
                                         + level + " }\n";
                    configuration.rest += admin_section;
                },
                options};
    bool const is_reported = level == "report";
    Outgoing request{"GET", "/v1/things"};
    CHECK(stage.send(request.authorization(basic(administrator))).status
          == (is_reported ? 200 : 400));
    stage.gateway.wait_for_log_lines(1);
    auto const metrics = metrics_of(stage.gateway);
    double counted = 0;
    for (auto const& [name, value] : metrics.all()) {
        if (name.find("sallyport_contract_violations_total{") != 0) continue;
        INFO(name);
        CHECK((value == 0 || name.find("level=\"" + level + "\"") != std::string::npos));
        counted += value;
    }
    CHECK(counted == 40);
    stage.finish();
}

} // namespace e24_shadow_mode
