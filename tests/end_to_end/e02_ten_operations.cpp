// Each of the ten operations: a request that passes, compared byte for byte at the upstream, and
// one that is refused, compared completely at the client.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace e02_ten_operations {

using namespace sallyport::test;

namespace {

std::string const bearer_of_observer = bearer(observer_token);

// A refused request, and the reason.
struct Refusal {
    std::string name;
    Outgoing request;
    ExpectedProblem problem;
};

ExpectedProblem violation(std::string message, ExpectedViolation broken) {
    ExpectedProblem problem;
    problem.status = 400;
    problem.reason = "contract_violation";
    broken.message = std::move(message);
    problem.violations = {std::move(broken)};
    return problem;
}

ExpectedProblem not_allowed(std::string allow) {
    auto problem = refused(405, "method_not_allowed");
    problem.fields = {{"Allow", std::move(allow)}};
    return problem;
}

std::vector<Refusal> refusals() {
    auto const without_uuid = [](std::string_view operation_id, std::string_view id) {
        auto target = operation(operation_id).target;
        target.replace(target.find(id), id.size(), "not-a-uuid");
        return request_for(operation_id).target(target);
    };
    return {
        {"getPipe", without_uuid("getPipe", pipe_id), bad_uuid("dataPipeId")},
        {"updatePipeSettings", request_for("updatePipeSettings").body(R"({"db_max_threads":65})"),
         violation("/db_max_threads must be at most 64",
                   {"/db_max_threads", "maximum", "64", "/properties/db_max_threads/maximum",
                    "management 2.3"})},
        {"createService", request_for("createService").body(R"({"numReplicas":21})"),
         violation("/numReplicas must be at most 20",
                   {"/numReplicas", "maximum", "20", "/properties/numReplicas/maximum",
                    "management 4.3"})},
        {"updateOrganization",
         request_for("updateOrganization").body(R"({"privateEndpoints":{"add":[{"id":7}]}})"),
         violation("/privateEndpoints/add/0/id must be a string, not a number",
                   {"/privateEndpoints/add/0/id", "type", R"("string")",
                    "/properties/privateEndpoints/properties/add/items/properties/id/type",
                    "management 4.4"})},
        {"upsertServiceQueryEndpoint",
         request_for("upsertServiceQueryEndpoint").body(R"({"roles":["sql_console_root"]})"),
         violation(R"(/roles/0 must be "sql_console_read_only" or "sql_console_admin")",
                   {"/roles/0", "enum", R"(["sql_console_read_only","sql_console_admin"])",
                    "/properties/roles/items/enum", "management 4.5"})},
        {"listServiceBackups", without_uuid("listServiceBackups", service_id),
         bad_uuid("serviceId")},
        {"getDashboard", request_for("getDashboard").body("{}"), refused(400, "malformed_body")},
        {"updateDashboard", request_for("updateDashboard").body(R"({"tags":"one"})"),
         violation("/tags must be an array, not a string",
                   {"/tags", "type", R"("array")", "/properties/tags/type", "observability 4.2"})},
        {"listAlerts", request_for("listAlerts").method("DELETE"), not_allowed("GET, HEAD")},
        {"chartSeries",
         request_for("chartSeries")
             .body(R"({"series":[{},{},{},{},{},{}],"startTime":1,"endTime":2})"),
         violation(
             "/series must have at most 5 items",
             {"/series", "maxItems", "5", "/properties/series/maxItems", "observability 4.4"})},
    };
}

// Fields that the gateway adds to each request, in lower case.
std::vector<std::string> const added_fields{
    "authorization", "host", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    "x-request-id",  "via"};

} // namespace

TEST_CASE(
    "each of the ten operations is refused by its contract, and does not reach the upstream") {
    Stage stage;
    for (auto const& row : refusals()) {
        CAPTURE(row.name);
        RawClient client{stage.port()};
        auto const response = client.exchange(row.request.text());
        check_problem(response, row.problem);
        auto const line = stage.log_of(response);
        CHECK(line.text("operation") == (row.name == "listAlerts" ? "" : row.name));
        CHECK(line.text("reason") == row.problem.reason);
        CHECK(line.text("status") == std::to_string(row.problem.status));
        CHECK(line["upstream_status"].is_null());
        CHECK(line["violations"].items.size() == row.problem.violations.size());
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("every refusal has an operation of its own") {
    std::vector<std::string> names;
    for (auto const& row : refusals())
        names.push_back(row.name);
    REQUIRE(names.size() == all_operations().size());
    for (auto const& one : all_operations())
        CHECK(std::count(names.begin(), names.end(), one.id) == 1);
}

TEST_CASE(
    "each of the ten operations reaches the upstream byte for byte, and its response the client") {
    std::string const response_body =
        R"({"status":200,"requestId":"x","result":{"a":[1,2.50,"ü"]}})";
    Stage stage{
        [&](UpstreamExchange& exchange) {
            exchange.send(response_text(
                response_body, 200,
                {{"X-Request-Id", "upstream-7"}, {"ETag", "\"e\""}, {"RateLimit-Remaining", "9"}}));
        },
        with_upstream("credential: pass_issued")};
    for (auto const& one : all_operations()) {
        CAPTURE(one.id);
        auto const index = stage.upstream.requests().size();
        auto request = request_for(one);
        request.add("User-Agent", "terraform/1.2").add("Accept", "*/*").add("X-Hdx-Team", "t 1");
        request.add("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        auto const response = stage.send(request);

        // At the client: the upstream's response, with our request id instead of its own.
        CHECK(response.status == 200);
        CHECK(response.body == response_body);
        CHECK(response.fields.find("ETag") == "\"e\"");
        CHECK(response.fields.find("RateLimit-Remaining") == "9");
        CHECK(response.fields.find("Content-Type") == "application/json");
        auto const id = response.fields.one("X-Request-Id");
        CHECK(is_request_id(id));

        // At the upstream: one request, with exactly the expected lines.
        REQUIRE(stage.upstream.requests().size() == index + 1);
        auto const seen = stage.upstream.request(index);
        CHECK(seen.method == one.method);
        CHECK(seen.target == one.target);
        CHECK(seen.body == one.body);
        CHECK(seen.framing == (one.body.empty() ? Framing::none : Framing::length));
        Fields names;
        for (auto const& name : added_fields)
            names.push_back({name, ""});
        for (auto const* name : {"user-agent", "accept", "x-hdx-team", "traceparent"})
            names.push_back({name, ""});
        if (!one.body.empty()) {
            names.push_back({"content-type", ""});
            names.push_back({"content-length", ""});
            CHECK(seen.fields.one("Content-Type") == "application/json");
        }
        CHECK(seen.fields.names() == names.names());
        CHECK(seen.fields.one("Host") == "127.0.0.1:" + std::to_string(stage.upstream.port()));
        CHECK(seen.fields.one("Authorization")
              == (one.api == "management" ? basic(administrator) : bearer_of_observer));
        CHECK(seen.fields.one("X-Request-Id") == id);
        CHECK(seen.fields.one("X-Forwarded-For") == "127.0.0.1");
        CHECK(seen.fields.one("X-Forwarded-Proto") == "https");
        CHECK(seen.fields.one("X-Forwarded-Host") == "localhost");
        CHECK(seen.fields.one("X-Hdx-Team") == "t 1");

        // In the log: the result, and nothing of the contents.
        auto const line = stage.log_of(response);
        CHECK(line.text("api") == one.api);
        CHECK(line.text("operation") == one.id);
        CHECK(line.text("method") == one.method);
        CHECK(line.text("path") == one.target);
        CHECK(line.text("status") == "200");
        CHECK(line.text("upstream_status") == "200");
        CHECK(line.text("upstream_request_id") == "upstream-7");
        CHECK(line.text("credential") == (one.api == "management" ? "administrator" : "observer"));
        CHECK(line["reason"].is_null());
    }
    stage.finish();
}

TEST_CASE("a path outside of the contract is refused with 403, never 404") {
    Stage stage;
    for (std::string_view const target :
         {"/v1/organizations", "/v1/organizations/", "/v1/", "/v1", "/v1/nothing/here",
          "/api/v2/dashboards", "/api/v2/dashboards/d-17/", "/api/v2/alerts/", "/api/v2/ALERTS"}) {
        CAPTURE(target);
        auto const is_management = target.substr(0, 3) == "/v1";
        auto request = request_for(is_management ? "getPipe" : "listAlerts").target(target);
        check_problem(stage.send(request), refused(403, "unknown_operation"));
    }
    // Outside of every API: no caller is authenticated, and the response has no other information.
    for (std::string_view const target :
         {"/", "/v2/organizations", "/v10", "/healthz", "/V1/x", "/api/v1/alerts"}) {
        CAPTURE(target);
        check_problem(stage.send(Outgoing{"GET", target}), refused(403, "unknown_operation"));
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("another method on a known path is 405 with the methods that are allowed") {
    Stage stage;
    struct Row {
        std::string_view operation;
        std::string_view method;
        std::string_view allow;
    };
    for (auto const& row : std::vector<Row>{
             {"getPipe", "PUT", "GET, HEAD"},
             {"getPipe", "OPTIONS", "GET, HEAD"},
             {"getPipe", "TRACE", "GET, HEAD"},
             {"createService", "GET", "POST"},
             {"createService", "HEAD", "POST"},
             {"updateOrganization", "DELETE", "PATCH"},
             {"getDashboard", "PATCH", "GET, HEAD, PUT"},
             {"listAlerts", "PROPFIND", "GET, HEAD"},
         }) {
        CAPTURE(row.operation, row.method);
        auto const target = operation(row.operation).target;
        auto request = Outgoing{row.method, target}.authorization(
            operation(row.operation).api == "management" ? basic(administrator)
                                                         : bearer_of_observer);
        auto const response = stage.send(request);
        if (row.method == "HEAD") { // RFC 9110, 9.3.2: the fields without the content
            CHECK(response.status == 405);
            CHECK(response.fields.one("Allow") == row.allow);
            CHECK(response.body.empty());
            continue;
        }
        check_problem(response, not_allowed(std::string{row.allow}));
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("HEAD follows the rules of GET, and is logged as its operation") {
    Stage stage{[](UpstreamExchange& exchange) {
                    exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 17\r\n"
                                  "Content-Type: application/json\r\n\r\n");
                },
                with_management("responses: report")};
    auto const response = stage.send(request_for("getPipe").method("HEAD"));
    CHECK(response.status == 200);
    CHECK(response.fields.one("Content-Length") == "17");
    CHECK(response.body.empty());
    CHECK(stage.upstream.request(0).method == "HEAD");
    auto const line = stage.log_of(response);
    CHECK(line.text("method") == "HEAD");
    CHECK(line.text("api") == "management");
    CHECK(line.text("operation") == "getPipe");
    CHECK(line["violations"].items.empty()); // there is no body to check
    // By its parameters, and by the permissions of its caller.
    CHECK(stage
              .send(Outgoing{"HEAD", "/v1/organizations/x/services/y/backups"}.authorization(
                  basic(administrator)))
              .status
          == 400);
    CHECK(stage.send(request_for("getPipe").method("HEAD").authorization(basic(reader))).status
          == 200);
    CHECK(stage
              .send(request_for("listServiceBackups")
                        .target(operation("updateOrganization").target)
                        .method("HEAD")
                        .authorization(basic(reader)))
              .status
          == 405);
    stage.finish();
}

TEST_CASE("a caller without permission is refused before its parameters are checked") {
    Stage stage;
    auto const bad = "/v1/organizations/x/services/" + std::string{service_id} + "/backups";
    check_problem(stage.send(request_for("listServiceBackups").target(bad)),
                  bad_uuid("organizationId"));
    auto const by = [&](Key const& key, std::string_view id, std::string_view target) {
        return stage.send(request_for(id).target(target).authorization(basic(key)));
    };
    // `reader` may read backups and pipes, and nothing else.
    CHECK(stage.log_of(by(reader, "listServiceBackups", bad)).text("reason") == "bad_parameter");
    CHECK(stage.log_of(by(reader, "updateOrganization", "/v1/organizations/no-uuid")).text("reason")
          == "forbidden");
    // A restriction on a parameter compares its text, whether it was checked or not.
    CHECK(stage.log_of(by(narrow, "listServiceBackups", bad)).text("reason") == "forbidden");
    // Existing paths come first.
    CHECK(stage.log_of(by(reader, "listServiceBackups", "/v1/organizations/x/none")).text("reason")
          == "unknown_operation");
    CHECK(stage
              .log_of(stage.send(
                  request_for("updateOrganization").method("DELETE").authorization(basic(reader))))
              .text("reason")
          == "method_not_allowed");
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("a parameter of a wrong format is named, its value is not") {
    Stage stage;
    auto const target =
        "/v1/organizations/c4nary-value/services/" + std::string{service_id} + "/backups";
    auto const response = stage.send(request_for("listServiceBackups").target(target));
    check_problem(response, bad_uuid("organizationId"));
    CHECK(response.body.find("organizationId") != std::string::npos);
    CHECK(response.body.find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("a uuid may have any letter case, and is forwarded unchanged") {
    Stage stage;
    auto const target = "/v1/organizations/5F0C8A52-1f3b-4C7E-9d2a-0b6f4e8c1A01/services/"
                        + std::string{service_id} + "/backups";
    CHECK(stage.send(request_for("listServiceBackups").target(target)).status == 200);
    CHECK(stage.upstream.request(0).target == target);
    stage.finish();
}

TEST_CASE("a query is forwarded unchanged, although the contract declares none") {
    Stage stage;
    auto const target = operation("listAlerts").target + "?limit=3&x=%20&y";
    CHECK(stage.send(request_for("listAlerts").target(target)).status == 200);
    CHECK(stage.upstream.request(0).target == target);
    stage.finish();
}

TEST_CASE("an API with refusals: problem sends only the members of RFC 9457 and its own") {
    Stage stage{{}, with_management("refusals: problem")};
    check_problem(stage.send(request_for("updatePipeSettings").body(R"({"db_max_threads":65})")),
                  violation("/db_max_threads must be at most 64",
                            {"/db_max_threads", "maximum", "64",
                             "/properties/db_max_threads/maximum", "management 2.3"}),
                  Members::standard);
    auto unauthenticated = request_for("updatePipeSettings").body("{}");
    check_problem(stage.send(unauthenticated.authorization("Basic eDp5")), unauthenticated_basic(),
                  Members::standard);
    // Another API of the same gateway, and requests outside of any API, have the usual format.
    check_problem(stage.send(request_for("listAlerts").method("DELETE")), not_allowed("GET, HEAD"));
    check_problem(stage.send(Outgoing{"GET", "/elsewhere"}), refused(403, "unknown_operation"));
    stage.finish();
}

TEST_CASE("an API without a contract streams requests to its prefix") {
    Stage stage{[](UpstreamExchange& exchange) {
                    exchange.send(
                        response_text(exchange.request.body, 201, {}, "application/octet-stream"));
                },
                [](Configuration& configuration) {
                    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, "
                                          "authenticate: [basic], methods: [GET, PUT] }\n";
                }};
    std::string const body = std::string(300'000, 'x') + '\0' + "\xff";
    auto put = Outgoing{"PUT", "/blob/a/b"}.authorization(basic(mover)).body(body, "a/b");
    auto const response = stage.send(put);
    CHECK(response.status == 201);
    CHECK(response.body == body);
    CHECK(stage.upstream.request(0).body == body);
    CHECK(stage.log_of(response).text("api") == "files");
    CHECK(stage.log_of(response)["operation"].is_null());

    check_problem(stage.send(put.method("POST")), not_allowed("GET, PUT"));
    check_problem(stage.send(request_for("getPipe").authorization(basic(mover))),
                  refused(403, "forbidden"));
    CHECK(stage.send(Outgoing{"GET", "/blob/a"}).status == 401);
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("a body without a schema is forwarded before it is complete, and not read") {
    TemporaryFolder const folder;
    auto const contract = folder.write(
        "uploads.yaml", "openapi: 3.1.0\ninfo: { title: Uploads }\npaths: { /uploads/v1: { put: { "
                        "operationId: upload, requestBody: { content: { application/json: {} } } } "
                        "} }\n");
    Event begun;
    RecordingUpstream upstream{[&begun](UpstreamExchange& exchange) {
                                   begun.set();
                                   exchange.read_body();
                                   exchange.send(response_text("{}"));
                               },
                               {.start = RecordingUpstream::Start::after_head}};
    auto configuration = standard_configuration(upstream);
    configuration.apis += "  uploads: { contract: \"" + contract.string()
                          + "\", upstream: management, authenticate: [basic] }\n";
    Gateway gateway{configuration};
    RawClient client{gateway.port()};
    client.send(Outgoing{"PUT", "/uploads/v1"}
                    .authorization(basic(administrator))
                    .add("Content-Type", "application/json")
                    .add("Content-Length", "200000")
                    .head());
    std::string const no_json(100'000, '{');
    client.send(no_json);
    REQUIRE(begun.wait() == Waited::happened);
    client.send(no_json);
    auto const response = client.read_response("PUT");
    CHECK(response.status == 200);
    auto const line = gateway.wait_for_log_of(response.fields.one("X-Request-Id"));
    CHECK(line.text("operation") == "upload");
    CHECK(line["validate_us"].is_null());
    CHECK(gateway.stop() == 0);
    CHECK(upstream.protocol_errors() == std::vector<std::string>{});
}

TEST_CASE("a host list limits an API to its hosts") {
    Stage stage{{}, with_management("hosts: [api.example.test]")};
    check_problem(stage.send(request_for("getPipe")), refused(403, "unknown_operation"));
    auto const target = request_for("getPipe").set("Host", "API.example.test:8443");
    CHECK(stage.send(target).status == 200);
    CHECK(stage.upstream.request(0).fields.one("X-Forwarded-Host") == "API.example.test:8443");
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

} // namespace e02_ten_operations
