// Bodies that break the contract: how many violations are reported, of which callers, and at which
// levels.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <string>

namespace e02_violations {

using namespace sallyport::test;

TEST_CASE("all violations of a body are reported together") {
    Stage stage;
    auto const response =
        stage.send(request_for("updatePipeSettings")
                       .body(R"({"db_max_threads":65,"object_storage_concurrency":0,)"
                             R"("db_parallel_view_processing":"yes"})"));
    ExpectedProblem problem;
    problem.reason = "contract_violation";
    problem.violations = {
        {"/db_max_threads", "maximum", "64", "/properties/db_max_threads/maximum", "management 2.3",
         "/db_max_threads must be at most 64"},
        {"/object_storage_concurrency", "minimum", "1",
         "/properties/object_storage_concurrency/minimum", "management 2.3",
         "/object_storage_concurrency must be at least 1"},
        {"/db_parallel_view_processing", "type", R"(["boolean","null"])",
         "/properties/db_parallel_view_processing/type", "management 2.3",
         "/db_parallel_view_processing must be a boolean or null, not a string"},
    };
    check_problem(response, problem);
    stage.finish();
}

TEST_CASE("of forty violations thirty-two are listed, and that there are more") {
    Stage stage;
    std::string roles;
    for (int number = 0; number < 40; ++number)
        roles += (number == 0 ? "" : ",") + std::string{R"("root")"};
    auto const response =
        stage.send(request_for("upsertServiceQueryEndpoint").body(R"({"roles":[)" + roles + "]}"));
    ExpectedProblem problem;
    problem.status = 400;
    problem.reason = "contract_violation";
    std::string const phrase = R"( must be "sql_console_read_only" or "sql_console_admin")";
    for (int number = 0; number < 32; ++number) {
        auto const pointer = "/roles/" + std::to_string(number);
        problem.violations.push_back(
            {pointer, "enum", R"(["sql_console_read_only","sql_console_admin"])",
             "/properties/roles/items/enum", "management 4.5", pointer + phrase});
    }
    problem.detail =
        "The request body breaks the contract: /roles/0" + phrase + " (and more than 31 more).";
    check_problem(response, problem);
    stage.finish();
}

TEST_CASE("a rule for some callers applies to those and no others") {
    Stage stage;
    auto const create = [&](Key const& key, std::string_view body) {
        return stage.send(request_for("createService").body(body).authorization(basic(key)));
    };
    CHECK(create(scale, R"({"profile":"v1-default"})").status == 400);
    CHECK(create(unpaid, R"({"profile":"v1-default"})").status == 400);
    CHECK(create(enterprise, R"({"profile":"v1-default"})").status == 200);
    CHECK(create(administrator, R"({"profile":"v1-default"})").status == 200);
    CHECK(create(unpaid, R"({"maxReplicaMemoryGb":124})").status == 400);
    CHECK(create(unpaid, R"({"maxReplicaMemoryGb":120})").status == 200);
    CHECK(create(scale, R"({"maxReplicaMemoryGb":124})").status == 200);
    CHECK(create(scale, R"({"numReplicas":1})").status == 400);
    CHECK(create(scale, R"({"numReplicas":1,"dataWarehouseId":"w"})").status == 200);
    CHECK(create(unpaid, R"({"numReplicas":1})").status == 200);
    CHECK(create(administrator, R"({"numReplicas":1})").status == 200);
    stage.finish();
}

TEST_CASE("a level decides whether a violation is refused, reported, or not checked") {
    auto const settings = request_for("updatePipeSettings").body(R"({"db_max_threads":65})");
    SECTION("report, for the API") {
        Stage stage{{}, with_management("requests: report")};
        auto const response = stage.send(settings);
        CHECK(response.status == 200);
        auto const line = stage.log_of(response);
        CHECK(line["reason"].is_null());
        REQUIRE(line["violations"].items.size() == 1);
        CHECK(line["violations"][0].text("level") == "report");
        CHECK(line["violations"][0].text("rule_pointer") == "/properties/db_max_threads/maximum");
        // Rules that are not part of a schema are enforced nevertheless.
        CHECK(stage.send(request_for("updatePipeSettings").body("{")).status == 400);
        stage.finish();
    }
    SECTION("off, for the API") {
        Stage stage{{}, with_management("requests: off")};
        auto const response = stage.send(settings);
        CHECK(response.status == 200);
        CHECK(stage.log_of(response)["violations"].items.empty());
        CHECK(stage.send(request_for("updatePipeSettings").body("{\"a\":1,\"a\":2}")).status
              == 400);
        stage.finish();
    }
    SECTION("report, for one rule: the others still refuse") {
        Stage stage{{},
                    with_management("rules: [ { operation: createService, rule: "
                                    "\"/properties/ipAccessList/type\", level: report } ]")};
        auto const create = [&](std::string_view body) {
            return stage.send(request_for("createService").body(body));
        };
        CHECK(create(R"({"ipAccessList":null})").status == 200);
        CHECK(create(R"({"ipAccessList":null,"numReplicas":21})").status == 400);
        CHECK(create(R"({"ipAccessList":[7]})").status == 400);
        stage.finish();
    }
    SECTION("report, for one operation") {
        Stage stage{{},
                    with_management("rules: [ { operation: updatePipeSettings, level: report } ]")};
        CHECK(stage.send(settings).status == 200);
        CHECK(stage.send(request_for("createService").body(R"({"numReplicas":21})")).status == 400);
        stage.finish();
    }
}

} // namespace e02_violations
