// Overlays: `contract resolve` and `contract check --overlay`, and a gateway whose contract has
// them.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <filesystem>

namespace e10_overlays {

using namespace sallyport::test;

namespace {

constexpr auto things = R"(openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things/v1/thing:
    get:
      operationId: getThing
      responses: { "200": { description: It } }
    post:
      operationId: addThing
      description: |
        # Adds one.

        And no more.
      requestBody:
        required: true
        content: { application/json: { schema: { type: integer, maximum: 10 } } }
      responses: { "200": { description: Added } }
)";

std::string overlay(std::string const& actions) {
    return "overlay: 1.1.0\ninfo: { title: Ours, version: '1' }\nactions:\n" + actions;
}

std::string const without_get =
    overlay("  - { target: \"$.paths['/things/v1/thing'].get\", remove: true }\n");
std::string const with_delete = overlay("  - target: $.paths['/things/v1/thing']\n"
                                        "    update: { delete: { operationId: deleteThing } }\n");
std::string const lower_maximum = overlay("  - target: $..[?@.maximum]\n"
                                          "    update: { maximum: 5 }\n");

struct Files {
    TemporaryFolder folder;
    Files() {
        folder.write("things.yaml", things);
        folder.write("a.overlay.yaml", without_get);
        folder.write("b.overlay.yaml", with_delete);
    }
    [[nodiscard]] Finished run(std::vector<std::string> const& arguments) const {
        return run_gateway(arguments, {}, folder.path());
    }
};

} // namespace

TEST_CASE("contract resolve prints a document with its overlays, which is the same contract") {
    Files const files;
    auto const plain = files.run({"contract", "resolve", "things.yaml"});
    CAPTURE(plain.output, plain.error);
    CHECK(plain.exit_code == 0);
    CHECK(plain.error.empty());
    CHECK(plain.output.find("      description: |\n        # Adds one.\n\n        And no more.\n")
          != std::string::npos);
    auto const both = files.run({"contract", "resolve", "things.yaml", "--overlay",
                                 "a.overlay.yaml", "--overlay", "b.overlay.yaml"});
    CHECK(both.exit_code == 0);
    CHECK(both.error.empty());
    CHECK(both.output.find("getThing") == std::string::npos);
    CHECK(both.output.find("    delete:\n      operationId: deleteThing\n") != std::string::npos);
    // What it prints is read as the same document.
    files.folder.write("again.yaml", both.output);
    CHECK(files.run({"contract", "resolve", "again.yaml"}).output == both.output);
    CHECK(files.run({"contract", "check", "again.yaml"}).output
          == "again.yaml: OK (2 operations)\n");
}

TEST_CASE("contract resolve and contract check name the place of a problem in an overlay") {
    Files const files;
    files.folder.write("c.overlay.yaml", overlay("  - { target: $.nothing, remove: true }\n"
                                                 "  - target: $.paths['/things/v1/thing'].get\n"
                                                 "    update: { x-retry: sometimes }\n"));
    std::string const warning = "c.overlay.yaml:4:15: warning: actions[0].target: matches nothing "
                                "in things.yaml; correct it, or remove the action\n";
    auto const resolved =
        files.run({"contract", "resolve", "things.yaml", "--overlay", "c.overlay.yaml"});
    CHECK(resolved.exit_code == 0);
    CHECK(resolved.error == warning);
    CHECK(resolved.output.find("x-retry: sometimes") != std::string::npos);
    auto const checked =
        files.run({"contract", "check", "things.yaml", "--overlay", "c.overlay.yaml"});
    CAPTURE(checked.output);
    CHECK(checked.exit_code == 1);
    CHECK(checked.output.find(warning) == 0);
    CHECK(checked.output.find("c.overlay.yaml:6:24: paths[\"/things/v1/thing\"].get.x-retry: ")
          != std::string::npos);

    files.folder.write("d.overlay.yaml", overlay("  - { target: paths, remove: true }\n"));
    auto const refused =
        files.run({"contract", "resolve", "things.yaml", "--overlay", "d.overlay.yaml"});
    CHECK(refused.exit_code == 1);
    CHECK(refused.output.empty());
    CHECK(refused.error.find("d.overlay.yaml:4:15: actions[0].target: is no JSONPath (RFC 9535)")
          == 0);
    auto const missing =
        files.run({"contract", "resolve", "things.yaml", "--overlay", "none.yaml"});
    CHECK(missing.exit_code == 1);
    CHECK(missing.error.find("none.yaml: cannot be read: ") == 0);
    CHECK(files.run({"contract", "resolve", "none.yaml"}).exit_code == 1);
    CHECK(files.run({"contract", "resolve"}).exit_code == 2);
    auto const misspelt = files.run({"contract", "resolv", "things.yaml"});
    CHECK(misspelt.exit_code == 2);
    CHECK(misspelt.error == "\"resolv\" is no command; did you mean \"resolve\"?\n");
    CHECK(files.run({"contract", "resolve", "--help"}).output.find("Example:")
          != std::string::npos);
}

TEST_CASE("the overlays of an API change its contract, and a change of one is applied") {
    Gateway::Options options;
    options.files = {
        {"things.yaml", things}, {"a.overlay.yaml", without_get}, {"b.overlay.yaml", with_delete}};
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis +=
                        "  things: { contract: things.yaml, overlays: [a.overlay.yaml, "
                        "b.overlay.yaml], upstream: management, authenticate: [basic] }\n";
                },
                options};
    auto const status_of = [&](std::string_view method, std::string_view body = {}) {
        Outgoing request{method, "/things/v1/thing"};
        request.authorization(basic(administrator));
        if (!body.empty()) request.body(std::string{body}, "application/json");
        return stage.send(request).status;
    };
    CHECK(status_of("GET") == 405);
    CHECK(status_of("DELETE") == 200);
    CHECK(status_of("POST", "10") == 200);

    stage.gateway.replace("a.overlay.yaml", lower_maximum);
    stage.gateway.wait_for_reloads(1);
    CHECK(status_of("GET") == 200);
    CHECK(status_of("POST", "10") == 400);
    CHECK(status_of("POST", "5") == 200);

    // A faulty or missing overlay changes nothing.
    stage.gateway.replace("b.overlay.yaml", overlay("  - { target: $, remove: true }\n"));
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(status_of("DELETE") == 200);
    std::filesystem::remove(stage.gateway.folder() / "b.overlay.yaml");
    stage.gateway.wait_for_rejected_reloads(2);
    CHECK(status_of("DELETE") == 200);
    stage.gateway.replace("b.overlay.yaml", without_get);
    stage.gateway.wait_for_reloads(2);
    CHECK(status_of("GET") == 405);
    CHECK(status_of("DELETE") == 405);
    CHECK(status_of("POST", "10") == 400);
    stage.finish();
}

} // namespace e10_overlays
