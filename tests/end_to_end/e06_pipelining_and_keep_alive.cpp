// Several requests on one connection: in order, each with one response, on as few upstream
// connections as possible.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <atomic>

namespace e06_pipelining_and_keep_alive {

using namespace sallyport::test;

namespace {

// Contains the target of its request.
void echo_target(UpstreamExchange& exchange) {
    exchange.send(response_text("\"" + exchange.request.target + "\""));
}

std::string numbered(int number) {
    return "/api/v2/dashboards/d-" + std::to_string(number);
}

} // namespace

TEST_CASE("Connection: close is honoured, case-insensitively") {
    Stage stage;
    for (auto const* value : {"close", "Close", "x-a, CLOSE"}) {
        RawClient client{stage.port()};
        auto const response =
            client.exchange(request_for("getPipe").add("Connection", value).text());
        CHECK(response.status == 200);
        CHECK(response.fields.find("Connection") == "close");
        CHECK(client.read_to_end() == End::orderly);
    }
    stage.finish();
}

TEST_CASE("an idle connection is closed in order after its time") {
    Stage stage{{}, with_limits("idle: 300ms")};
    RawClient used{stage.port()};
    CHECK(used.exchange(request_for("getPipe").text()).status == 200);
    CHECK(used.read_to_end() == End::orderly);
    CHECK(used.unread().empty());
    RawClient unused{stage.port()};
    CHECK(unused.read_to_end() == End::orderly);
    CHECK(unused.unread().empty());
    stage.finish();
}

TEST_CASE("requests one after the other share the client's and the upstream's connection") {
    Stage stage{echo_target};
    RawClient client{stage.port()};
    for (int index = 0; index < 50; ++index) {
        auto const response =
            client.exchange(request_for("getDashboard").target(numbered(index)).text());
        CHECK(response.body == "\"" + numbered(index) + "\"");
    }
    CHECK(stage.upstream.connections() == 1);
    CHECK(stage.gateway.wait_for_log_lines(50).size() == 50);
    stage.finish();
}

TEST_CASE("pipelined requests get their responses in order, each once") {
    Stage stage{echo_target};
    std::string burst;
    for (int index = 0; index < 40; ++index) {
        burst += request_for("getDashboard").target(numbered(index)).text();
        burst += request_for("updateDashboard").target(numbered(index)).text();
    }
    auto const piece = GENERATE(1'000'000U, 1499U, 13U);
    CAPTURE(piece);
    RawClient client{stage.port()};
    client.send_in_pieces(burst, piece);
    for (int index = 0; index < 80; ++index)
        CHECK(client.read_response().body == "\"" + numbered(index / 2) + "\"");
    CHECK(stage.upstream.requests().size() == 80);
    stage.finish();
}

TEST_CASE("pipelined requests of both APIs are forwarded, each with its own credential to its own "
          "upstream") {
    RecordingUpstream management;
    RecordingUpstream observability;
    auto configuration = standard_configuration(management.endpoint(), observability.endpoint());
    configuration.upstreams =
        upstream_yaml("management", management.endpoint(), "credential: pass_issued")
        + upstream_yaml("observability", observability.endpoint(), "credential: pass_issued");
    Gateway gateway{configuration};
    RawClient client{gateway.port()};
    client.send(request_for("getPipe").text() + request_for("listAlerts").text()
                + request_for("updatePipeSettings").text());
    for (int index = 0; index < 3; ++index)
        CHECK(client.read_response().status == 200);
    REQUIRE(management.requests().size() == 2);
    REQUIRE(observability.requests().size() == 1);
    CHECK(management.request(1).fields.one("Authorization") == basic(administrator));
    CHECK(observability.request(0).fields.one("Authorization") == bearer(observer_token));
    CHECK(gateway.stop() == 0);
}

TEST_CASE(
    "a refusal of a complete request keeps the connection and the order of pipelined requests") {
    Stage stage{echo_target};
    RawClient client{stage.port()};
    client.send(request_for("getDashboard").target(numbered(1)).text()
                + request_for("chartSeries").body("{}").text()
                + request_for("listAlerts").method("POST").set("Content-Length", "0").text()
                + request_for("getDashboard").target(numbered(2)).text());
    CHECK(client.read_response().body == "\"" + numbered(1) + "\"");
    CHECK(client.read_response().status == 400);
    CHECK(client.read_response().status == 405);
    CHECK(client.read_response().body == "\"" + numbered(2) + "\"");
    stage.finish();
}

TEST_CASE("after an ambiguous request no other one is served") {
    Stage stage{echo_target};
    RawClient client{stage.port()};
    client.send(request_for("getDashboard").target(numbered(1)).text()
                + request_for("getDashboard").add("Transfer-Encoding", "gzip").text()
                + request_for("getDashboard").target(numbered(2)).text());
    CHECK(client.read_response().status == 200);
    CHECK(client.read_response().status == 400);
    CHECK(client.read_to_end() == End::orderly);
    CHECK(client.unread().empty());
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("a pipelined request waits while the response before it is slow") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
        if (exchange.number == 0) exchange.wait(gate);
        echo_target(exchange);
    }};
    RawClient client{stage.port()};
    client.send(request_for("getDashboard").target(numbered(1)).text()
                + request_for("getDashboard").target(numbered(2)).text());
    stage.upstream.wait_for_requests(1);
    CHECK(client.is_silent_for(std::chrono::milliseconds{50}));
    CHECK(stage.upstream.requests().size() == 1);
    gate.set();
    CHECK(client.read_response().body == "\"" + numbered(1) + "\"");
    CHECK(client.read_response().body == "\"" + numbered(2) + "\"");
    stage.finish();
}

TEST_CASE(
    "a long response waits for a slow client in the upstream's buffers, not in the gateway's") {
    std::string const piece(1'000'000, 'x');
    constexpr std::size_t pieces = 128;
    std::atomic<std::size_t> sent{0};
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                      + std::to_string(pieces * piece.size()) + "\r\n\r\n");
        for (std::size_t index = 0; index < pieces; ++index) {
            if (exchange.send(piece) != End::data) return;
            ++sent;
        }
    }};
    RawClient client{stage.port(), {.tls = {}, .receive_buffer = ReceiveBuffer::tiny}};
    client.send(request_for("listServiceBackups").text());
    auto const whole_head = [&] {
        std::string head;
        while (head.find("\r\n\r\n") == std::string::npos)
            head += client.read_bytes(1);
        return head;
    };
    CHECK(whole_head().substr(0, 12) == "HTTP/1.1 200");
    // The client reads nothing: the upstream's writes stop long before the end.
    std::size_t before = 0;
    do {
        before = sent.load();
        wait_for(-1, -1, TimeLimit{std::chrono::milliseconds{500}});
    } while (sent.load() != before);
    CHECK(before < pieces);
    for (std::size_t index = 0; index < pieces; ++index)
        REQUIRE(client.read_bytes(piece.size()) == piece);
    CHECK(client.exchange(request_for("getPipe").set("Connection", "close").text()).status == 200);
    stage.finish();
}

TEST_CASE("a chunked response reaches the client in the same bytes") {
    Stage stage{[](UpstreamExchange& exchange) {
        auto const text = std::string{"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                      "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"}
                          + chunked("[1,2,3,4,5,6,7,8,9]", 4);
        exchange.send_in_pieces(text.substr(0, text.size() - 2) + "X-T: v\r\n\r\n", 3);
    }};
    RawClient client{stage.port()};
    for (int index = 0; index < 2; ++index) {
        auto const response = client.exchange(request_for("listAlerts").text());
        CHECK(response.framing == Framing::chunked);
        CHECK(response.body == "[1,2,3,4,5,6,7,8,9]");
        CHECK(response.trailers.empty());
    }
    CHECK(stage.upstream.connections() == 1);
    stage.finish();
}

} // namespace e06_pipelining_and_keep_alive
