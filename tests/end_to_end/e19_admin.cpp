// The admin listener: health, readiness, state, and the numbers, compared with the requests sent.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/event.h"
#include "tests/support/machine.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <sstream>

namespace e19_admin {

using namespace sallyport::test;

namespace {

void with_admin(Configuration& configuration) {
    configuration.rest += admin_section;
}

Response get_page(Stage const& stage, std::string_view path) {
    return request_admin(stage.gateway, path);
}

Metrics metrics_of(Stage const& stage) {
    auto const page = get_page(stage, "/metrics");
    CHECK(page.status == 200);
    CHECK(page.fields.one("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
    return Metrics{page.body};
}

Json status_of(Stage const& stage) {
    auto const page = get_page(stage, "/status");
    CHECK(page.status == 200);
    CHECK(page.fields.one("Content-Type") == "application/json");
    return Json::parse(page.body);
}

std::string of(std::string const& metric, std::string const& operation,
               std::string const& more = {}) {
    return metric + "{api=\"management\",operation=\"" + operation + "\"" + more + "}";
}

// For all threads but the first, which is the control loop's: how often they waited. That the
// kernel took the processor from them is not counted.
std::map<std::string, int> wakes_of_threads(pid_t id) {
    std::map<std::string, int> wakes;
    auto const tasks = std::filesystem::path{"/proc"} / std::to_string(id) / "task";
    for (auto const& task : std::filesystem::directory_iterator{tasks}) {
        if (task.path().filename() == std::to_string(id)) continue;
        std::ifstream status{task.path() / "status"};
        for (std::string line; std::getline(status, line);) {
            if (line.rfind("voluntary_ctxt_switches", 0) == 0)
                wakes[task.path().filename()] = std::stoi(line.substr(line.find(':') + 1));
        }
    }
    return wakes;
}

std::string name_of_thread(pid_t id, std::string const& task) {
    std::ifstream name{"/proc/" + std::to_string(id) + "/task/" + task + "/comm"};
    std::string text;
    std::getline(name, text);
    return text;
}

} // namespace

TEST_CASE(
    "the admin listener serves its four paths, for GET and HEAD, under this machine's names") {
    Stage stage{{}, with_admin};
    auto const port = stage.gateway.admin_port();
    CHECK(request_admin(port, "/nothing").status == 404);
    CHECK(request_admin(port, "/").status == 404);
    auto const posted = request_admin(port, "/metrics", "POST");
    CHECK(posted.status == 405);
    CHECK(posted.fields.one("Allow") == "GET, HEAD");
    for (auto const* const host :
         {"evil.example", "localhost.evil.example:9901", "[::1].example"}) {
        CAPTURE(host);
        auto const response = fetch(port,
                                    std::string{"GET /status HTTP/1.1\r\nHost: "} + host
                                        + "\r\nConnection: close\r\n\r\n",
                                    without_tls());
        CHECK(response.status == 421);
        CHECK(response.body.find("generation") == std::string::npos);
    }
    for (auto const* const host :
         {"localhost", "localhost:9901", "127.0.0.1:9901", "[::1]:9901", "[::1]"}) {
        CAPTURE(host);
        CHECK(fetch(port,
                    std::string{"GET /readyz HTTP/1.1\r\nHost: "} + host
                        + "\r\nConnection: close\r\n\r\n",
                    without_tls())
                  .status
              == 200);
    }
    CHECK(request_admin(port, "/healthz").body == "ok\n");
    auto const ready = request_admin(port, "/readyz?verbose");
    CHECK(ready.status == 200);
    CHECK(ready.body == "ready\n");
    CHECK(ready.fields.one("Cache-Control") == "no-store");

    RawClient kept{port, without_tls()};
    kept.send("HEAD /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    auto const head = kept.read_response("HEAD");
    CHECK(head.status == 200);
    CHECK(head.fields.one("Content-Length") == "6");
    CHECK(kept.exchange("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200);
    // A malformed request ends the connection, and no other.
    RawClient garbage{port, without_tls()};
    garbage.send("\x16\x03\x01 no request\r\n\r\n");
    garbage.read_to_end();
    RawClient flood{port, without_tls()};
    flood.try_send("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x'));
    flood.read_to_end();
    CHECK(request_admin(port, "/healthz").status == 200);
    stage.finish();
}

TEST_CASE("connections beyond the admin listener's limit close the oldest ones") {
    constexpr auto request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    Stage stage{{}, with_admin};
    auto const port = stage.gateway.admin_port();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 32; ++i) {
        clients.push_back(std::make_unique<RawClient>(port, without_tls()));
        // Half of them send nothing, or only a part.
        if (i % 4 == 1) clients.back()->send("GET /re");
        if (i % 2 == 0) CHECK(clients.back()->exchange(request).status == 200);
    }
    // The first one was used last.
    CHECK(clients.front()->exchange(request).status == 200);
    RawClient beyond{port, without_tls()};
    CHECK(beyond.exchange(request).status == 200);
    // Long before the listener's time limit for half a head, 30 s.
    auto const begun = std::chrono::steady_clock::now();
    clients[1]->read_to_end();
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{15});
    CHECK(clients[1]->unread().empty());
    CHECK(clients.front()->exchange(request).status == 200);
    stage.finish();
}

TEST_CASE(
    "requests are counted by API, operation, status and reason, and their bytes as in the log") {
    Stage stage{{}, with_admin};
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.send(request_for("getPipe").authorization("Basic eDp5")).status == 401);
    CHECK(stage.send(Outgoing{"GET", "/unknown"}).status == 403);
    auto bad = request_for("updatePipeSettings");
    bad.body(R"({"db_max_threads": 65, "object_storage_use_cluster_function": 1})");
    CHECK(stage.send(bad).status == 400);
    stage.gateway.wait_for_log_lines(5);

    auto const series = metrics_of(stage);
    CHECK(series[of("sallyport_requests_total", "getPipe", ",status=\"200\",reason=\"\"")] == 2);
    CHECK(series["sallyport_requests_total{api=\"management\",operation=\"\",status=\"401\",reason="
                 "\"unauthenticated\"}"]
          == 1);
    CHECK(series["sallyport_requests_total{api=\"\",operation=\"\",status=\"403\",reason=\"unknown_"
                 "operation\"}"]
          == 1);
    CHECK(series[of("sallyport_requests_total", "updatePipeSettings",
                    ",status=\"400\",reason=\"contract_violation\"")]
          == 1);
    CHECK(series.sum("sallyport_requests_total") == 5);
    CHECK(series[of("sallyport_contract_violations_total", "updatePipeSettings",
                    ",part=\"request\",rule=\"maximum\",level=\"enforce\"")]
          == 1);
    CHECK(series["sallyport_authentications_total{api=\"management\",result=\"accepted\"}"] == 3);
    CHECK(series["sallyport_authentications_total{api=\"management\",result=\"refused\"}"] == 1);
    CHECK(series[of("sallyport_request_duration_seconds_count", "getPipe")] == 2);
    CHECK(series[of("sallyport_request_duration_seconds_bucket", "getPipe", ",le=\"+Inf\"")] == 2);
    CHECK(series[of("sallyport_gateway_duration_seconds_count", "getPipe")] == 2);
    CHECK(series[of("sallyport_upstream_duration_seconds_count", "getPipe")] == 2);
    CHECK(series[of("sallyport_upstream_duration_seconds_count", "updatePipeSettings")] == 0);
    CHECK(series["sallyport_upstream_connections_opened_total{upstream=\"management\"}"] == 1);
    CHECK(series["sallyport_upstream_connections_reused_total{upstream=\"management\"}"] == 1);
    CHECK(series["sallyport_upstream_connections{upstream=\"management\",state=\"idle\"}"] == 1);
    CHECK(series["sallyport_upstream_connections{upstream=\"management\",state=\"active\"}"] == 0);
    CHECK(series["sallyport_connections_accepted_total"] == 5);
    CHECK(series["sallyport_tls_handshakes_total{result=\"full\"}"] == 5);
    double bytes_in = 0;
    double bytes_out = 0;
    double microseconds = 0;
    for (auto const& line : stage.gateway.log()) {
        bytes_in += line["bytes_in"].number;
        bytes_out += line["bytes_out"].number;
        microseconds += line["duration_us"].number;
    }
    CHECK(series.sum("sallyport_request_bytes_total") == bytes_in);
    CHECK(series.sum("sallyport_response_bytes_total") == bytes_out);
    CHECK(series.sum("sallyport_request_duration_seconds_sum") == Approx(microseconds / 1e6));
    CHECK(series.sum("sallyport_gateway_duration_seconds_sum")
              + series.sum("sallyport_upstream_duration_seconds_sum")
          == Approx(microseconds / 1e6));
    stage.finish();
}

TEST_CASE("unknown and deprecated members, reported violations and repeated requests are counted") {
    auto const script = [](UpstreamExchange& exchange) {
        // A kept connection that ends during the third request: it is repeated.
        if (exchange.number == 2) return exchange.reset();
        exchange.send(response_text(R"({"status":200,"result":{"db_max_threads":"many"}})"));
    };
    Stage stage{script, both(with_admin, with_management("requests: report, responses: report"))};
    auto reported = request_for("updatePipeSettings");
    reported.body(R"({"db_max_threads": 65, "other": 1, "extra": 2})");
    CHECK(stage.send(reported).status == 200);
    auto create = request_for("createService");
    create.body(R"({"name":"n","provider":"aws","region":"us-east-1","tier":"production"})");
    CHECK(stage.send(create).status == 200);
    auto const repeated = stage.send(request_for("getPipe"));
    CHECK(repeated.status == 200);
    CHECK(stage.log_of(repeated)["retries"].number == 1);
    stage.gateway.wait_for_log_lines(3);
    auto const series = metrics_of(stage);
    CHECK(series[of("sallyport_unknown_members_total", "updatePipeSettings")] == 2);
    CHECK(series[of("sallyport_deprecated_members_total", "createService")] == 1);
    CHECK(series[of("sallyport_contract_violations_total", "updatePipeSettings",
                    ",part=\"request\",rule=\"maximum\",level=\"report\"")]
          == 1);
    CHECK(series[of("sallyport_contract_violations_total", "updatePipeSettings",
                    ",part=\"response\",rule=\"type\",level=\"report\"")]
          == 1);
    CHECK(
        series[of("sallyport_requests_total", "updatePipeSettings", ",status=\"200\",reason=\"\"")]
        == 1);
    CHECK(series["sallyport_upstream_retries_total{upstream=\"management\"}"] == 1);
    stage.finish();
}

TEST_CASE("every series has a type and a help, and Prometheus' tools find no problem") {
    if (!has_program("promtool")) return;
    Stage stage{{}, with_admin};
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.gateway.wait_for_log_lines(1);
    auto const page = get_page(stage, "/metrics").body;
    auto const found = run({{"promtool", "check", "metrics"}}, page);
    CAPTURE(found.output, found.error, page);
    CHECK(found.exit_code == 0);
    CHECK((found.output + found.error).empty());
    stage.finish();
}

TEST_CASE("counts outlive a reload, and the page describes the active configuration") {
    Stage stage{{}, with_admin};
    CHECK(stage.send(request_for("getPipe")).status == 200);
    auto const good = read_file(stage.gateway.folder() / "sallyport.yaml");
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(1);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.gateway.wait_for_log_lines(2);
    stage.gateway.replace("sallyport.yaml", good + "wrong: 1\n");
    stage.gateway.wait_for_rejected_reloads(1);

    auto const series = metrics_of(stage);
    CHECK(series[of("sallyport_requests_total", "getPipe", ",status=\"200\",reason=\"\"")] == 2);
    CHECK(series["sallyport_config_generation"] == 2);
    CHECK(series["sallyport_config_last_reload_successful"] == 0);
    CHECK(series["sallyport_config_reloads_total{result=\"accepted\"}"] == 1);
    CHECK(series["sallyport_config_reloads_total{result=\"rejected\"}"] == 1);

    auto const status = status_of(stage);
    CHECK(status["state"].string == "ready");
    auto const& configuration = status["configuration"];
    CHECK(configuration["generation"].number == 2);
    CHECK(configuration["last_attempt"]["adopted"].boolean == false);
    REQUIRE(configuration["last_attempt"]["problems"].items.size() == 1);
    CHECK(configuration["last_attempt"]["problems"][0].string.find("wrong") != std::string::npos);
    stage.gateway.replace("sallyport.yaml", good);
    stage.gateway.wait_for_reloads(2);
    CHECK(metrics_of(stage)["sallyport_config_last_reload_successful"] == 1);
    stage.finish();
}

TEST_CASE("the expiry of certificates and credentials is shown, and nothing secret") {
    Stage stage{{}, with_admin};
    auto const status = status_of(stage);
    auto const& certificates = status["listeners"][0]["certificates"];
    REQUIRE(certificates.items.size() == 4);
    auto const series = metrics_of(stage);
    for (auto const& certificate : certificates.items) {
        auto const file = certificate["file"].string;
        CAPTURE(file);
        auto const shown =
            run({{"openssl", "x509", "-in", file, "-noout", "-enddate", "-dateopt", "iso_8601"}});
        auto expires = certificate["expires"].string;
        expires.replace(expires.find('T'), 1, " ");
        CHECK(shown.output == "notAfter=" + expires + "\n");
        auto const epoch = run({{"date", "-u", "-d", expires, "+%s"}});
        // Of two certificates of one name the one that expires first counts.
        CHECK(series["sallyport_certificate_expiry_timestamp_seconds{listener=\"public\",subject=\""
                     + certificate["subject"].string + "\"}"]
              == Approx(std::stod(epoch.output)).margin(60));
    }
    CHECK(status["credentials"]["expiring"][0]["name"].string == "expired");
    CHECK(status["credentials"]["expiring"][0]["expired"].boolean);
    CHECK(series["sallyport_credential_expiry_timestamp_seconds{credential=\"expired\"}"]
          == 1577836800);
    auto const everything = get_page(stage, "/status").body + get_page(stage, "/metrics").body;
    for (auto const secret : {administrator.secret, scale.secret, observer_token})
        CHECK(everything.find(secret) == std::string::npos);
    CHECK(everything.find("sha256:") == std::string::npos);
    stage.finish();
}

TEST_CASE("sallyport status prints the state, and its exit code reflects it") {
    Stage stage{{}, with_admin};
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.gateway.wait_for_log_lines(1);
    auto const address = "127.0.0.1:" + std::to_string(stage.gateway.admin_port());
    auto const shown = run_gateway({"status", "--address", address});
    CAPTURE(shown.output, shown.error);
    CHECK(shown.exit_code == 0);
    for (auto const* const words :
         {": ready, up ", "generation 1",
          "public  127.0.0.1:", "management -> management (basic, enforce): 1 passed",
          "EXPIRED 2020-01-01T00:00:00Z", "0 lines lost", "0 active, 1 idle"}) {
        CAPTURE(words);
        CHECK(shown.output.find(words) != std::string::npos);
    }
    auto const json = run_gateway({"status", "--address", address, "--format", "json"});
    CHECK(Json::parse(json.output)["configuration"]["generation"].number == 1);

    auto const good = read_file(stage.gateway.folder() / "sallyport.yaml");
    stage.gateway.replace("sallyport.yaml", good + "wrong: 1\n");
    stage.gateway.wait_for_rejected_reloads(1);
    auto const rejected = run_gateway({"status", "--address", address});
    CHECK(rejected.exit_code == 1);
    CHECK(rejected.output.find("REJECTED") != std::string::npos);
    CHECK(rejected.output.find("wrong") != std::string::npos);
    // The active configuration is healthy nevertheless.
    auto const alive = run_gateway({"status", "--address", address, "--health"});
    CHECK(alive.exit_code == 0);
    CHECK(alive.output == "ok\n");
    stage.finish();

    auto const gone = run_gateway({"status", "--address", address});
    CHECK(gone.exit_code == 1);
    CHECK(gone.error.find("does not respond") != std::string::npos);
    CHECK(run_gateway({"status", "--address", address, "--health"}).exit_code == 1);
    CHECK(run_gateway({"status", "--health", "--format", "json"}).exit_code == 2);
    CHECK(run_gateway({"status", "--address", "nowhere"}).exit_code == 2);
    // By the configuration; one without the listener has no address to connect to.
    TemporaryFolder const folder;
    folder.write("with.yaml", "admin: { address: '" + address + "' }\n");
    folder.write("without.yaml", "workers: 1\n");
    auto const named = run_gateway({"status", "-c", (folder / "with.yaml").string()});
    CHECK(named.exit_code == 1);
    CHECK(named.error.find(std::to_string(stage.gateway.admin_port())) != std::string::npos);
    CHECK(run_gateway({"status", "-c", (folder / "without.yaml").string()}).error.find("admin:")
          != std::string::npos);
}

TEST_CASE("readiness ends with the first moment of the drain, health with its end") {
    Event gate;
    auto const script = [&gate](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(response_text("{}"));
    };
    Stage stage{script, with_admin};
    auto const port = stage.gateway.admin_port();
    auto running =
        std::async(std::launch::async, [&] { return stage.send(request_for("getPipe")); });
    stage.upstream.wait_for_requests(1);
    stage.gateway.signal(SIGTERM);
    stage.gateway.wait_for_error_output(
        [](std::string const& output) { return output.find("draining") != std::string::npos; });
    auto const ready = request_admin(port, "/readyz");
    CHECK(ready.status == 503);
    CHECK(ready.body == "draining\n");
    CHECK(request_admin(port, "/healthz").status == 200);
    CHECK(Metrics{request_admin(port, "/metrics").body}["sallyport_ready"] == 0);
    gate.set();
    CHECK(running.get().status == 200);
    CHECK(stage.gateway.wait_for_exit() == 0);
}

TEST_CASE("with drain_delay connections are accepted while /readyz returns 503") {
    Stage stage{{}, [](Configuration& configuration) {
                    with_admin(configuration);
                    configuration.rest += "drain_delay: 1h\n";
                }};
    auto const port = stage.gateway.admin_port();
    stage.gateway.signal(SIGTERM);
    stage.gateway.wait_for_error_output(
        [](std::string const& output) { return output.find("leaving") != std::string::npos; });
    CHECK(request_admin(port, "/readyz").body == "leaving\n");
    auto const response = stage.send(request_for("getPipe"));
    CHECK(response.status == 200);
    // After a second signal it waits no longer.
    CHECK(stage.gateway.stop() == 0);
    auto const output = stage.gateway.standard_error();
    CHECK(output.find("leaving") < output.find("draining"));
}

TEST_CASE("the admin listener moves, ends and starts with the configuration") {
    Stage stage{{}, with_admin};
    auto const first = stage.gateway.admin_port();
    auto const with = read_file(stage.gateway.folder() / "sallyport.yaml");
    auto const without =
        with.substr(0, with.find("admin:")) + with.substr(with.find('\n', with.find("admin:")) + 1);
    stage.gateway.replace("sallyport.yaml", without);
    stage.gateway.wait_for_reloads(1);
    CHECK_THROWS(connect_tcp(first));
    stage.gateway.replace("sallyport.yaml", without + "admin: { address: '[::1]:0' }\n");
    stage.gateway.wait_for_reloads(2);
    CHECK(stage.gateway.standard_error().find("admin_listening address=[::1]:")
          != std::string::npos);
    // An address in use rejects the whole change.
    auto const taken = listen_tcp();
    stage.gateway.replace("sallyport.yaml", without + "admin: { address: '127.0.0.1:"
                                                + std::to_string(taken.port) + "' }\n");
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(stage.gateway.standard_error().find("admin: ") != std::string::npos);
    stage.gateway.replace("sallyport.yaml", without + std::string{admin_section});
    stage.gateway.wait_for_reloads(3);
    CHECK(get_page(stage, "/readyz").status == 200);
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("a scrape does not involve the workers") {
    Stage stage{{}, with_admin};
    RawClient scraper{stage.gateway.admin_port(), without_tls()};
    std::string const request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    CHECK(scraper.exchange(request).status == 200);
    // Without a request before: a worker with connections wakes for their deadlines.
    constexpr int scrapes = 50;
    auto const id = stage.gateway.id();
    auto const before = wakes_of_threads(id);
    for (int i = 0; i < scrapes; ++i)
        CHECK(scraper.exchange(request).status == 200);
    auto const after = wakes_of_threads(id);
    std::size_t workers = 0;
    for (auto const& [task, count] : before) {
        if (name_of_thread(id, task).rfind("worker", 0) != 0) continue;
        ++workers;
        CHECK(after.at(task) - count < scrapes / 5);
    }
    CHECK(workers == 1);
    stage.finish();
}

} // namespace e19_admin
