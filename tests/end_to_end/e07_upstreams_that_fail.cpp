// Upstreams that fail: a truncated response never looks complete, and an invalid one never passes.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e07_upstreams_that_fail {

using namespace sallyport::test;

namespace {

using Script = RecordingUpstream::Script;

Script send_and_reset(std::string bytes) {
    return [bytes](UpstreamExchange& exchange) {
        exchange.send(bytes);
        exchange.reset();
    };
}

} // namespace

TEST_CASE("an upstream that refuses connections causes a 502, and other APIs are served") {
    RecordingUpstream alive;
    auto const closed = bind_tcp();
    auto configuration =
        standard_configuration("http://127.0.0.1:" + std::to_string(closed.port), alive.endpoint());
    Gateway gateway{configuration};
    auto const response = fetch(gateway.port(), request_for("updatePipeSettings").text());
    // Nothing was sent, so that the request may be repeated.
    check_problem(response, refused_for_now(502, "upstream_failed"));
    auto const line = gateway.wait_for_log_of(response.fields.one("X-Request-Id"));
    CHECK(line.text("reason") == "upstream_failed");
    CHECK(line["upstream_status"].is_null());
    CHECK(fetch(gateway.port(), request_for("listAlerts").text()).status == 200);
    CHECK(gateway.stop() == 0);
}

TEST_CASE("an upstream that recovers is used again") {
    TemporaryFolder const folder;
    auto const path = folder / "upstream.sock";
    RecordingUpstream alive;
    Gateway gateway{standard_configuration("unix:" + path.string(), alive.endpoint())};
    CHECK(fetch(gateway.port(), request_for("getPipe").text()).status == 502);
    RecordingUpstream const late{{}, {.unix_path = path}};
    TimeLimit const limit;
    while (fetch(gateway.port(), request_for("getPipe").text()).status != 200)
        REQUIRE_FALSE(limit.has_passed());
    CHECK(gateway.stop() == 0);
}

TEST_CASE("an operation may have less time to connect than its upstream") {
    // The kernel accepts the connection, and no process responds to the ClientHello.
    auto const silent = listen_tcp();
    RecordingUpstream alive;
    auto configuration = standard_configuration("https://127.0.0.1:" + std::to_string(silent.port),
                                                alive.endpoint());
    configuration.upstreams =
        upstream_yaml("management", "https://127.0.0.1:" + std::to_string(silent.port),
                      "timeouts: { connect: 1h }")
        + upstream_yaml("observability", alive.endpoint());
    configuration.apis += "  things: { contract: things.yaml, upstream: management, "
                          "authenticate: [basic] }\n";
    Gateway::Options options;
    options.files = {{"things.yaml",
                      "openapi: 3.1.0\ninfo: { title: Things, version: '1' }\npaths:\n"
                      "  /things/v1/thing:\n    get:\n      operationId: getThing\n"
                      "      x-timeouts: { connect: 300ms }\n"
                      "      responses: { '200': { description: It } }\n"}};
    Gateway gateway{configuration, options};
    auto const response =
        fetch(gateway.port(),
              Outgoing{"GET", "/things/v1/thing"}.authorization(basic(administrator)).text());
    check_problem(response, refused(504, "upstream_timeout"));
    CHECK(gateway.stop() == 0);
}

TEST_CASE("an upstream that never responds causes a 504 at its time limit") {
    Event leave;
    Stage stage{[&](UpstreamExchange& exchange) { exchange.wait(leave); },
                with_upstream("timeouts: { first_byte: 300ms }")};
    auto const response = stage.send(request_for("listAlerts"));
    check_problem(response, refused(504, "upstream_timeout"));
    CHECK(stage.log_of(response).text("reason") == "upstream_timeout");
    CHECK(stage.upstream.requests().size() == 1); // and it is not repeated
    leave.set();
    stage.finish();
}

TEST_CASE("an operation may have a longer time limit of its own") {
    Event leave;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(leave);
                    exchange.send(response_text("{}"));
                },
                with_upstream("timeouts: { first_byte: 300ms }")};
    // The contract gives createService 290 s: it still waits when the other has timed out.
    RawClient waiting{stage.port()};
    waiting.send(request_for("createService").text());
    stage.upstream.wait_for_requests(1);
    CHECK(stage.send(request_for("getPipe")).status == 504);
    leave.set();
    CHECK(waiting.read_response().status == 200);
    stage.finish();
}

TEST_CASE("a response that stops in its middle never looks complete") {
    Event leave;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                    exchange.wait(leave);
                },
                with_upstream("timeouts: { idle: 300ms }")};
    RawClient client{stage.port()};
    client.send(request_for("listAlerts").text());
    auto const end = client.read_to_end();
    CHECK((end == End::reset || end == End::truncated));
    CHECK_THROWS_AS(parse_response(client.unread(), "GET", MoreToCome::no), BadMessage);
    auto const line = stage.gateway.wait_for_log_lines(1)[0];
    CHECK(line.text("status") == "200");
    CHECK((line.text("reason") == "upstream_incomplete"
           || line.text("reason") == "upstream_timeout"));
    leave.set();
    stage.finish();
}

TEST_CASE("a response whose connection ends too early never looks complete") {
    struct Row {
        std::string name;
        std::string bytes; // of the response, before the connection ends
    };
    auto const rows = std::vector<Row>{
        {"length, no body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"},
        {"length, some body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcde"},
        {"length, all but one byte", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcdefghi"},
        {"chunked, nothing", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {"chunked, within a size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1"},
        {"chunked, within data", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"},
        {"chunked, between chunks",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"},
        {"chunked, within the last",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"},
        {"chunked, broken framing",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n"},
    };
    for (auto const security : {Security::tls, Security::plain}) {
        Stage stage{{}, [&](Configuration& configuration) {
                        configuration.listeners +=
                            "  - name: inner\n    address: 127.0.0.1:0\n    tls: off\n";
                    }};
        for (auto const& row : rows) {
            for (auto const& script : {send_and_close(row.bytes), send_and_reset(row.bytes)}) {
                CAPTURE(row.name, security == Security::tls);
                stage.upstream.respond_with(script);
                auto const* listener = security == Security::tls ? "public" : "inner";
                RawClient client{stage.gateway.port(listener), {.security = security, .tls = {}}};
                client.send(request_for("getPipe").text());
                auto const end = client.read_to_end();
                // Over plain HTTP the client gets a reset, over TLS no close_notify.
                CHECK((end == End::reset || (security == Security::tls && end == End::truncated)
                       || client.unread().substr(0, 12) == "HTTP/1.1 502"));
                if (client.unread().substr(0, 12) != "HTTP/1.1 502" && !client.unread().empty())
                    CHECK_THROWS_AS(parse_response(client.unread(), "GET", MoreToCome::no),
                                    BadMessage);
            }
        }
        for (auto const& line : stage.gateway.wait_for_log_lines(2 * rows.size())) {
            auto const reason = line.text("reason");
            CHECK((reason == "upstream_incomplete" || reason == "upstream_failed"
                   || reason == "upstream_invalid"));
        }
        stage.finish();
    }
}

TEST_CASE("an upstream that ends before a response causes a 502, and a POST is not sent twice") {
    Stage stage;
    for (auto const& script :
         {Script{[](UpstreamExchange& exchange) { exchange.close(); }},
          Script{[](UpstreamExchange& exchange) { exchange.reset(); }},
          send_and_close("HTTP/1.1 200"), send_and_close("HTTP/1.1 200 OK\r\nContent-"),
          send_and_close("HTTP/1.1 100 Continue\r\n\r\n")}) {
        auto const before = stage.upstream.requests().size();
        stage.upstream.respond_with(script);
        auto const response = stage.send(request_for("createService"));
        CHECK(response.status == 502);
        // No Retry-After: the request may have been executed.
        check_problem(response, refused(502, Json::parse(response.body).text("reason")));
        CHECK(stage.upstream.requests().size() == before + 1);
    }
    stage.upstream.respond_with([](UpstreamExchange& exchange) { exchange.close(); });
    auto const read = stage.send(request_for("getPipe"));
    CHECK(read.status == 502);
    CHECK(read.fields.find("Retry-After") == "1");
    stage.finish();
}

TEST_CASE("an invalid response causes a 502, and its connection is never used again") {
    std::string const long_value(70'000, 'a');
    for (auto const& bytes : std::vector<std::string>{
             "garbage\r\n\r\n",
             "HTTP/1.1 abc OK\r\n\r\n",
             "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n",
             "HTTP/1.1 99 OK\r\nContent-Length: 0\r\n\r\n",
             "HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n",
             "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n",
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
             // After a valid head, but before any of the response was sent to the client.
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nforeign",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000007\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
             "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n c\r\n\r\n{}",
             "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}",
             "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
             "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\n{}",
             "HTTP/1.1 200 OK\r\nX: " + std::string(1, '\0') + "\r\nContent-Length: 2\r\n\r\n{}",
             "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 2\r\n\r\n{}",
             "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
             "HTTP/1.1 200 OK\r\nX: " + long_value + "\r\nContent-Length: 2\r\n\r\n{}",
         }) {
        CAPTURE(bytes.substr(0, 80));
        Stage stage{send_bytes(bytes)};
        auto const response = stage.send(request_for("getPipe"));
        auto const* const reason = bytes.size() > long_value.size() ? "upstream_head_too_large"
                                                                    : "upstream_invalid";
        check_problem(response, refused(502, reason));
        CHECK(stage.log_of(response).text("reason") == reason);
        stage.upstream.wait_for_open_connections(0);
        stage.upstream.respond_with(send_bytes(response_text("{}")));
        CHECK(stage.send(request_for("getPipe")).status == 200);
        stage.finish();
    }
}

TEST_CASE("bytes after a response are never read as the next one") {
    Stage stage{[](UpstreamExchange& exchange) {
        exchange.send(response_text("\"first\"") + response_text("\"planted\""));
    }};
    RawClient client{stage.port()};
    CHECK(client.exchange(request_for("getPipe").text()).body == "\"first\"");
    stage.upstream.respond_with(send_bytes(response_text("\"second\"")));
    CHECK(client.exchange(request_for("getPipe").text()).body == "\"second\"");
    CHECK(stage.upstream.connections() == 2);
    stage.finish();
}

TEST_CASE("interim responses are not the final one, and too many of them are invalid") {
    std::string const interim = "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n";
    std::string many;
    for (int index = 0; index < 10; ++index)
        many += interim;
    Stage stage{send_bytes("HTTP/1.1 100 Continue\r\n\r\n" + interim + response_text("\"x\""))};
    CHECK(stage.send(request_for("getPipe")).body == "\"x\"");
    stage.upstream.respond_with(send_bytes(many + response_text("\"y\"")));
    CHECK(stage.send(request_for("getPipe")).body == "\"y\"");
    stage.upstream.respond_with(send_bytes(many + interim + response_text("\"z\"")));
    check_problem(stage.send(request_for("getPipe")), refused(502, "upstream_invalid"));
    stage.finish();
}

TEST_CASE("no request fails at an upstream that closes after each response") {
    Stage stage{[](UpstreamExchange& exchange) {
        exchange.send(response_text("{}"));
        exchange.close();
    }};
    RawClient client{stage.port()};
    for (int index = 0; index < 20; ++index) {
        auto const& one = all_operations()[static_cast<std::size_t>(index) % 10];
        CAPTURE(one.id);
        CHECK(client.exchange(request_for(one).text()).status == 200);
        // Closed by now, which the gateway can detect just before it sends a POST, but not later.
        stage.upstream.wait_for_open_connections(0);
    }
    CHECK(stage.upstream.requests().size() == 20);
    stage.finish();
}

TEST_CASE("a GET on a stale pooled connection is repeated once, and a POST never") {
    Stage stage{[](UpstreamExchange& exchange) {
        // The second request of a connection resets it.
        if (exchange.number_on_connection > 0)
            exchange.reset();
        else
            exchange.send(response_text("{}"));
    }};
    RawClient client{stage.port()};
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    auto const again = client.exchange(request_for("getPipe").text());
    CHECK(again.status == 200);
    CHECK(stage.log_of(again).text("retries") == "1");
    CHECK(stage.upstream.requests().size() == 3);
    auto const before = stage.upstream.requests().size();
    auto const create = client.exchange(request_for("createService").text());
    // 200 on a new connection, or 502 on a used one; never two requests.
    CHECK((create.status == 200 || create.status == 502));
    CHECK(stage.upstream.requests().size() == before + 1);
    CHECK(stage.log_of(create).text("retries") == "0");
    stage.finish();
}

TEST_CASE("a request that could not be repeated is not logged as repeated") {
    RecordingUpstream upstream;
    upstream.respond_with([&](UpstreamExchange& exchange) {
        if (exchange.number == 0) {
            exchange.send(response_text("{}"));
        } else {
            upstream.stop_listening();
            wait_until_closed(upstream.port());
            exchange.reset();
        }
    });
    Gateway gateway{standard_configuration(upstream)};
    CHECK(fetch(gateway.port(), request_for("getPipe").text()).status == 200);
    auto const response = fetch(gateway.port(), request_for("getPipe").text());
    check_problem(response, refused_for_now(502, "upstream_failed"));
    auto const line = gateway.wait_for_log_of(response.fields.one("X-Request-Id"));
    CHECK(line.text("retries") == "0");
    CHECK(upstream.connections() == 1);
    CHECK(gateway.stop() == 0);
}

} // namespace e07_upstreams_that_fail
