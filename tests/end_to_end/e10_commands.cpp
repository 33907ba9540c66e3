// The command line: usage, help and version; `contract check` and `validate`.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <regex>

namespace e10_commands {

using namespace sallyport::test;

namespace {

std::string contract(std::string const& name) {
    return contracts_folder() + "/" + name + ".yaml";
}

Finished validate(std::string const& operation_id, std::string const& body,
                  std::vector<std::string> const& more = {}) {
    std::vector<std::string> arguments{"validate", "--contract", contract("management"),
                                       "--operation", operation_id};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gateway(arguments, body);
}

} // namespace

TEST_CASE("wrong usage exits with 2 and prints the usage") {
    for (auto const& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"serve"},
                                               {"run"},
                                               {"run", "--no-such-flag"},
                                               {"check"},
                                               {"check", "-c"},
                                               {"validate"},
                                               {"validate", "--contract", contract("management")},
                                               {"config"},
                                               {"config", "schema", "extra"},
                                               {"credential"},
                                               {"credential", "destroy"},
                                               {"version", "extra"}}) {
        auto const finished = run_gateway(arguments);
        CAPTURE(arguments, finished.output, finished.error);
        CHECK(finished.exit_code == 2);
        CHECK_FALSE(finished.error.empty());
        CHECK(finished.output.empty());
    }
}

TEST_CASE("each command has a help with an example") {
    auto const all = run_gateway({"--help"});
    CHECK(all.exit_code == 0);
    for (auto const& command : std::vector<std::vector<std::string>>{{"run"},
                                                                     {"check"},
                                                                     {"config"},
                                                                     {"config", "schema"},
                                                                     {"validate"},
                                                                     {"contract"},
                                                                     {"contract", "check"},
                                                                     {"contract", "resolve"},
                                                                     {"credential"},
                                                                     {"credential", "create"},
                                                                     {"credential", "hash"},
                                                                     {"credential", "list"},
                                                                     {"version"},
                                                                     {"sandbox"}}) {
        auto arguments = command;
        arguments.emplace_back("--help");
        auto const finished = run_gateway(arguments);
        CAPTURE(command, finished.output, finished.error);
        CHECK(finished.exit_code == 0);
        CHECK(finished.output.find("xample") != std::string::npos);
        CHECK(all.output.find(command[0]) != std::string::npos);
    }
}

TEST_CASE("version prints its name and a number") {
    auto const finished = run_gateway({"version"});
    CHECK(finished.exit_code == 0);
    CHECK(std::regex_search(finished.output, std::regex{"^sallyport [0-9]+\\.[0-9]+\\.[0-9]+"}));
    auto const json = Json::parse(run_gateway({"version", "--format", "json"}).output);
    CHECK_FALSE(json.text("version").empty());
}

TEST_CASE("--version, -V and help print the same as version and --help") {
    auto const version = run_gateway({"--version"});
    CHECK(version.exit_code == 0);
    CHECK(std::regex_match(version.output, std::regex{"sallyport [0-9]+\\.[0-9]+\\.[0-9]+\n"}));
    CHECK(run_gateway({"-V"}).output == version.output);
    CHECK(run_gateway({"help"}).output == run_gateway({"--help"}).output);
    auto const help = run_gateway({"help", "credential", "create"});
    CHECK(help.exit_code == 0);
    CHECK(help.output.find("Usage: sallyport credential create") != std::string::npos);
    auto const unknown = run_gateway({"help", "credential", "craete"});
    CHECK(unknown.exit_code == 2);
    CHECK(unknown.error == "\"craete\" is no command; did you mean \"create\"?\n");
}

TEST_CASE("an unknown command is reported with a suggestion") {
    for (auto const& [words, command] :
         std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"chek", "-c", "sallyport.yaml"}, "check"},
             {{"credential", "lst"}, "list"},
             {{"config", "shema"}, "schema"}}) {
        auto const finished = run_gateway(words);
        CAPTURE(words, finished.error);
        CHECK(finished.exit_code == 2);
        CHECK(finished.error.find("did you mean \"" + command + "\"?") != std::string::npos);
    }
    auto const far = run_gateway({"frobnicate"});
    CHECK(far.exit_code == 2);
    CHECK(far.error.find("write one of run, check, ") != std::string::npos);
}

TEST_CASE("contract check reports problems of a document, for people, programs and workflows") {
    auto const right =
        run_gateway({"contract", "check", contract("management"), contract("observability")});
    CAPTURE(right.output, right.error);
    CHECK(right.exit_code == 0);
    CHECK(right.output.find("management.yaml: OK (6 operations)\n") != std::string::npos);
    TemporaryFolder const folder;
    folder.write("a,b.yaml",
                 "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: { /a: { get: "
                 "{ operationId: a, parameters: [{ name: p, in: query, schema: { type: typo% } }] "
                 "} } }\n");
    auto const check = [&](std::string const& format) {
        return run_gateway({"contract", "check", "a,b.yaml", "--format", format}, {},
                           folder.path());
    };
    auto const wrong = check("text");
    CHECK(wrong.exit_code == 1);
    CHECK(wrong.output.find("a,b.yaml:3:") == 0);
    auto const json = Json::parse(check("json").output);
    CHECK_FALSE(json["ok"].boolean);
    CHECK(json["problems"][0]["line"].number == 3);
    auto const github = check("github");
    CAPTURE(github.output);
    CHECK(github.exit_code == 1);
    CHECK(github.output.find("::error file=a%2Cb.yaml,line=3,col=") == 0);
    CHECK(github.output.find("typo%25") != std::string::npos);
    CHECK(run_gateway({"contract", "check", "/no/such.yaml"}).exit_code == 1);
    CHECK(run_gateway({"contract", "check"}).exit_code == 2);
}

TEST_CASE("validate decides whether a body satisfies the contract, as the gateway would") {
    CHECK(validate("updatePipeSettings", R"({"db_max_threads":64})").exit_code == 0);
    auto const finished =
        validate("updatePipeSettings", R"({"db_max_threads":65,"db_max_insert_threads":"c4nary"})");
    CHECK(finished.exit_code == 1);
    CHECK(finished.output.find("/db_max_threads must be at most 64") != std::string::npos);
    CHECK(finished.output.find("/db_max_insert_threads") != std::string::npos);
    CHECK((finished.output + finished.error).find("c4nary") == std::string::npos);
    CHECK(validate("updatePipeSettings", "{").exit_code == 1);
    CHECK(validate("updatePipeSettings", "").exit_code == 1);
    CHECK(validate("createService", R"({"profile":"v1-default"})").exit_code == 0);
    CHECK(validate("createService", R"({"profile":"v1-default"})",
                   {"--labels", "organization_tier=SCALE"})
              .exit_code
          == 1);
    CHECK(validate("createService", R"({"maxReplicaMemoryGb":124})", {"--labels", "paid=false"})
              .exit_code
          == 1);
    CHECK(validate("createService", R"({"maxReplicaMemoryGb":124})", {"--labels", "paid=true"})
              .exit_code
          == 0);
    auto const json = Json::parse(
        validate("updatePipeSettings", R"({"db_max_threads":65})", {"--format", "json"}).output);
    CHECK(json["violations"][0].text("pointer") == "/db_max_threads");
    CHECK(json["violations"][0].text("rule_pointer") == "/properties/db_max_threads/maximum");
}

TEST_CASE("validate refuses invalid arguments and documents") {
    auto const unknown = validate("updatePipeSetting", "{}");
    CHECK(unknown.exit_code == 2);
    CHECK(unknown.error.find("updatePipeSettings") != std::string::npos); // did you mean
    CHECK(
        run_gateway({"validate", "--contract", "/no/such.yaml", "--operation", "x"}, "{}").exit_code
        == 2);
}

} // namespace e10_commands
