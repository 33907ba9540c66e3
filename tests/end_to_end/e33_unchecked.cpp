// `unsupported`: a contract that cannot be enforced as a whole is refused, or loaded without the
// rules of those places, which are counted, listed and marked in the log.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

namespace e33_unchecked {

using namespace sallyport::test;

namespace {

// `n` has a keyword of an older draft beside one that is enforced; `getThing` only in its response.
constexpr auto things = R"(openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things/v1/thing:
    get:
      operationId: getThing
      responses:
        "200":
          description: It
          content: { application/json: { schema: { $ref: "#/components/schemas/n" } } }
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/n" } } } }
    put:
      operationId: setThing
      requestBody: { content: { application/json: { schema: { type: integer } } } }
components:
  schemas: { n: { maximum: 10, divisibleBy: 2 } }
)";
constexpr auto place = "things.yaml:18:32: warning: components.schemas.n.divisibleBy: unchecked: "
                       "the keyword \"divisibleBy\" is not implemented; write multipleOf\n";

Change things_api(std::string const& more) {
    return [more](Configuration& configuration) {
        configuration.apis = "  things: { contract: things.yaml, upstream: management, "
                             "authenticate: [basic], unsupported: unchecked"
                             + more + " }\n";
        configuration.rest += admin_section;
    };
}

Gateway::Options files() {
    Gateway::Options options;
    options.credentials = administrator_credentials();
    options.files["things.yaml"] = things;
    return options;
}

// The field `unchecked` of the line of a request.
std::string mark_of(Stage& stage, std::string_view method, std::string_view body = {}) {
    Outgoing request{method, "/things/v1/thing"};
    request.authorization(basic(administrator));
    if (!body.empty()) request.body(std::string{body}, "application/json");
    auto const response = stage.send(request);
    auto const line = stage.log_of(response);
    auto const& mark = line["unchecked"];
    bool const is_marked = mark.kind == Json::Kind::boolean && mark.boolean;
    std::string const word = mark.is_null() ? "null" : is_marked ? "true" : "something else";
    return word + ' ' + std::to_string(response.status);
}

} // namespace

TEST_CASE("contract check says how to load a document, and lists its places with --unsupported") {
    TemporaryFolder const folder;
    folder.write("things.yaml", things);
    auto const check = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "contract");
        return run_gateway(arguments, {}, folder.path());
    };
    auto const refused = check({"check", "things.yaml"});
    CHECK(refused.exit_code == 1);
    std::string const way_out = "things.yaml: the gateway cannot enforce all of it; write "
                                "unsupported: unchecked to load it with this place unchecked\n";
    CHECK(refused.output.ends_with(way_out));
    auto const loaded = check({"check", "--unsupported", "unchecked", "things.yaml"});
    CHECK(loaded.exit_code == 0);
    CHECK(loaded.output == place + std::string{"things.yaml: OK (3 operations)\n"});
    CHECK(check({"check", "--unsupported", "no", "things.yaml"}).exit_code == 2);

    CHECK(check({"list", "things.yaml"}).exit_code == 1);
    auto const listed = check({"list", "--unsupported", "unchecked", "things.yaml"});
    CHECK(listed.exit_code == 0);
    CHECK(listed.output.find("unchecked: things.yaml:18:32: components.schemas.n.divisibleBy: ")
          != std::string::npos);
    CHECK(listed.output.find("unchecked in responses: things.yaml:18:32: ") != std::string::npos);
    auto const json =
        check({"list", "--unsupported", "unchecked", "--format", "json", "things.yaml"});
    CHECK(json.output.find(R"("unchecked":[{"file":"things.yaml","line":18,"column":32,)")
          != std::string::npos);
    CHECK(json.output.find(R"("unchecked_in_responses":[{"file")") != std::string::npos);
}

TEST_CASE("unsupported: unchecked serves the rest of a contract, and marks what is unchecked") {
    Stage stage{{}, things_api({}), files()};
    CHECK(mark_of(stage, "POST", "7") == "true 200");  // not divisible by 2
    CHECK(mark_of(stage, "POST", "11") == "true 400"); // above the maximum
    CHECK(mark_of(stage, "PUT", "7") == "null 200");
    // Its response would be unchecked, but responses are not watched at all.
    CHECK(mark_of(stage, "GET") == "null 200");
    auto const metrics = request_admin(stage.gateway, "/metrics").body;
    CHECK(metrics.find("sallyport_contract_unchecked_places{api=\"things\"} 1\n")
          != std::string::npos);
    CHECK(request_admin(stage.gateway, "/status").body.find("\"unchecked_places\":1")
          != std::string::npos);
    stage.finish();
}

TEST_CASE("an unchecked place of a response marks requests whose responses are watched") {
    Stage stage{{}, things_api(", responses: report"), files()};
    CHECK(mark_of(stage, "GET").starts_with("true "));
    CHECK(mark_of(stage, "HEAD").starts_with("true "));
    CHECK(mark_of(stage, "PUT", "7") == "null 200");
    stage.finish();
}

} // namespace e33_unchecked
