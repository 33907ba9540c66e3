// The program: arguments with which it does not start, its options, and that neither a stop nor a
// kill loses data.
#include "tests/support/certificates.h"
#include "tests/support/configuration.h"
#include "tests/support/gateway.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"
#include "tests/support/sandbox.h"

#include <catch2/catch.hpp>

#include <csignal>

namespace program_test {

using namespace sallyport::test;

namespace {

Finished run_sandbox(std::vector<std::string> const& arguments) {
    std::vector<std::string> whole{sandbox_program()};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    return run({whole});
}

Outgoing alerts_request() {
    return Outgoing{"GET", "/api/v2/alerts"}.authorization(bearer(sandbox::token));
}

std::string dashboard_target() {
    return "/api/v2/dashboards/" + std::string{sandbox::dashboard_id};
}

Response ask(Sandbox const& running, Outgoing const& request) {
    return fetch(running.port(), request.text(), without_tls());
}

} // namespace

TEST_CASE("invalid options are wrong usage, with exit code 2") {
    for (std::vector<std::string> const& arguments :
         std::vector<std::vector<std::string>>{{"--port", "65536"},
                                               {"--address", "localhost"},
                                               {"--seed", "-1"},
                                               {"--seed", "4294967296"},
                                               {"--tls", "one"},
                                               {"--credentials", "a", "--any-credentials"},
                                               {"--nothing"}}) {
        auto const finished = run_sandbox(arguments);
        INFO(arguments[0] << finished.error);
        CHECK(finished.exit_code == 2);
    }
}

TEST_CASE("missing or unsuitable files end it with exit code 1 and one line") {
    TemporaryFolder const folder;
    auto const letter = folder.write("letter", std::string(5000, 'a')).string();
    for (std::vector<std::string> const& arguments :
         std::vector<std::vector<std::string>>{{"--data", letter},
                                               {"--data", folder.path().string()},
                                               {"--data", (folder / "no/such").string()},
                                               {"--credentials", (folder / "none").string()},
                                               {"--credentials", letter},
                                               {"--record", (folder / "no/such").string()},
                                               {"--tls", letter, letter}}) {
        auto const finished = run_sandbox(arguments);
        INFO(arguments[0] << " " << arguments[1] << ": " << finished.error);
        CHECK(finished.exit_code == 1);
        CHECK(finished.error.find("sallyport-sandbox: ") == 0);
        CHECK(finished.error.find('\n') == finished.error.size() - 1);
        CHECK(finished.output.empty());
    }
    CHECK(read_file(letter) == std::string(5000, 'a'));
}

TEST_CASE("confirmed changes survive SIGTERM and SIGKILL") {
    TemporaryFolder const folder;
    std::vector<std::string> const data{"--data", (folder / "sandbox.db").string(), "--seed", "3"};
    std::string dashboard;
    int number = 0;
    for (int const signal : {SIGTERM, SIGKILL, SIGINT}) {
        Sandbox running{data};
        auto get = Outgoing{"GET", dashboard_target()}.authorization(bearer(sandbox::token));
        if (!dashboard.empty()) CHECK(ask(running, get).body == dashboard);
        auto put = Outgoing{"PUT", dashboard_target()}.authorization(bearer(sandbox::token));
        auto const response = ask(running, put.body(R"({"name":"N)" + std::to_string(++number)
                                                    + R"(","tiles":[{"name":"a"},{"name":"b"}]})"));
        CHECK(response.status == 200);
        dashboard = response.body;
        CHECK(running.end(signal) == (signal == SIGKILL ? 128 + SIGKILL : 0));
    }
    Sandbox const running{data};
    auto const get = Outgoing{"GET", dashboard_target()}.authorization(bearer(sandbox::token));
    CHECK(ask(running, get).body == dashboard);
    CHECK(dashboard.find("\"N3\"") != std::string::npos);
}

TEST_CASE("only the sandbox is linked with SQLite; the gateway is not") {
    auto const libraries = [](std::string const& program) {
        auto const finished = run({{find_program("ldd").string(), program}});
        REQUIRE(finished.exit_code == 0);
        return finished.output;
    };
    CHECK(libraries(sandbox_program()).find("libsqlite3") != std::string::npos);
    CHECK(libraries(gateway_program()).find("libsqlite3") == std::string::npos);
}

TEST_CASE("credentials of a file replace the documented ones") {
    TemporaryFolder const folder;
    auto const file = folder.write("credentials", "bearer another\n").string();
    Sandbox const running{{"--credentials", file}};
    CHECK(ask(running, alerts_request()).status == 401);
    CHECK(ask(running, alerts_request().authorization("Bearer another")).status == 200);
}

TEST_CASE("with --any-credentials no caller is refused") {
    Sandbox const running{{"--any-credentials"}};
    CHECK(ask(running, Outgoing{"GET", "/api/v2/alerts"}).status == 200);
}

TEST_CASE("it serves https, and records requests before it responds") {
    auto const& made = certificates();
    Sandbox const running{
        {"--tls", made.server.certificate.string(), made.server.private_key.string()}};
    auto const response = fetch(running.port(), alerts_request().text());
    CHECK(response.status == 200);
    auto const record = running.record();
    REQUIRE(record.size() == 1);
    CHECK(record[0].text("method") == "GET");
    CHECK(record[0].text("target") == "/api/v2/alerts");
}

} // namespace program_test
