// A configuration in several files: served as one, checked with its places, and read again when a
// file of an included folder is added, changed or removed.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

namespace e31_included_files {

using namespace sallyport::test;

namespace {

// An API without a contract at an upstream of the standard configuration.
std::string team(std::string_view name) {
    return "apis:\n  " + std::string{name} + ": { paths: [\"/" + std::string{name}
           + "/\"], upstream: management, authenticate: [anonymous] }\n";
}

struct Split {
    Split()
        : stage{{},
                [](Configuration& configuration) {
                    configuration.rest += "include: [teams/*.yaml]\n" + std::string{admin_section};
                },
                {.files = {{"teams/payments.yaml", team("payments")}}}} {}

    Stage stage;

    [[nodiscard]] int status_of(std::string_view target) const {
        return stage.send(Outgoing{"GET", target}).status;
    }
    // Without the folder of the configuration.
    [[nodiscard]] std::string shown(Json const& problem) const {
        auto const folder = stage.gateway.folder().string() + '/';
        auto text = problem.string;
        for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
            text.erase(at, folder.size());
        return text;
    }
    [[nodiscard]] std::vector<Json> problems() const {
        auto const page = Json::parse(request_admin(stage.gateway, "/status").body);
        return page["configuration"]["last_attempt"]["problems"].items;
    }
};

std::string const valid_part = "limits: { fields: 90 }\n";

} // namespace

TEST_CASE("a file that is renamed into an included folder is served, and its removal ends that") {
    Split split;
    CHECK(split.status_of("/payments/1") == 200);
    CHECK(split.status_of("/search/1") == 403);
    split.stage.gateway.replace("teams/search.yaml", team("search"));
    split.stage.gateway.wait_for_reloads(1);
    CHECK(split.status_of("/search/1") == 200);
    CHECK(split.status_of("/payments/1") == 200);

    std::filesystem::remove(split.stage.gateway.folder() / "teams/payments.yaml");
    split.stage.gateway.wait_for_reloads(2);
    CHECK(split.status_of("/payments/1") == 403);
    CHECK(split.status_of("/search/1") == 200);

    split.stage.gateway.replace("teams/search.yaml", team("find"));
    split.stage.gateway.wait_for_reloads(3);
    CHECK(split.status_of("/find/1") == 200);
    CHECK(split.status_of("/search/1") == 403);
    split.stage.finish();
}

TEST_CASE("a broken file changes nothing, and /status names it with its line until it is mended") {
    Split split;
    split.stage.gateway.replace("teams/search.yaml", team("search") + "drain: soon\n");
    split.stage.gateway.wait_for_rejected_reloads(1);
    auto problems = split.problems();
    REQUIRE(problems.size() == 1);
    CHECK(split.shown(problems[0])
              .starts_with("teams/search.yaml:3:8: drain: \"soon\" is not a duration"));

    // One that does not parse, beside one that does.
    split.stage.gateway.replace("teams/search.yaml", "apis: {\n");
    split.stage.gateway.wait_for_rejected_reloads(2);
    problems = split.problems();
    REQUIRE(problems.size() == 1);
    CHECK(split.shown(problems[0]).starts_with("teams/search.yaml:2:1: "));
    CHECK(split.status_of("/payments/1") == 200);
    CHECK(split.status_of("/search/1") == 403);

    split.stage.gateway.replace("teams/search.yaml", team("search"));
    split.stage.gateway.wait_for_reloads(1);
    CHECK(split.problems().empty());
    CHECK(split.status_of("/search/1") == 200);
    split.stage.finish();
}

TEST_CASE("two files with the same API are rejected, and the running gateway is still found") {
    Split split;
    split.stage.gateway.replace("teams/search.yaml", "\n" + team("payments"));
    split.stage.gateway.wait_for_rejected_reloads(1);
    auto const problems = split.problems();
    REQUIRE(problems.size() == 1);
    CHECK(split.shown(problems[0])
          == "teams/search.yaml:3:3: apis.payments: given twice, first in teams/payments.yaml:2; "
             "keep one of them");
    // The admin listener is in the main file, which is not the one that is broken.
    split.stage.gateway.replace("teams/search.yaml", "apis: {\n");
    split.stage.gateway.wait_for_rejected_reloads(2);
    auto const folder = split.stage.gateway.folder();
    auto const text =
        replaced(read_file(folder / "sallyport.yaml"), "127.0.0.1:0 }",
                 "127.0.0.1:" + std::to_string(split.stage.gateway.admin_port()) + " }");
    std::ofstream{folder / "found.yaml"} << text;
    auto const reload = run_gateway({"reload", "-c", "found.yaml"}, {}, folder);
    CAPTURE(reload.output, reload.error);
    CHECK(reload.exit_code == 1);
    CHECK(reload.output.find("teams/search.yaml:2:1: ") != std::string::npos);
    split.stage.finish();
}

TEST_CASE("every form of check names the included file and its line") {
    TemporaryFolder const folder;
    folder.write("sallyport.yaml",
                 "include: [\"teams/*.yaml\"]\n"
                 "listeners: [{ name: public, address: 127.0.0.1:0, tls: off }]\n"
                 "upstreams: { management: { endpoints: [\"http://127.0.0.1:1\"] } }\n");
    folder.write("teams/payments.yaml", team("payments") + valid_part);
    auto const check = [&](std::vector<std::string> const& more, std::string_view input = {}) {
        std::vector<std::string> arguments{"check"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_gateway(arguments, input, folder.path());
    };
    for (std::string const with : {"--format=text", "--offline"}) {
        auto const whole = check({"-c", "sallyport.yaml", with});
        CAPTURE(whole.output);
        CHECK(whole.exit_code == 0);
        CHECK(whole.output.find("1 listener, 1 upstream, 1 API)") != std::string::npos);
    }
    folder.write("teams/search.yaml", "limits: { head: 1KB }\n");
    constexpr auto twice = "teams/search.yaml:1:1: limits: given twice, first in "
                           "teams/payments.yaml:3; keep one of them\n";
    for (std::string const with : {"--format=text", "--offline"}) {
        auto const broken = check({"-c", "sallyport.yaml", with});
        CHECK(broken.exit_code == 1);
        CHECK(broken.output.find(twice) == 0);
    }
    auto const github = check({"-c", "sallyport.yaml", "--format", "github"});
    CAPTURE(github.output);
    CHECK(github.exit_code == 1);
    CHECK(github.output.starts_with("::error file=teams/search.yaml,line=1,col=1"));
    // Standard input has the working directory for a folder.
    auto const input = check({"-c", "-"}, read_file(folder / "sallyport.yaml"));
    CHECK(input.exit_code == 1);
    CHECK(input.output == twice);
}

} // namespace e31_included_files
