// Parameters of a contract of an operator's own: what is refused and with which words, what the
// log names, and what reaches the upstream.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

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
  /v1/values/{id}:
    get:
      operationId: values
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, maximum: 5 } }
        - { name: id, in: query, required: true, schema: { type: integer, maximum: 3 } }
        - { name: one, in: query, schema: { enum: [1, 2] } }
        - { name: text, in: query, schema: { type: string, maxLength: 9 } }
        - { name: js, in: query, content: { application/json: { schema: { type: object } } } }
)yaml";

Stage stage_with(std::string more = {}) {
    Gateway::Options options;
    std::string const all = standard_credentials();
    // Everybody else is restricted to operations of the shipped contracts.
    options.credentials = all.substr(0, all.find("  - name: enterprise"));
    options.files["own.yaml"] = contract;
    return Stage{{},
                 [more](Configuration& configuration) {
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

TEST_CASE(
    "a pair that belongs to no other parameter is asked the rules of the object that takes it") {
    Stage stage = stage_with();
    auto const refused = get(stage, "/v1/free?c4nary=99");
    CHECK(refused.status == 400);
    CHECK(refused.body.find("params/* must be at most 5") != std::string::npos);
    auto const line = stage.log_of(refused);
    CHECK(line.text("reason") == "bad_parameter");
    CHECK(query_of(line) == std::vector<std::string>{"params"});
    CHECK(get(stage, "/v1/free").status == 400);
    CHECK(get(stage, "/v1/free?a=5").status == 200);
    CHECK(stage.upstream.request(0).target == "/v1/free?a=5");
    CHECK(stage.gateway.every_written_byte().find("c4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE(
    "what begins like a deepObject and is no member of it is refused, and is logged by its name") {
    Stage stage = stage_with();
    for (std::string_view const query :
         {"f[c4nary][x]=1", "f[n][]=1", "f[]=1", "f=1", "f[n", "f%5Bn%5D%5Bx%5D=1"}) {
        CAPTURE(query);
        auto const refused = get(stage, "/v1/deep?" + std::string{query});
        CHECK(refused.status == 400);
        CHECK(refused.body.find("f must be written as f[member]=value") != std::string::npos);
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

TEST_CASE("the log names the parameter that is missing, repeated or badly written") {
    Stage stage = stage_with();
    struct Row {
        std::string target;
        std::string detail;
        std::string rule;
        std::string rule_pointer;
    };
    for (auto const& row : std::vector<Row>{
             {"/v1/values/1", "id is required", "required", "/parameters/query/id"},
             {"/v1/values/1?id=1&id=1", "id must be given once", "duplicate",
              "/parameters/query/id"},
             {"/v1/values/1?id=1&text=%FF", "text must be percent-encoded UTF-8 text", "encoding",
              "/parameters/text"},
             {"/v1/values/1?id=1&text=%00", "text must not hold control characters", "encoding",
              "/parameters/text"},
             {"/v1/values/1?id=1&js={", "js must be JSON", "content", "/parameters/js"},
             {"/v1/values/9?id=1", "id must be at most 5", "maximum",
              "/parameters/path/id/maximum"},
             {"/v1/values/1?id=4", "id must be at most 3", "maximum",
              "/parameters/query/id/maximum"},
             {"/v1/values/1?id=1&one=3", "one must be 1 or 2", "enum", "/parameters/one/enum"},
         }) {
        CAPTURE(row.target);
        auto const refused = get(stage, row.target);
        CHECK(refused.status == 400);
        CHECK(refused.body.find("\"detail\":\"" + row.detail + "\"") != std::string::npos);
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

TEST_CASE("an override of a rule changes it for the parameter in one place") {
    Stage stage = stage_with(", rules: [{ operation: values, rule: "
                             "\"/parameters/query/id/maximum\", level: off }]");
    CHECK(get(stage, "/v1/values/1?id=9").status == 200);
    CHECK(get(stage, "/v1/values/9?id=1").status == 400);
    stage.finish();
}
