// Upstreams of every kind: TLS, unix sockets, several endpoints, and every form of a valid
// response.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <array>
#include <list>

namespace e07_upstreams {

using namespace sallyport::test;

namespace {

// A gateway in front of an https upstream, with these keys of `tls`.
struct SecureStage {
    SecureStage(Certificate const& certificate, std::string const& tls)
        : upstream({}, {.certificate = certificate}), gateway(configure(tls)) {}

    Configuration configure(std::string const& tls) const {
        auto configuration = standard_configuration(upstream);
        configuration.upstreams = upstream_yaml("management", upstream.endpoint(), tls)
                                  + upstream_yaml("observability", upstream.endpoint(), tls);
        return configuration;
    }

    RecordingUpstream upstream;
    Gateway gateway;
};

std::string trust(std::filesystem::path const& authority, std::string const& name) {
    return "tls: { ca: \"" + authority.string() + "\", server_name: " + name + " }";
}

} // namespace

TEST_CASE("an https upstream that cannot be verified gets no request") {
    SECTION("of another authority") {
        SecureStage stage{certificates().untrusted,
                          trust(certificates().authority, "upstream.example.test")};
        auto const response = fetch(stage.gateway.port(), request_for("updatePipeSettings").text());
        CHECK(response.status / 100 == 5);
        stage.upstream.wait_for_failed_handshakes(1);
        CHECK(stage.upstream.requests().empty());
    }
    SECTION("of another name") {
        SecureStage stage{certificates().upstream,
                          trust(certificates().authority, "other.example.test")};
        CHECK(fetch(stage.gateway.port(), request_for("getPipe").text()).status / 100 == 5);
        CHECK(stage.upstream.requests().empty());
    }
    SECTION("without a configured name, by address") {
        SecureStage stage{certificates().upstream,
                          "tls: { ca: \"" + certificates().authority.string() + "\" }"};
        CHECK(fetch(stage.gateway.port(), request_for("getPipe").text()).status / 100 == 5);
        CHECK(stage.upstream.requests().empty());
    }
    SECTION("expired") {
        SecureStage stage{certificates().expired, trust(certificates().authority, "localhost")};
        CHECK(fetch(stage.gateway.port(), request_for("getPipe").text()).status / 100 == 5);
        CHECK(stage.upstream.requests().empty());
    }
    SECTION("of the test's authority, if only the system's are trusted") {
        SecureStage stage{certificates().upstream, "tls: { server_name: upstream.example.test }"};
        CHECK(fetch(stage.gateway.port(), request_for("getPipe").text()).status / 100 == 5);
        CHECK(stage.upstream.requests().empty());
    }
}

TEST_CASE("an https upstream is verified, gets its name by SNI, and its connection is reused") {
    SecureStage stage{certificates().upstream,
                      trust(certificates().authority, "upstream.example.test")};
    for (auto const& one : all_operations()) {
        CAPTURE(one.id);
        CHECK(fetch(stage.gateway.port(), request_for(one).text()).status == 200);
    }
    auto const requests = stage.upstream.requests();
    REQUIRE(requests.size() == all_operations().size());
    for (std::size_t index = 0; index < requests.size(); ++index) {
        CHECK(requests[index].body == all_operations()[index].body);
        CHECK(requests[index].fields.one("Host") == "upstream.example.test");
    }
    CHECK(stage.upstream.connections() <= 2 + requests.size() / 2);
    for (auto const& name : stage.upstream.server_names())
        CHECK(name == "upstream.example.test");
    CHECK(stage.gateway.stop() == 0);
    CHECK(stage.upstream.protocol_errors().empty());
}

TEST_CASE("an upstream on a unix socket gets requests like any other") {
    TemporaryFolder const folder;
    RecordingUpstream upstream{{}, {.unix_path = folder / "upstream.sock"}};
    Gateway gateway{standard_configuration(upstream)};
    CHECK(fetch(gateway.port(), request_for("updatePipeSettings").text()).status == 200);
    CHECK(upstream.request(0).body == operation("updatePipeSettings").body);
    CHECK(gateway.stop() == 0);
}

TEST_CASE("a configured host is the Host field of the upstream request") {
    Stage stage{{}, with_upstream("host: api.example.test")};
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.upstream.request(0).fields.one("Host") == "api.example.test");
    stage.finish();
}

TEST_CASE("several endpoints get requests in turn, and one that is down is skipped") {
    RecordingUpstream first;
    RecordingUpstream second;
    auto const closed = bind_tcp();
    auto configuration = standard_configuration(first);
    configuration.upstreams =
        balanced_upstream_yaml("management", {first.endpoint(), second.endpoint()}, "")
        + balanced_upstream_yaml(
            "observability", {"http://127.0.0.1:" + std::to_string(closed.port), second.endpoint()},
            "");
    Gateway gateway{configuration};
    for (int index = 0; index < 10; ++index)
        CHECK(fetch(gateway.port(), request_for("getPipe").text()).status == 200);
    CHECK(first.requests().size() == 5);
    CHECK(second.requests().size() == 5);
    for (int index = 0; index < 6; ++index)
        CHECK(fetch(gateway.port(), request_for("chartSeries").text()).status == 200);
    CHECK(second.requests().size() == 11);
    CHECK(gateway.stop() == 0);
}

TEST_CASE("repeated bursts of requests open no more upstream connections") {
    constexpr std::size_t together = 128; // more than connections.idle
    constexpr std::size_t rounds = 3;
    std::array<Event, rounds> all_arrived;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(all_arrived.at(exchange.number / together));
                    exchange.send(response_text("{}"));
                },
                with_upstream("connections: { max: 128, per_caller: 128 }")};
    std::list<RawClient> clients;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (auto& client : clients)
            client.send(request_for("getPipe").text());
        // At first. A client that waited until all others are connected might be closed as idle.
        while (clients.size() < together)
            clients.emplace_back(stage.port()).send(request_for("getPipe").text());
        stage.upstream.wait_for_requests(together * (round + 1));
        all_arrived.at(round).set();
        for (auto& client : clients)
            CHECK(client.read_response().status == 200);
        CHECK(stage.upstream.connections() == together);
    }
    clients.clear();
    stage.finish();
}

TEST_CASE("a response without a body ends with its head, and the connection stays open") {
    Stage stage;
    RawClient client{stage.port()};
    struct Row {
        std::string bytes;
        int status;
    };
    for (auto const& row : std::vector<Row>{
             {"HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n", 204},
             {"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 10\r\n\r\n", 304},
             {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200},
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200}}) {
        stage.upstream.respond_with(send_bytes(row.bytes));
        auto const response = client.exchange(request_for("getPipe").text());
        CHECK(response.status == row.status);
        CHECK(response.body.empty());
    }
    CHECK(stage.upstream.connections() == 1);
    stage.finish();
}

TEST_CASE("a response to HEAD keeps its length and has no body") {
    Stage stage{send_bytes("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nX-A: b\r\n\r\n"),
                [](Configuration& configuration) {
                    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, "
                                          "authenticate: [basic] }\n";
                }};
    RawClient client{stage.port()};
    auto const head = Outgoing{"HEAD", "/blob/a"}.authorization(basic(administrator));
    for (int index = 0; index < 2; ++index) {
        auto const response = client.exchange(head.text());
        CHECK(response.status == 200);
        CHECK(response.fields.one("Content-Length") == "1234");
    }
    CHECK(stage.upstream.connections() == 1);
    stage.finish();
}

TEST_CASE("a body that ends with the upstream's connection reaches the client completely") {
    Stage stage{send_and_close("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1,2,3]")};
    RawClient client{stage.port()};
    CHECK(client.exchange(request_for("listAlerts").text()).body == "[1,2,3]");
    stage.upstream.respond_with(send_bytes(response_text("{}")));
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    stage.finish();
}

TEST_CASE("errors of the upstream reach the client unchanged") {
    Stage stage;
    struct Row {
        int status;
        std::string body;
        std::string type;
    };
    for (auto const& row :
         std::vector<Row>{{400, R"({"status":400,"error":"BAD_REQUEST: x","requestId":"y"})",
                           "application/json"},
                          {404, R"({"message":"no"})", "application/json; charset=utf-8"},
                          {401, "Unauthorized", "text/plain"},
                          {429, "", ""},
                          {500, "\x1f\x8b not gzip", "application/json"},
                          {503, "<html>", "text/html"}}) {
        CAPTURE(row.status);
        stage.upstream.respond_with(
            send_bytes(response_text(row.body, row.status,
                                     {{"Retry-After", "3"},
                                      {"X-RateLimit-Reset", "1.5"},
                                      {"WWW-Authenticate", "Basic realm=\"up\""}},
                                     row.type)));
        auto const response = stage.send(request_for("getPipe"));
        CHECK(response.status == row.status);
        CHECK(response.body == row.body);
        CHECK(response.fields.find("Retry-After") == "3");
        CHECK(response.fields.find("X-RateLimit-Reset") == "1.5");
        CHECK(response.fields.find("WWW-Authenticate") == "Basic realm=\"up\"");
        CHECK(response.fields.find("Content-Type").value_or("") == row.type);
        CHECK(stage.log_of(response)["reason"].is_null());
    }
    stage.finish();
}

TEST_CASE("hop-by-hop fields of a response are not forwarded") {
    Stage stage{
        send_bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive, X-Hop\r\n"
                   "X-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\n"
                   "Upgrade: h2c\r\nX-End: 2\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\n{}")};
    auto const response = stage.send(request_for("getPipe"));
    CHECK(response.status == 200);
    for (auto const* name : {"X-Hop", "Keep-Alive", "Proxy-Authenticate", "Upgrade", "Connection"})
        CHECK(response.fields.count(name) == 0);
    CHECK(response.fields.one("X-End") == "2");
    CHECK(response.fields.count("Set-Cookie") == 2);
    stage.finish();
}

TEST_CASE("a response without a date gets one, and another keeps its own") {
    Stage stage{send_bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")};
    auto const dated = stage.send(request_for("getPipe"));
    auto const date = dated.fields.one("Date");
    CHECK(date.size() == 29);
    CHECK(date.substr(25) == " GMT");
    stage.upstream.respond_with(
        send_bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: date\r\n"
                   "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n{}"));
    CHECK(stage.send(request_for("getPipe")).fields.one("Date") == "Sun, 06 Nov 1994 08:49:37 GMT");
    stage.finish();
}

} // namespace e07_upstreams
