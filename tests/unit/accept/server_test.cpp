// The whole gateway, in this process: how it starts, changes and ends.
#include "tests/unit/accept/server_harness.h"

#include <list>

namespace server_test {

using namespace sallyport;
using namespace sallyport::accept;
using namespace sallyport::accept::test;

namespace {

Sections sections_for(RecordingUpstream const& upstream, std::string const& rest = {},
                      std::string const& tls = "off") {
    return {.tls = tls,
            .endpoint = upstream.endpoint(),
            .rest = "workers: 1\nadmin: { address: \"127.0.0.1:0\" }\n" + rest};
}

std::string server_certificate() {
    auto const& server = sallyport::test::certificates().server;
    return "{ certificates: [ { certificate: \"" + server.certificate.string()
           + "\", private_key: \"" + server.private_key.string() + "\" } ] }";
}

// The port differs each time: the last listener in the log counts.
void rewrite(RunningServer& server, Sections const& sections) {
    server.folder.write("next.yaml", lifecycle::test::configuration_text(sections));
    std::filesystem::rename(server.folder / "next.yaml", server.path);
}

} // namespace

TEST_CASE("a gateway whose log or address is not available does not start, and reports why") {
    RecordingUpstream upstream;
    auto sections = sections_for(upstream);
    SECTION("its log") {
        sections.access_log = "{ output: missing/access.log }";
        RunningServer server{sections};
        server.control.wait_for("access_log_not_opened");
        CHECK(server.wait_for_end() == Ended::not_started);
    }
    SECTION("the address of its admin listener") {
        auto const taken = open_listener({"127.0.0.1", 0});
        REQUIRE(taken.problem.empty());
        sections.rest = "workers: 1\nadmin: { address: \"" + taken.listening.address + "\" }\n";
        RunningServer server{sections};
        server.control.wait_for("listener_not_opened");
        CHECK(server.wait_for_end() == Ended::not_started);
    }
}

TEST_CASE("a gateway serves until it is stopped, and writes a line for each request") {
    RecordingUpstream upstream;
    auto const workers = GENERATE(1, 2);
    auto sections = sections_for(upstream);
    if (workers == 2) sections.rest.replace(sections.rest.find("workers: 1"), 10, "workers: 2");
    RunningServer server{sections};
    server.wait_until_ready();
    std::list<RawClient> clients;
    for (int i = 0; i < 3; ++i) {
        clients.emplace_back(server.port(), without_tls());
        CHECK(clients.back().exchange(get("/files/a")).status == 200);
    }
    CHECK(clients.front().exchange(get("/elsewhere")).status == 403);
    RawClient admin{server.admin_port(), without_tls()};
    CHECK(admin.exchange(get("/healthz")).body == "ok\n");
    CHECK(admin.exchange(get("/readyz")).status == 200);
    auto const page = admin.exchange(get("/metrics")).body;
    CHECK(page.find("\nsallyport_connections 3\n") != std::string::npos);
    CHECK(server.stop() == Ended::drained);
    auto const log = server.access_log();
    CHECK(std::count(log.begin(), log.end(), '\n') == 4);
    CHECK(server.control.text().find("draining") == std::string::npos); // not read so far
    server.control.wait_for(" ended");
    CHECK(server.control.count(" draining") == 1);
}

TEST_CASE("TLS handshakes succeed for TLS clients, and others get a readable response") {
    RecordingUpstream upstream;
    RunningServer server{sections_for(upstream, {}, server_certificate())};
    server.wait_until_ready();
    SECTION("a client, and again with its ticket") {
        for (int i = 0; i < 2; ++i) {
            RawClient client{server.port()};
            CHECK(client.exchange(get("/files/a")).status == 200);
        }
        CHECK(server.stop() == Ended::drained);
        CHECK(server.access_log().find("\"tls\":{\"version\":\"TLSv1.3\"") != std::string::npos);
    }
    SECTION("plain HTTP") {
        RawClient client{server.port(), without_tls()};
        auto const response = client.exchange(get("/files/a"));
        CHECK(response.status == 400);
        CHECK(response.body.find("This port speaks HTTPS") == 0);
        server.control.wait_for("plain HTTP came to a port of HTTPS");
        CHECK(server.stop() == Ended::drained);
        CHECK(server.access_log().find("\"reason\":\"tls_failed\"") != std::string::npos);
    }
    SECTION("neither") {
        RawClient client{server.port(), without_tls()};
        client.send("SSH-2.0-x\r\n");
        client.read_to_end();
        CHECK(client.unread().find("HTTP") == std::string::npos);
        CHECK(server.stop() == Ended::drained);
    }
    SECTION("a client that disconnects") {
        { RawClient const client{server.port(), without_tls()}; }
        CHECK(sallyport::test::fetch(server.port(), get("/files/a")).status == 200);
        CHECK(server.stop() == Ended::drained);
    }
}

TEST_CASE("a change of its files is applied if it is valid, and rejected otherwise") {
    RecordingUpstream upstream;
    auto sections = sections_for(upstream, "reload: on_signal\n");
    RunningServer server{sections};
    server.wait_until_ready();
    RawClient kept{server.port(), without_tls()};
    CHECK(kept.exchange(get("/files/a")).status == 200);

    rewrite(server, {.limits = "{ nothing: 1 }"});
    RunningServer::signal(SIGHUP);
    server.control.wait_for("reload_rejected");
    CHECK(server.control.count("reload_problem") > 0);
    CHECK(kept.exchange(get("/files/a")).status == 200);

    // Other workers, another log: settings that cannot change without a restart are reported.
    sections.access_log = "{ output: other.log, buffer: 1MiB }";
    sections.limits = "{ json_depth: 7, connections: 100 }";
    sections.rest = "workers: 2\nreload: on_signal\nlog: { format: json }\n";
    rewrite(server, sections);
    RunningServer::signal(SIGHUP);
    server.control.wait_for("\"reloaded\"");
    for (auto const* key : {"\"workers\"", "\"access_log.output\"", "\"access_log.buffer\""})
        CHECK(server.control.count(key) == 1);
    CHECK(kept.exchange(get("/files/a")).status == 200);
    CHECK(sallyport::test::fetch(server.port(), get("/files/a"), without_tls()).status == 200);
    CHECK(server.stop() == Ended::drained);
    CHECK(server.access_log().find("\"generation\":2") != std::string::npos);
    // The upstream is unchanged: its connection stayed.
    CHECK(upstream.connections() <= 2);
}

TEST_CASE("a log that was moved away is reopened") {
    RecordingUpstream upstream;
    RunningServer server{sections_for(upstream)};
    server.wait_until_ready();
    CHECK(sallyport::test::fetch(server.port(), get("/files/a"), without_tls()).status == 200);
    server.wait_for_line("/files/a");
    std::filesystem::rename(server.folder / "access.log", server.folder / "access.log.1");
    RunningServer::signal(SIGUSR1);
    server.control.wait_for("access_log_reopened");
    CHECK(sallyport::test::fetch(server.port(), get("/files/b"), without_tls()).status == 200);
    CHECK(server.stop() == Ended::drained);
    CHECK(server.access_log().find("/files/b") != std::string::npos);
    CHECK(server.access_log().find("/files/a") == std::string::npos);
}

TEST_CASE("a failed upgrade leaves the gateway unchanged") {
    RecordingUpstream upstream;
    SECTION("there is no such program") {
        RunningServer server{sections_for(upstream), "/nowhere/sallyport"};
        server.wait_until_ready();
        RunningServer::signal(SIGUSR2);
        server.control.wait_for("upgrade_failed");
        CHECK(server.control.count("cannot start /nowhere/sallyport") == 1);
        CHECK(server.stop() == Ended::drained);
    }
    SECTION("it ends before it serves") {
        RunningServer server{sections_for(upstream), "/bin/false"};
        server.wait_until_ready();
        RunningServer::signal(SIGUSR2);
        server.control.wait_for("upgrade_failed");
        CHECK(server.control.count("the successor ended: exit code 1") == 1);
        CHECK(sallyport::test::fetch(server.port(), get("/files/a"), without_tls()).status == 200);
        CHECK(server.stop() == Ended::drained);
    }
}

TEST_CASE("a gateway that is stopped drains within its time limit") {
    sallyport::test::Event open;
    RecordingUpstream upstream{[&](sallyport::test::UpstreamExchange& exchange) {
        exchange.wait(open);
        exchange.send(sallyport::test::response_text("{}"));
    }};
    SECTION("exchanges come to their end") {
        RunningServer server{sections_for(upstream)};
        server.wait_until_ready();
        RawClient client{server.port(), without_tls()};
        client.send(get("/files/a"));
        upstream.wait_for_requests(1);
        RunningServer::signal(SIGTERM);
        server.control.wait_for(" draining");
        open.set();
        CHECK(client.read_response().status == 200);
        CHECK(server.wait_for_end() == Ended::drained);
    }
    SECTION("or are cut off") {
        RunningServer server{sections_for(upstream, "drain: 50ms\n")};
        server.wait_until_ready();
        RawClient client{server.port(), without_tls()};
        client.send(get("/files/a"));
        upstream.wait_for_requests(1);
        CHECK(server.stop() == Ended::cut_off);
        client.read_to_end();
        CHECK(client.unread().empty());
        server.control.wait_for("ended_with_exchanges_cut_off");
        open.set();
    }
    SECTION("load balancers are informed before") {
        RunningServer server{sections_for(upstream, "drain_delay: 1h\n")};
        server.wait_until_ready();
        RunningServer::signal(SIGTERM);
        server.control.wait_for(" leaving");
        RawClient admin{server.admin_port(), without_tls()};
        CHECK(admin.exchange(get("/readyz")).status == 503);
        // A second signal skips the delay.
        RunningServer::signal(SIGTERM);
        CHECK(server.wait_for_end() == Ended::drained);
        open.set();
    }
}

TEST_CASE("beyond a limit the connection that has been idle longest is closed") {
    RecordingUpstream upstream;
    auto sections = sections_for(upstream);
    sections.limits =
        GENERATE(as<std::string>{}, "{ connections: 2 }", "{ connections_per_address: 2 }");
    RunningServer server{sections};
    server.wait_until_ready();
    std::list<RawClient> clients;
    for (int i = 0; i < 3; ++i) {
        clients.emplace_back(server.port(), without_tls());
        CHECK(clients.back().exchange(get("/files/a")).status == 200);
    }
    CHECK(clients.front().read_to_end() == sallyport::test::End::orderly);
    CHECK(clients.back().exchange(get("/files/a")).status == 200);
    CHECK(server.stop() == Ended::drained);
}

TEST_CASE("beyond a limit an idle connection of any worker is closed") {
    RecordingUpstream upstream;
    auto sections = sections_for(upstream);
    sections.rest.replace(sections.rest.find("workers: 1"), 10, "workers: 2");
    sections.limits = "{ connections: 2 }";
    RunningServer server{sections};
    server.wait_until_ready();
    std::list<RawClient> clients;
    for (int i = 0; i < 6; ++i) {
        clients.emplace_back(server.port(), without_tls());
        CHECK(clients.back().exchange(get("/files/a")).status == 200);
    }
    RawClient admin{server.admin_port(), without_tls()};
    auto const page = admin.exchange(get("/metrics")).body;
    CHECK(page.find("\nsallyport_connections_gave_way_total{waiting_for=\"request\"} 4\n")
          != std::string::npos);
    CHECK(page.find("\nsallyport_connections 2\n") != std::string::npos);
    CHECK(server.stop() == Ended::drained);
}

TEST_CASE("beyond a limit a connection is refused if none is idle") {
    sallyport::test::Event open;
    RecordingUpstream upstream{[&](sallyport::test::UpstreamExchange& exchange) {
        exchange.wait(open);
        exchange.send(sallyport::test::response_text("{}"));
    }};
    auto const workers = GENERATE(1, 2);
    auto sections = sections_for(upstream);
    if (workers == 2) sections.rest.replace(sections.rest.find("workers: 1"), 10, "workers: 2");
    sections.limits = "{ connections: 2 }";
    RunningServer server{sections};
    server.wait_until_ready();
    std::list<RawClient> busy;
    for (std::size_t i = 1; i <= 2; ++i) {
        busy.emplace_back(server.port(), without_tls());
        busy.back().send(get("/files/slow"));
        upstream.wait_for_requests(i);
    }
    RawClient refused{server.port(), without_tls()};
    CHECK(refused.read_to_end() == sallyport::test::End::reset);
    open.set();
    for (auto& client : busy)
        CHECK(client.read_response().status == 200);
    CHECK(server.stop() == Ended::drained);
    CHECK(server.access_log().find("\"reason\":\"too_many_connections\"") != std::string::npos);
}

TEST_CASE("an endpoint that is down, and up again, is reported") {
    auto bound = sallyport::test::bind_tcp();
    Sections sections{.endpoint = "http://127.0.0.1:" + std::to_string(bound.port),
                      .rest = "workers: 1\n"};
    RunningServer server{sections};
    server.wait_until_ready();
    CHECK(sallyport::test::fetch(server.port(), get("/files/a"), without_tls()).status == 502);
    server.control.wait_for("endpoint_down");
    RecordingUpstream upstream{{}, {.bound = &bound}};
    CHECK(sallyport::test::fetch(server.port(), get("/files/a"), without_tls()).status == 200);
    server.control.wait_for("endpoint_up");
    CHECK(server.stop() == Ended::drained);
}

} // namespace server_test
