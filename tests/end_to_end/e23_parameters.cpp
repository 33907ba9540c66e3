// Parameters of an operator's own contract: which are refused and with which words, what the log
// names, and what reaches the upstream.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace e23_parameters {

using namespace sallyport::test;

namespace {

constexpr std::string_view contract = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/free:
    get:
      operationId: free
      parameters:
        - { name: params, in: query, required: true, schema: { type: object,
            additionalProperties: { type: integer, maximum: 5 } } }
  /v1/deep:
    get:
      operationId: deep
      parameters:
        - { name: f, in: query, style: deepObject, schema: { type: object,
            additionalProperties: false, properties: { n: { type: integer } } } }
        - { name: page, in: query, schema: { type: object, properties: { size: { type: integer } } } }
  /v1/closed:
    post:
      operationId: closed
      requestBody: { content: { application/json: { schema: { type: object, unevaluatedProperties: false,
        properties: { tags: { additionalProperties: { type: object, additionalProperties: false } } } } } } }
  /v1/values/{id}:
    get:
      operationId: values
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, maximum: 5 } }
        - { name: id, in: query, required: true, schema: { type: integer, maximum: 3 } }
        - { name: one, in: query, schema: { enum: [1, 2] } }
        - { name: text, in: query, schema: { type: string, maxLength: 9 } }
        - { name: js, in: query, content: { application/json: { schema: { type: object } } } }
        - { name: X-Mode, in: header, schema: { enum: [a, b] } }
  /v1/declared:
    get:
      operationId: declared
      parameters:
        - { name: X-User-Id, in: header, schema: { type: integer } }
  /v1/undeclared:
    get: { operationId: undeclared }
  /v1/files/{name}:
    parameters: [ { name: name, in: path, required: true, schema: { type: string } } ]
    get: { operationId: file }
    delete: { operationId: removeFile }
  /v1/files/{name}.json:
    parameters: [ { name: name, in: path, required: true, schema: { type: string, maxLength: 5 } } ]
    get: { operationId: jsonFile }
  /v1/tables/{table}-{row}:
    get:
      operationId: row
      parameters:
        - { name: table, in: path, required: true, schema: { type: string } }
        - { name: row, in: path, required: true, schema: { type: integer } }
)yaml";

Stage stage_with(std::string more = {}, std::string access_log = {}) {
    Gateway::Options options;
    options.credentials = administrator_credentials();
    options.files["own.yaml"] = contract;
    return Stage{{},
                 [more, access_log](Configuration& configuration) {
                     if (!access_log.empty()) configuration.access_log = access_log;
                     configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                          "authenticate: [basic]"
                                          + more + " }\n";
                 },
                 options};
}

Response get(Stage const& stage, std::string_view target) {
    return stage.send(Outgoing{"GET", target}.authorization(basic(administrator)));
}

std::vector<std::string> query_of(Json const& line) {
    std::vector<std::string> names;
    for (Json const& name : line["query"].items)
        names.push_back(name.string);
    return names;
}

} // namespace

TEST_CASE("a pair that belongs to no other parameter is checked by the rules of the object that "
          "takes it") {
    Stage stage = stage_with();
    auto const refused = get(stage, "/v1/free?c4nary=99");
    CHECK(refused.status == 400);
    CHECK(refused.body.find("params/c4nary must be at most 5") != std::string::npos);
    auto const line = stage.log_of(refused);
    CHECK(line.text("reason") == "bad_parameter");
    CHECK(query_of(line) == std::vector<std::string>{"params"});
    CHECK(get(stage, "/v1/free").status == 400);
    CHECK(get(stage, "/v1/free?a=5").status == 200);
    CHECK(stage.upstream.request(0).target == "/v1/free?a=5");
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("a pair that begins like a deepObject without being a member of it is refused, and logged by its name") {
    Stage stage = stage_with();
    for (std::string_view const query :
         {"f[c4nary][x]=1", "f[n][]=1", "f[]=1", "f=1", "f[n", "f%5Bn%5D%5Bx%5D=1"}) {
        CAPTURE(query);
        auto const refused = get(stage, "/v1/deep?" + std::string{query});
        CHECK(refused.status == 400);
        CHECK(refused.body.find("f must be written as f[property]=value") != std::string::npos);
        auto const line = stage.log_of(refused);
        CHECK(query_of(line) == std::vector<std::string>{"f"});
        CHECK(line["violations"].items.at(0).text("rule_pointer") == "/parameters/f");
    }
    auto const good = get(stage, "/v1/deep?f%5Bn%5D=1&size=2&c4nary=3");
    CHECK(good.status == 200);
    CHECK(query_of(stage.log_of(good)) == std::vector<std::string>{"f", "page", "*"});
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("the log names a missing, repeated or malformed parameter") {
    Stage stage = stage_with();
    struct Row {
        std::string target;
        std::string detail;
        std::string rule;
        std::string rule_pointer;
    };
    for (auto const& row : std::vector<Row>{
             {"/v1/values/1", "query parameter id is required", "required", "/parameters/query/id"},
             {"/v1/values/1?id=1&id=1", "query parameter id must be given once", "duplicate",
              "/parameters/query/id"},
             {"/v1/values/1?id=1&text=%FF",
              "query parameter text must be percent-encoded UTF-8 text", "encoding",
              "/parameters/text"},
             {"/v1/values/1?id=1&text=%00",
              "query parameter text must not contain control characters", "encoding",
              "/parameters/text"},
             {"/v1/values/1?id=1&js={", "query parameter js must be JSON", "content",
              "/parameters/js"},
             {"/v1/values/9?id=1", "path parameter id must be at most 5", "maximum",
              "/parameters/path/id/maximum"},
             {"/v1/values/1?id=4", "query parameter id must be at most 3", "maximum",
              "/parameters/query/id/maximum"},
             {"/v1/values/1?id=1&one=3", "query parameter one must be 1 or 2", "enum",
              "/parameters/one/enum"},
         }) {
        CAPTURE(row.target);
        auto const refused = get(stage, row.target);
        CHECK(refused.status == 400);
        CHECK(refused.body.find("\"detail\":\"The " + row.detail + ".\"") != std::string::npos);
        auto const line = stage.log_of(refused);
        REQUIRE(line["violations"].items.size() == 1);
        CHECK(line["violations"].items[0].text("rule") == row.rule);
        CHECK(line["violations"].items[0].text("rule_pointer") == row.rule_pointer);
    }
    auto const passed = get(stage, "/v1/values/1?id=1&one=1&text=a%0Ab%09&js={}");
    CHECK(passed.status == 200);
    CHECK(stage.upstream.request(0).target == "/v1/values/1?id=1&one=1&text=a%0Ab%09&js={}");
    stage.finish();
}

TEST_CASE("all wrong parameters are reported together, those of path, query and head") {
    Stage stage = stage_with();
    auto const response = stage.send(Outgoing{"GET", "/v1/values/9?text=%FF&one=3&js={"}
                                         .set("X-Mode", "c")
                                         .authorization(basic(administrator)));
    auto problem = refused(400, "bad_parameter");
    problem.violations = {
        {"", "maximum", "5", "/parameters/path/id/maximum", "", "id must be at most 5", "path",
         "id"},
        {"", "encoding", "", "/parameters/text", "", "text must be percent-encoded UTF-8 text",
         "query", "text"},
        {"", "enum", "[1,2]", "/parameters/one/enum", "", "one must be 1 or 2", "query", "one"},
        {"", "content", "", "/parameters/js", "", "js must be JSON", "query", "js"},
        {"", "required", "", "/parameters/query/id", "", "id is required", "query", "id"},
        {"", "enum", R"(["a","b"])", "/parameters/X-Mode/enum", "", R"(X-Mode must be "a" or "b")",
         "header", "X-Mode"}};
    check_problem(response, problem);
    auto const line = stage.log_of(response);
    CHECK(line["violations"].items.size() == problem.violations.size());
    CHECK(line["violations"].items.back().text("rule_pointer") == "/parameters/X-Mode/enum");
    stage.finish();
}

TEST_CASE("an undeclared member of an object is named to the client, and not in the log") {
    Stage stage = stage_with();
    auto const response = get(stage, "/v1/deep?f[c4nary]=1&f[c4nary%2F2]=1");
    auto problem = refused(400, "bad_parameter");
    auto const phrase = " is not a property that the contract allows";
    auto const rule = "/parameters/f/additionalProperties";
    problem.violations = {{"/c4nary", "additionalProperties", "false", rule, "",
                           std::string{"f/c4nary"} + phrase, "query", "f"},
                          {"/c4nary~12", "additionalProperties", "false", rule, "",
                           std::string{"f/c4nary~12"} + phrase, "query", "f"}};
    check_problem(response, problem);
    CHECK(stage.log_of(response)["violations"].items.at(0).text("pointer") == "/*");
    CHECK(stage.log_of(response)["violations"].items.size() == 1);
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE("undeclared names are sent to the client that used them, and not stored") {
    // The gateway's own responses are not an upstream's: no body of a refusal is logged.
    Stage stage = stage_with({}, "  output: access.log\n  bodies: { responses: all }\n");
    std::string const large(200'000, 'n');
    auto const response =
        stage.send(Outgoing{"POST", "/v1/closed"}
                       .authorization(basic(administrator))
                       .body(R"({"c4nary\n\u202e":1,"tags":{"c4nary-tag":{"c4nary/key":1}},"c4nary)"
                             + large + R"(":1})"));
    CHECK(response.status == 400);
    auto const violations = Json::parse(response.body)["violations"];
    REQUIRE(violations.items.size() == 3);
    CHECK(violations[0].text("pointer") == "/tags/c4nary-tag/c4nary~1key");
    CHECK(violations[1].text("pointer") == "/c4nary\n\u202e");
    CHECK(violations[2].text("pointer") == "/c4nary" + large.substr(0, 58) + "\u2026");
    CHECK(response.body.size() < 2500);
    auto const line = stage.log_of(response);
    REQUIRE(line["violations"].items.size() == 2);
    CHECK(line["violations"][0].text("pointer") == "/tags/*/*");
    CHECK(line["violations"][1].text("pointer") == "/*");
    stage.finish();
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
}

TEST_CASE("an override of a rule changes it for the parameter in one place") {
    Stage stage = stage_with(", rules: [{ operation: values, rule: "
                             "\"/parameters/query/id/maximum\", level: off }]");
    CHECK(get(stage, "/v1/values/1?id=9").status == 200);
    CHECK(get(stage, "/v1/values/9?id=1").status == 400);
    stage.finish();
}

TEST_CASE("a parameter may be a part of a segment, and is checked as such") {
    Stage stage = stage_with();
    auto const operation_of = [&stage](Response const& response) {
        return stage.log_of(response).text("operation");
    };
    auto const good = get(stage, "/v1/files/a.json");
    CHECK(good.status == 200);
    CHECK(operation_of(good) == "jsonFile");
    CHECK(stage.upstream.request(0).target == "/v1/files/a.json");
    auto const refused = get(stage, "/v1/files/abcdef.json");
    CHECK(refused.status == 400);
    CHECK(refused.body.find("name must have at most 5 characters") != std::string::npos);
    CHECK(operation_of(refused) == "jsonFile");
    CHECK(operation_of(get(stage, "/v1/files/abcdef.jso")) == "file");
    // An upstream may take them for the other path.
    for (std::string_view const path :
         {"/v1/files/a.JSON", "/v1/files/a.%6Ason", "/v1/files/a.json.", "/v1/files/a.json%20"}) {
        CAPTURE(path);
        auto const unclear = get(stage, path);
        CHECK(unclear.status == 403);
        CHECK(stage.log_of(unclear).text("reason") == "unknown_operation");
    }
    // The methods are those of the path that takes precedence.
    auto const other_method =
        stage.send(Outgoing{"DELETE", "/v1/files/a.json"}.authorization(basic(administrator)));
    CHECK(other_method.status == 405);
    CHECK(other_method.fields.one("Allow") == "GET, HEAD");
    // One reading of several has to satisfy the schemas.
    auto const row = get(stage, "/v1/tables/by-day-5");
    CHECK(row.status == 200);
    CHECK(operation_of(row) == "row");
    CHECK(get(stage, "/v1/tables/by-day").status == 400);
    CHECK(get(stage, "/v1/tables/" + std::string(200, '-') + "5").status == 403);
    CHECK(get(stage, "/v1/tables/5").status == 403);
    CHECK(stage.upstream.requests().size() == 3);
    stage.finish();
}

TEST_CASE("a field that the contract declares is forwarded, even if it asserts an identity") {
    Stage stage = stage_with();
    auto const with_fields = [](std::string_view target) {
        return Outgoing{"GET", target}
            .authorization(basic(administrator))
            .add("x-user-ID", "17")
            .add("X-Remote-User", "root");
    };
    CHECK(stage.send(with_fields("/v1/declared")).status == 200);
    CHECK(stage.upstream.request(0).fields.one("X-User-Id") == "17");
    CHECK(stage.upstream.request(0).fields.count("X-Remote-User") == 0);
    CHECK(stage.send(with_fields("/v1/undeclared")).status == 200);
    CHECK(stage.upstream.request(1).fields.count("X-User-Id") == 0);
    // As it was checked, or not at all.
    CHECK(stage.send(with_fields("/v1/declared").set("X-User-Id", "x")).status == 400);
    CHECK(stage.send(with_fields("/v1/declared").add("Connection", "X-User-Id")).status == 400);
    CHECK(stage.upstream.requests().size() == 2);
    stage.finish();
}

} // namespace e23_parameters
