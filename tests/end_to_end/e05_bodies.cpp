// The content of bodies: not JSON, not an object, another media type, unexpected, empty.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace e05_bodies {

using namespace sallyport::test;

namespace {

Outgoing settings(std::string_view body) {
    return request_for("updatePipeSettings").body(body);
}

std::string nested(std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
}

} // namespace

TEST_CASE("a body that is not exactly one JSON value is malformed, whatever the rules") {
    Stage stage;
    std::string const nul(1, '\0');
    for (auto const& body : std::vector<std::string>{
             "",
             " ",
             "{",
             "}",
             "{}{}",
             "{} x",
             "{\"a\":1,}",
             "{'a':1}",
             "{\"a\":01}",
             "{\"a\":+1}",
             "{\"a\":.5}",
             "{\"a\":1.}",
             "{\"a\":1e}",
             "{\"a\":NaN}",
             "{\"a\":0x10}",
             "{\"a\":TRUE}",
             "{\"a\":\"\x01\"}",
             "{\"a\":\"\\x\"}",
             "{\"a\":\"\\ud800\"}",
             "{\"a\":\"\xff\"}",
             "{\"a\":\"\xc0\xaf\"}",
             "{\"a\":\"\xed\xa0\x80\"}",
             "\xef\xbb\xbf{}",
             "{}" + nul,
             "/* c */{}",
             R"({"db_max_threads":1,"db_max_threads":2})",
             R"({"db_max_threads":1,"db\u005fmax_threads":2})",
             R"({"unknown":{"a":1,"\u0061":2}})",
             nested(65),
             nested(5000),
         }) {
        CAPTURE(body.substr(0, 60));
        check_problem(stage.send(settings(body)), refused(400, "malformed_body"));
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("a JSON value that is not an object violates the contract") {
    Stage stage;
    std::vector<std::pair<std::string_view, std::string>> const rows{{"[]", "an array"},
                                                                     {"null", "null"},
                                                                     {"7", "a number"},
                                                                     {"\"{}\"", "a string"},
                                                                     {"true", "a boolean"}};
    for (auto const& [body, kind] : rows) {
        CAPTURE(body);
        ExpectedProblem problem;
        problem.reason = "contract_violation";
        problem.violations = {{"", "type", R"("object")", "/type", "management 2.3",
                               "the body must be an object, not " + kind}};
        check_problem(stage.send(settings(body)), problem);
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("common mistakes of clients are refused with one clear line") {
    Stage stage;
    SECTION("null for an empty list") {
        ExpectedProblem problem;
        problem.reason = "contract_violation";
        problem.violations = {{"/ipAccessList", "type", R"("array")",
                               "/properties/ipAccessList/type", "management 4.3",
                               "/ipAccessList must be an array, not null"}};
        check_problem(stage.send(request_for("createService").body(R"({"ipAccessList":null})")),
                      problem);
    }
    SECTION("a number in quotes") {
        ExpectedProblem problem;
        problem.reason = "contract_violation";
        problem.violations = {{"/db_max_threads", "type", R"(["integer","null"])",
                               "/properties/db_max_threads/type", "management 2.3",
                               "/db_max_threads must be an integer or null, not a string"}};
        auto const response = stage.send(settings(R"({"db_max_threads":"5000000001"})"));
        check_problem(response, problem);
        CHECK(response.body.find("5000000001") == std::string::npos);
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("violating values and undeclared names are never echoed") {
    Stage stage;
    auto const response = stage.send(
        request_for("chartSeries")
            .body(
                R"({"series":[{"where":{"c4nary-name":"c4nary-value"}}],"startTime":"c4nary","endTime":[]})"));
    CHECK(response.status == 400);
    CHECK(response.body.find("c4nary") == std::string::npos);
    CHECK(response.body.find("/series/0/where") != std::string::npos);
    stage.finish();
}

TEST_CASE("valid bodies are forwarded byte for byte, in any spelling") {
    Stage stage;
    std::vector<std::string> const bodies{
        "{}",
        "{}\n",
        " \t\r\n{ }\r\n\t ",
        "{\"db_max_threads\":5e0}",
        "{\"db_max_threads\":1.0}",
        "{\"db_max_threads\":0}\n",
        R"({"db_max_threads":null,"streaming_max_insert_wait_ms":60000})",
        R"({"autoscalingMode":"vertical","tags":[{"key":"ü","value":null}],"n":[1,{"x":[]}]})",
        R"({"big":123456789012345678901234567890,"exact":0.10000000000000000000001})",
        R"({"db_max\u005fthreads":64})",
        nested(64),
        "{\"emoji\":\"\xf0\x9f\x98\x80 \\ud83d\\ude00\"}",
    };
    for (auto const& body : bodies) {
        CAPTURE(body);
        auto const index = stage.upstream.requests().size();
        CHECK(stage.send(settings(body)).status == 200);
        CHECK(stage.upstream.request(index).body == body);
    }
    stage.finish();
}

TEST_CASE(
    "members that the contract does not list are forwarded and counted, deprecated ones named") {
    Stage stage;
    auto const response = stage.send(
        request_for("createService")
            .body(
                R"({"name":"a","tags":[],"minReplicas":2,"backupConfiguration":{"x":1},"tier":"production"})"));
    CHECK(response.status == 200);
    auto const line = stage.log_of(response);
    CHECK(line.text("unknown_members") == "3");
    REQUIRE(line["deprecated_members"].items.size() == 1);
    CHECK(line["deprecated_members"][0].string.find("tier") != std::string::npos);
    stage.finish();
}

TEST_CASE(
    "a media type other than JSON in UTF-8 is refused, and the response lists the accepted ones") {
    Stage stage;
    auto unsupported = refused(415, "unsupported_media_type");
    unsupported.fields = {{"Accept", "application/json"}}; // RFC 9110, 15.5.16
    for (std::string_view const type :
         {"text/plain", "application/jsonx", "application/x-www-form-urlencoded", "*/*", "",
          "application/json; charset=utf-16", "application/json; charset=latin1", "application",
          "application/json, text/plain", "application/json; charset=utf-8; charset=utf-16",
          "text/json", "application/json; charset", "application/merge-patch+json"}) {
        CAPTURE(type);
        auto const response = stage.send(request_for("updatePipeSettings").body("{}", type));
        check_problem(response, unsupported);
    }
    check_problem(stage.send(settings("{}").without("Content-Type")), unsupported);
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("parameters of the media type are accepted") {
    Stage stage;
    for (std::string_view const type :
         {"application/json; charset=utf-8", "application/json;charset=UTF-8",
          "Application/JSON ; Charset=\"utf-8\"", "application/json; version=2; charset=utf-8"}) {
        CAPTURE(type);
        auto const index = stage.upstream.requests().size();
        CHECK(stage.send(request_for("updatePipeSettings").body("{}\n", type)).status == 200);
        CHECK(stage.upstream.request(index).fields.one("Content-Type") == type);
    }
    stage.finish();
}

TEST_CASE("a body for an operation without one is malformed; none, or an empty one, is accepted") {
    Stage stage;
    check_problem(stage.send(request_for("getPipe").body("{}")), refused(400, "malformed_body"));
    check_problem(stage.send(request_for("getPipe").body("x", "text/plain")),
                  refused(400, "malformed_body"));
    check_problem(stage.send(request_for("listAlerts").chunked_body("{}", 1)),
                  refused(400, "malformed_body"));
    CHECK(stage.upstream.connections() == 0);
    CHECK(stage.send(request_for("getPipe").set("Content-Length", "0")).status == 200);
    CHECK(stage.send(request_for("getPipe").set("Content-Type", "application/json")).status == 200);
    CHECK(stage.send(request_for("getPipe").chunked_body("", 1)).status == 200);
    for (auto const& seen : stage.upstream.requests())
        CHECK(seen.body.empty());
    stage.finish();
}

TEST_CASE("an operation that needs a body is refused without one") {
    Stage stage;
    for (auto const& one : all_operations()) {
        if (one.body.empty()) continue;
        CAPTURE(one.id);
        auto request = request_for(one);
        check_problem(stage.send(request.body("")), refused(400, "malformed_body"));
        request.without("Content-Length").without("Content-Type");
        check_problem(stage.send(request), refused(400, "malformed_body"));
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("an empty body counts as none, with a length or chunks") {
    Gateway::Options options;
    options.credentials = administrator_credentials();
    options.files["own.yaml"] = R"(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/file:
    put:
      operationId: putFile
      requestBody: { required: true, content: { application/octet-stream: {} } }
  /v1/note:
    put:
      operationId: putNote
      requestBody: { content: { application/json: { schema: { type: object } } } }
)";
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                         "authenticate: [basic] }\n";
                },
                options};
    constexpr std::string_view bytes = "application/octet-stream";
    constexpr std::string_view json = "application/json";
    auto const put = [](std::string_view target, std::string_view type) {
        return Outgoing{"PUT", target}
            .authorization(basic(administrator))
            .set("Content-Type", type);
    };
    auto const chunks = [](Outgoing request, std::string_view type, std::string_view body) {
        return request.chunked_body(body, 7000).set("Content-Type", type);
    };
    auto const file = [&] { return put("/v1/file", bytes); };
    auto const note = [&] { return put("/v1/note", json); };
    auto const missing = refused(400, "malformed_body");
    check_problem(stage.send(file()), missing);
    check_problem(stage.send(file().set("Content-Length", "0")), missing);
    check_problem(stage.send(chunks(file(), bytes, "")), missing);
    check_problem(stage.send(chunks(file(), bytes, "").set("Expect", "100-continue")), missing);
    CHECK(stage.upstream.connections() == 0);

    CHECK(stage.send(note()).status == 200);
    CHECK(stage.send(note().set("Content-Length", "0")).status == 200);
    CHECK(stage.send(chunks(note(), json, "")).status == 200);
    for (auto const& seen : stage.upstream.requests())
        CHECK(seen.body.empty());
    check_problem(stage.send(chunks(note(), json, " ")), missing);

    // The bytes read to detect an empty body are not lost, nor are those after them.
    std::string large;
    while (large.size() < 300'000)
        large += std::to_string(large.size()) + ' ';
    for (std::string const& body : {std::string{"x"}, large}) {
        auto const index = stage.upstream.requests().size();
        RawClient client{stage.port()};
        client.send_in_pieces(chunks(file(), bytes, body).text(), 9000);
        CHECK(client.read_response().status == 200);
        CHECK(stage.upstream.request(index).body == body);
    }
    stage.finish();
}

} // namespace e05_bodies
