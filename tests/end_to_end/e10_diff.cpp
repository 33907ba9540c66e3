// `contract diff`: formats, overlays and exit codes.
#include "tests/end_to_end/stage.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

namespace e10_diff {

using namespace sallyport::test;

namespace {

constexpr auto things = R"(openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { maximum: 10, pattern: "a|b" } } } }
)";

std::string overlay(std::string const& actions) {
    return "overlay: 1.1.0\ninfo: { title: Ours, version: '1' }\nactions:\n" + actions;
}

struct Files {
    TemporaryFolder folder;
    Files() {
        folder.write("things.yaml", things);
        folder.write("lower.overlay.yaml",
                     overlay("  - { target: '$..[?@.maximum]', update: { maximum: 5 } }\n"));
        folder.write("none.yaml", "openapi: 3.1.0\n");
    }
    [[nodiscard]] Finished diff(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"contract", "diff"});
        return run_gateway(arguments, {}, folder.path());
    }
};

constexpr auto where = "/paths/~1things/post/requestBody/content/application~1json/schema/maximum";

} // namespace

TEST_CASE("contract diff says what is stricter and what is looser, with exit codes for scripts") {
    Files const files;
    auto const same = files.diff({"things.yaml", "things.yaml"});
    CHECK(same.exit_code == 0);
    CHECK(same.output == "no changes\n");
    auto const stricter =
        files.diff({"things.yaml", "things.yaml", "--new-overlay", "lower.overlay.yaml"});
    CHECK(stricter.exit_code == 1);
    CHECK(stricter.output
          == "stricter  addThing (POST /things): " + std::string{where}
                 + ": maximum: 10 -> 5\n1 stricter, 0 looser, 0 neutral\n");
    auto const looser =
        files.diff({"things.yaml", "things.yaml", "--old-overlay", "lower.overlay.yaml"});
    CHECK(looser.exit_code == 0);
    CHECK(looser.output.find("looser    addThing (POST /things): ") == 0);
    CHECK(looser.output.find("maximum: 5 -> 10\n0 stricter, 1 looser, 0 neutral\n")
          != std::string::npos);
}

TEST_CASE("contract diff prints JSON and Markdown") {
    Files const files;
    auto const with = [&](char const* format) {
        return files.diff({"things.yaml", "things.yaml", "--new-overlay", "lower.overlay.yaml",
                           "--format", format});
    };
    auto const json = with("json");
    CHECK(json.exit_code == 1);
    CHECK(json.output
          == "{\"stricter\":1,\"looser\":0,\"neutral\":0,\"changes\":[{\"class\":\"stricter\","
             "\"undecided\":false,\"part\":\"request\",\"operation\":\"addThing\",\"method\":"
             "\"POST\",\"path\":\"/things\",\"where\":\""
                 + std::string{where}
                 + "\",\"what\":\"maximum\",\"other_operations\":[],\"in_responses_of\":[],"
                   "\"old\":\"10\",\"new\":\"5\"}]}\n");
    auto const table = with("markdown");
    CHECK(table.exit_code == 1);
    CHECK(table.output
          == "1 stricter, 0 looser, 0 neutral\n\n| class | operation | where | what | old | new |\n"
             "|---|---|---|---|---|---|\n| stricter | `addThing (POST /things)` | `"
                 + std::string{where} + "` | maximum | `10` | `5` |\n");
    // A bar in a value ends no cell, and what is undecided says so.
    files.folder.write("other.overlay.yaml",
                       overlay("  - { target: '$..[?@.maximum]', update: { pattern: 'a|c' } }\n"));
    auto const bars = files.diff({"things.yaml", "things.yaml", "--new-overlay",
                                  "other.overlay.yaml", "--format", "markdown"});
    CHECK(bars.output.find("| pattern (undecided) | `\"a\\|b\"` | `\"a\\|c\"` |")
          != std::string::npos);
    CHECK(with("yaml").exit_code == 2);
}

TEST_CASE("contract diff compares nothing if a document does not load") {
    Files const files;
    for (auto const& arguments : std::vector<std::vector<std::string>>{
             {"none.yaml", "things.yaml"}, {"things.yaml", "none.yaml"}}) {
        auto const refused = files.diff(arguments);
        CHECK(refused.exit_code == 2);
        CHECK(refused.output.empty());
        CHECK(refused.error.find("none.yaml:1:1: paths: ") == 0);
    }
    CHECK(files.diff({"things.yaml"}).exit_code == 2);
    CHECK(files.diff({"--help"}).output.find("Examples:") != std::string::npos);
}

} // namespace e10_diff
