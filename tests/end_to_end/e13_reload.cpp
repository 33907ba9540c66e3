// Reloading: files change while the gateway runs; no request is lost, or checked by an incomplete
// configuration.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <vector>

#include <poll.h>

namespace e13_reload {

using namespace sallyport::test;

namespace {

std::string without(std::string text, std::string_view entry) {
    auto const begin = text.find(std::string{"  - name: "} + std::string{entry} + "\n");
    REQUIRE(begin != std::string::npos);
    auto const end = text.find("  - name: ", begin + 1);
    return text.erase(begin, end - begin);
}

std::string configuration_of(Stage const& stage) {
    return read_file(stage.gateway.folder() / "sallyport.yaml");
}

int status_for(Stage const& stage, Key const& key) {
    return stage.send(request_for("getPipe").authorization(basic(key))).status;
}

} // namespace

TEST_CASE("a credential removed from the file is refused afterwards, without a signal") {
    Stage stage;
    CHECK(status_for(stage, scale) == 200);
    stage.gateway.replace("credentials.yaml", without(standard_credentials(), "scale"));
    stage.gateway.wait_for_reloads(1);
    CHECK(status_for(stage, scale) == 401);
    CHECK(status_for(stage, enterprise) == 200);
    stage.finish();
}

TEST_CASE(
    "an invalid configuration changes nothing, and its problems are reported with their places") {
    Stage stage;
    auto const good = configuration_of(stage);
    stage.gateway.replace("sallyport.yaml", good + "limits_: {}\nworkers: none\n");
    stage.gateway.wait_for_rejected_reloads(1);
    auto const output = stage.gateway.standard_error();
    CHECK(output.find("sallyport.yaml:") != std::string::npos);
    CHECK(output.find("limits_") != std::string::npos);
    auto const response = stage.send(request_for("getPipe"));
    CHECK(response.status == 200);
    CHECK(stage.log_of(response)["generation"].number == 1);

    stage.gateway.replace("sallyport.yaml", good);
    stage.gateway.wait_for_reloads(1);
    CHECK(stage.log_of(stage.send(request_for("getPipe")))["generation"].number == 2);
    stage.finish();
}

TEST_CASE("a missing file is noticed when it is created, even if it never existed") {
    Stage stage;
    auto const good = configuration_of(stage);
    auto const before = std::string{"credentials: { file: "};
    auto const at = good.find(before);
    REQUIRE(at != std::string::npos);
    auto const end = good.find('}', at);
    auto const changed = good.substr(0, at) + before + "others.yaml " + good.substr(end);
    stage.gateway.replace("sallyport.yaml", changed);
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(status_for(stage, scale) == 200);
    stage.gateway.replace("others.yaml", without(standard_credentials(), "scale"));
    stage.gateway.wait_for_reloads(1);
    CHECK(status_for(stage, scale) == 401);
    stage.finish();
}

TEST_CASE("a file beside a contract that it refers to is one of its files") {
    constexpr auto contract = R"(openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things/v1/thing: { $ref: paths/thing.yaml }
)";
    constexpr auto path = R"(post:
  operationId: addThing
  requestBody: { required: true, content: { application/json: { schema: { $ref: ../thing.json } } } }
  responses: { "200": { description: Added } }
)";
    Gateway::Options options;
    options.files = {{"contracts/things.yaml", contract},
                     {"contracts/paths/thing.yaml", path},
                     {"contracts/thing.json", R"({"type": "integer"})"}};
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis += "  things: { contract: contracts/things.yaml, upstream: "
                                          "management, authenticate: [basic] }\n";
                },
                options};
    auto const status_of = [&](std::string_view body) {
        return stage
            .send(Outgoing{"POST", "/things/v1/thing"}
                      .authorization(basic(administrator))
                      .body(std::string{body}, "application/json"))
            .status;
    };
    CHECK(status_of("\"text\"") == 400);
    CHECK(status_of("1") == 200);
    stage.gateway.replace("contracts/thing.json", R"({"type": "string"})");
    stage.gateway.wait_for_reloads(1);
    CHECK(status_of("1") == 400);
    CHECK(status_of("\"text\"") == 200);
    std::filesystem::remove(stage.gateway.folder() / "contracts/thing.json");
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(status_of("\"text\"") == 200);
    stage.gateway.replace("contracts/thing.json", R"({"type": "boolean"})");
    stage.gateway.wait_for_reloads(2);
    CHECK(status_of("true") == 200);
    stage.finish();
}

TEST_CASE("a schema that a contract refers to is one of its files, and may come later") {
    constexpr auto contract = R"(openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things/v1/thing:
    post:
      operationId: addThing
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "https://schemas.example.test/deep/thing.json" }
      responses: { "200": { description: Added } }
)";
    Gateway::Options options;
    options.files = {{"things.yaml", contract},
                     {"schemas/deep/thing.json", R"({"type": "integer"})"}};
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis += "  things: { contract: things.yaml, schemas: schemas, "
                                          "upstream: management, authenticate: [basic] }\n";
                },
                options};
    auto const status_of = [&](std::string_view body) {
        return stage
            .send(Outgoing{"POST", "/things/v1/thing"}
                      .authorization(basic(administrator))
                      .body(std::string{body}, "application/json"))
            .status;
    };
    CHECK(status_of("\"text\"") == 400);
    CHECK(status_of("1") == 200);
    stage.gateway.replace("schemas/deep/thing.json", R"({"type": "string"})");
    stage.gateway.wait_for_reloads(1);
    CHECK(status_of("1") == 400);
    CHECK(status_of("\"text\"") == 200);

    auto const folder = stage.gateway.folder() / "schemas/deep";
    std::filesystem::remove(folder / "thing.json");
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(status_of("\"text\"") == 200);
    stage.gateway.replace("schemas/deep/thing.json", R"({"type": "boolean"})");
    stage.gateway.wait_for_reloads(2);
    CHECK(status_of("\"text\"") == 400);
    CHECK(status_of("true") == 200);
    stage.finish();
}

TEST_CASE("SIGHUP reads everything again, and open connections use the new configuration") {
    Stage stage;
    RawClient client{stage.port()};
    auto const first = client.exchange(request_for("getPipe").text());
    CHECK(stage.log_of(first)["generation"].number == 1);
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(1);
    auto const second = client.exchange(request_for("getPipe").text());
    CHECK(stage.log_of(second)["generation"].number == 2);
    // Connections to an upstream that has not changed are kept.
    CHECK(stage.upstream.connections() == 1);
    stage.finish();
}

TEST_CASE("a request keeps the configuration that it began with, to its end") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(response_text("\"old\""));
    }};
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    stage.gateway.replace("sallyport.yaml", configuration_of(stage) + "\nlimits: { fields: 90 }\n");
    stage.gateway.wait_for_reloads(1);
    stage.upstream.respond_with({});
    CHECK(stage.log_of(stage.send(request_for("getPipe")))["generation"].number == 2);
    gate.set();
    auto const response = running.read_response();
    CHECK(response.body == "\"old\"");
    CHECK(stage.log_of(response)["generation"].number == 1);
    stage.finish();
}

TEST_CASE("a folder that is replaced by a link, as orchestrators do, is a change") {
    TemporaryFolder mount;
    mount.write("first/credentials.yaml", standard_credentials());
    mount.write("second/credentials.yaml", without(standard_credentials(), "scale"));
    std::filesystem::create_directory_symlink("first", mount / "data");
    std::filesystem::create_symlink("data/credentials.yaml", mount / "credentials.yaml");
    Stage stage;
    auto const good = configuration_of(stage);
    stage.gateway.replace("sallyport.yaml", replaced(good, "credentials.yaml",
                                                     (mount / "credentials.yaml").string()));
    stage.gateway.wait_for_reloads(1);
    CHECK(status_for(stage, scale) == 200);
    std::filesystem::create_directory_symlink("second", mount / "next");
    std::filesystem::rename(mount / "next", mount / "data");
    stage.gateway.wait_for_reloads(2);
    CHECK(status_for(stage, scale) == 401);
    stage.finish();
}

TEST_CASE("a truncated file that is open is not loaded, not even on request, but once closed") {
    Stage stage;
    auto const whole = standard_credentials();
    auto const at = whole.find("expires:");
    REQUIRE(at != std::string::npos);
    // Valid although truncated: the entry does not expire any more.
    std::ofstream file{stage.gateway.folder() / "credentials.yaml", std::ios::trunc};
    file << whole.substr(0, whole.rfind('\n', at) + 1) << std::flush;
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_rejected_reloads(1);
    // At the key that names the file.
    auto const contains = [](std::string const& text, std::string const& what) {
        return std::regex_search(
            text, std::regex{R"(sallyport\.yaml:[0-9]+:[0-9]+: credentials\.file: [^\n]*)"
                             R"(credentials\.yaml: is still being written)"
                             + what});
    };
    CHECK(contains(stage.gateway.standard_error(), ", or has just been"));
    CHECK(status_for(stage, expired_key) == 401);
    // Nor does a gateway start with it.
    auto const second = run_gateway({"run", "sallyport.yaml"}, {}, stage.gateway.folder());
    CHECK(second.exit_code == 1);
    CHECK(contains(second.error, ": a program has it open"));
    file << whole.substr(whole.rfind('\n', at) + 1);
    file.close();
    stage.gateway.wait_for_reloads(1);
    CHECK(status_for(stage, expired_key) == 401);
    CHECK(status_for(stage, scale) == 200);
    stage.finish();
}

TEST_CASE("sallyport reload waits for the result, prints the problems, and fails with it") {
    Stage stage{{}, [](Configuration& configuration) { configuration.rest += admin_section; }};
    auto const address = "127.0.0.1:" + std::to_string(stage.gateway.admin_port());
    auto const good = configuration_of(stage);
    auto const first = run_gateway({"reload", "--address", address});
    CAPTURE(first.output, first.error);
    CHECK(first.exit_code == 0);
    CHECK(first.output == "reloaded: generation 2\n");

    stage.gateway.replace("sallyport.yaml", good + "wrong: 1\n");
    auto const rejected = run_gateway({"reload", "--address", address});
    CHECK(rejected.exit_code == 1);
    CHECK(rejected.output.find("wrong: unknown key") != std::string::npos);
    CHECK(rejected.output.find("rejected: still serving generation 2\n") != std::string::npos);
    auto const json = run_gateway({"reload", "--address", address, "--format", "json", "--pid",
                                   std::to_string(stage.gateway.id())});
    CHECK(json.exit_code == 1);
    CHECK_FALSE(Json::parse(json.output)["adopted"].boolean);

    // Processes that are not gateways are not signalled, whatever the listener reports.
    Process const bystander{{{"/bin/sleep", "600"}, {}, {}}, {}};
    auto const other =
        run_gateway({"reload", "--address", address, "--pid", std::to_string(bystander.id())});
    CHECK(other.exit_code == 1);
    CHECK(other.error.find("is no gateway") != std::string::npos);
    pollfd ended{bystander.descriptor(), POLLIN, 0};
    CHECK(::poll(&ended, 1, 0) == 0);
    auto const no_gateway = run_gateway({"reload", "--address", "127.0.0.1:1"});
    CHECK(no_gateway.exit_code == 1);
    CHECK(no_gateway.error.find("the gateway does not respond") != std::string::npos);
    stage.finish();
}

TEST_CASE("with `reload: on_signal` a change waits for a request") {
    Stage other;
    auto const credentials = (other.gateway.folder() / "credentials.yaml").string();
    Stage stage{{}, [](Configuration& configuration) { configuration.rest += admin_section; }};
    stage.gateway.replace("sallyport.yaml",
                          replaced(configuration_of(stage), "credentials.yaml", credentials)
                              + "reload: on_signal\n");
    stage.gateway.wait_for_reloads(1);
    other.gateway.replace("credentials.yaml", without(standard_credentials(), "scale"));
    other.gateway.wait_for_reloads(1);
    CHECK(status_for(stage, scale) == 200);
    auto const address = "127.0.0.1:" + std::to_string(stage.gateway.admin_port());
    auto const requested = run_gateway({"reload", "--address", address});
    CHECK(requested.output == "reloaded: generation 3\n");
    CHECK(status_for(stage, scale) == 401);
    stage.finish();
    other.finish();
}

TEST_CASE("a reload changes the share of body memory of one caller") {
    // Four of these bodies take the whole, which is no limit: three of them all but a reserve.
    Stage stage{{}, with_limits("buffered_bodies: 1MiB\n  buffered_bodies_per_caller: 1MiB")};
    std::string const body(200'000, 'x');
    auto const request = request_for("updatePipeSettings").body(body);
    std::vector<std::unique_ptr<RawClient>> clients;
    auto const begin = [&] {
        clients.push_back(std::make_unique<RawClient>(stage.port()));
        clients.back()->try_send(request.head() + body.substr(0, body.size() - 1));
    };
    for (int i = 0; i < 3; ++i)
        begin();
    // Each of them waits for its last byte.
    CHECK(clients[2]->is_silent_for(std::chrono::milliseconds{200}));
    stage.gateway.replace("sallyport.yaml", replaced(configuration_of(stage), "per_caller: 1MiB",
                                                     "per_caller: 64KiB"));
    stage.gateway.wait_for_reloads(1);
    begin();
    CHECK(clients[3]->read_response().status == 503);
    // Bytes that are held already stay reserved.
    for (std::size_t i = 0; i < 3; ++i) {
        clients[i]->send(body.substr(body.size() - 1));
        CHECK(clients[i]->read_response().status == 400);
    }
    stage.finish();
}

TEST_CASE("settings that need a restart are reported when they change, each key by its name") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.access_log = "  output: access.log\n  buffer: 1MiB\n";
                }};
    auto const original = configuration_of(stage);
    auto const warnings = [&stage](std::string_view key) {
        return count_of(" warning restart_required key=" + std::string{key} + "\n",
                        stage.gateway.standard_error());
    };
    struct Row {
        std::string_view key;
        std::string_view from;
        std::string_view to;
    };
    std::size_t reloads = 0;
    for (Row const& row : {Row{"workers", "workers: 1\n", "workers: 2\n"},
                           {"access_log.output", "output: access.log\n", "output: other.log\n"},
                           {"access_log.buffer", "buffer: 1MiB\n", "buffer: 2MiB\n"}}) {
        CAPTURE(row.key);
        stage.gateway.replace("sallyport.yaml", replaced(original, row.from, row.to));
        stage.gateway.wait_for_reloads(++reloads);
        CHECK(warnings(row.key) == 1);
        CHECK(count_of(" restart_required ", stage.gateway.standard_error()) == reloads);
    }
    // Nothing is reported for unchanged settings and those that are adopted at once.
    stage.gateway.replace("sallyport.yaml", replaced(original, "buffer: 1MiB\n",
                                                     "buffer: 1024KiB\n  when_full: refuse\n"));
    stage.gateway.wait_for_reloads(++reloads);
    CHECK(count_of(" restart_required ", stage.gateway.standard_error()) == 3);
    CHECK(status_for(stage, enterprise) == 200);
    CHECK_FALSE(std::filesystem::exists(stage.gateway.folder() / "other.log"));
    stage.finish();
}

TEST_CASE("with `log: { format: json }` each line of the control log is a JSON object") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.rest += "log: { format: json }\n";
                    configuration.upstreams =
                        upstream_yaml("management", "http://127.0.0.1:1")
                        + upstream_yaml("observability", "http://127.0.0.1:1");
                }};
    // Throws for any other line.
    auto const events = [&stage] {
        std::vector<Json> parsed;
        std::istringstream lines{stage.gateway.standard_error()};
        for (std::string line; std::getline(lines, line) && !lines.eof();) {
            parsed.push_back(Json::parse(line));
            auto const names = parsed.back().names();
            REQUIRE(names.size() >= 3);
            CHECK(std::vector(names.begin(), names.begin() + 3)
                  == std::vector<std::string>{"time", "level", "event"});
        }
        return parsed;
    };
    auto const wait_for = [&](std::string_view event) {
        Json found;
        stage.gateway.wait_for_error_output([&](std::string const&) {
            for (auto const& one : events())
                if (one.text("event") == event) found = one;
            return !found.is_null();
        });
        return found;
    };
    CHECK(wait_for("ready").text("level") == "info");
    CHECK(status_for(stage, enterprise) == 502);
    auto const original = configuration_of(stage);
    stage.gateway.replace("sallyport.yaml", original + "\"odd \\\"\\u001b key\": 1\n");
    CHECK(wait_for("reload_rejected").text("level") == "error");
    auto const problem = wait_for("reload_problem");
    CHECK(problem.text("level") == "error");
    CHECK(problem.text("problem").find("unknown key") != std::string::npos);
    stage.gateway.replace("sallyport.yaml", replaced(original, "workers: 1\n", "workers: 2\n"));
    CHECK(wait_for("restart_required").text("key") == "workers");
    CHECK(wait_for("reloaded").text("generation") == "2");
    // A gateway that cannot start reports it in the same format.
    auto const port = std::to_string(stage.gateway.port());
    auto const folder = stage.gateway.folder();
    std::ofstream{folder / "second.yaml"} << replaced(original, "127.0.0.1:0", "127.0.0.1:" + port);
    auto const second = run_gateway({"run", "second.yaml"}, {}, folder);
    CHECK(second.exit_code == 1);
    CHECK(Json::parse(second.error).text("event") == "listener_not_opened");
    stage.gateway.signal(SIGTERM);
    CHECK(stage.gateway.wait_for_exit() == 0);
    CHECK(wait_for("draining").text("level") == "info");
    CHECK(events().back().text("event") == "ended");
}

TEST_CASE("many reloads under load lose no request and refuse none") {
    Stage stage{{}, [](Configuration& configuration) { configuration.workers = "2"; }};
    std::atomic<bool> done{false};
    std::atomic<int> good{0};
    std::vector<std::future<void>> clients;
    for (int number = 0; number < 2; ++number)
        clients.push_back(std::async(std::launch::async, [&] {
            RawClient client{stage.port()};
            while (!done) {
                auto const response = client.exchange(request_for("updatePipeSettings").text());
                if (response.status != 200) throw std::runtime_error(response.body);
                ++good;
            }
        }));
    constexpr std::size_t reloads = 10;
    for (std::size_t number = 1; number <= reloads; ++number) {
        stage.gateway.signal(SIGHUP);
        stage.gateway.wait_for_reloads(number);
    }
    done = true;
    for (auto& client : clients)
        client.get();
    CHECK(good > 0);
    CHECK(stage.gateway.stop() == 0);
    // On a busy machine a line may be dropped; its number is missing then.
    std::size_t lines = 0;
    std::map<std::string, std::size_t> numbers;
    for (auto const& line : stage.gateway.log()) {
        CHECK(line["reason"].is_null());
        ++lines;
        auto& number = numbers[line.text("worker")];
        number = std::max<std::size_t>(number, std::stoul(line.text("seq")) + 1);
    }
    std::size_t numbered = 0;
    for (auto const& [worker, number] : numbers)
        numbered += number;
    CHECK(lines <= static_cast<std::size_t>(good));
    CHECK(numbered <= static_cast<std::size_t>(good));
    if (stage.gateway.standard_error().find("lines_dropped") == std::string::npos)
        CHECK(lines == static_cast<std::size_t>(good));
}

} // namespace e13_reload
