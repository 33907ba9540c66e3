// HTTP/2: the same requests in both versions are judged, logged and forwarded alike; its limits;
// and what happens to its connections when the gateway drains, reloads or is replaced.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/comparable.h"
#include "tests/support/http2_client.h"
#include "tests/support/successor.h"

#include <catch2/catch.hpp>
#include <openssl/ssl.h>

#include <csignal>

namespace e60_http2 {

using namespace sallyport::test;
namespace h2 = sallyport::test::http2;

namespace {

Change with_admin(std::string const& limits = {}) {
    return [limits](Configuration& configuration) {
        configuration.limits += limits.empty() ? "" : "  " + limits + "\n";
        configuration.rest += admin_section;
    };
}

// The protocol that ALPN selects.
std::string selected(std::uint16_t port, std::string const& offered) {
    ClientOptions options;
    options.tls.protocols = offered;
    RawClient client{port, options};
    unsigned char const* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(client.channel().tls(), &name, &size);
    return {reinterpret_cast<char const*>(name), size};
}

// Requests of every operation, and of every kind of refusal.
std::vector<Outgoing> requests() {
    std::vector<Outgoing> all;
    for (auto const& one : all_operations())
        all.push_back(request_for(one));
    all.push_back(request_for("getPipe").authorization("Basic eDp5"));
    all.push_back(request_for("getPipe").without("Authorization"));
    all.push_back(request_for("getPipe").method("HEAD"));
    all.push_back(request_for("getPipe").method("DELETE"));
    all.push_back(request_for("getPipe").target("/nowhere"));
    all.push_back(request_for("getPipe").target("/v1//a"));
    all.push_back(request_for("getPipe").target("/v1/%2e%2e/a"));
    all.push_back(request_for("getPipe").add("X-Request-Id", "a b"));
    all.push_back(request_for("getPipe").add("Cookie", "a=b"));
    all.push_back(request_for("getPipe").add("User-Agent", std::string(9'000, 'a')));
    all.push_back(request_for("updatePipeSettings").body(R"({"db_max_threads": 65})"));
    all.push_back(request_for("updatePipeSettings").body(R"({"db_max_threads":)"));
    all.push_back(request_for("updatePipeSettings").body("a", "text/plain"));
    all.push_back(request_for("updatePipeSettings").body(std::string(2 << 20, ' ')));
    return all;
}

// Whether the connection ends if 90 PINGs come so often, each time at once.
bool is_a_flood(Stage const& stage, std::size_t times) {
    Http2Client client{stage.port()};
    std::string pings;
    for (int i = 0; i < 90; ++i)
        pings += h2::ping();
    for (std::size_t i = 0; i < times; ++i) {
        static_cast<void>(client.try_send(pings));
        auto const acknowledged = [&] { return client.count_of(h2::type::ping) >= 90 * (i + 1); };
        client.wait_until([&] { return acknowledged() || client.goaway(); }, "PINGs");
        if (!client.goaway()) continue;
        CHECK(client.goaway()->code == h2::code::enhance_your_calm);
        return true;
    }
    return false;
}

} // namespace

TEST_CASE("of `protocols` the first that the client offers is selected") {
    {
        Stage stage{{}, with_admin()};
        CHECK(selected(stage.port(), "http/1.1,h2") == "h2");
        CHECK(selected(stage.port(), "http/1.1") == "http/1.1");
        CHECK(selected(stage.port(), "http/1.0") == "http/1.0");
        // Without ALPN.
        CHECK(stage.send(request_for("getPipe")).status == 200);
        stage.finish();
    }
    auto const with = [](std::string const& protocols) {
        return [protocols](Configuration& configuration) {
            configuration.listeners += "    protocols: " + protocols + "\n";
        };
    };
    {
        Stage stage{{}, with("[http/1.1, h2]")};
        CHECK(selected(stage.port(), "h2,http/1.1") == "http/1.1");
        CHECK(fetch_http2(stage.port(), request_for("getPipe").text()).status == 200);
        stage.finish();
    }
    Stage stage{{}, with("[http/1.1]")};
    CHECK(selected(stage.port(), "h2,http/1.1") == "http/1.1");
    CHECK(selected(stage.port(), "foo,http/1.0") == "http/1.0");
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("a client that offers by ALPN only what its listener does not speak gets the alert") {
    for (std::string const protocols : {"[http/1.1]", "[h2, http/1.1]"}) {
        Stage stage{{}, [&](Configuration& configuration) {
                        configuration.listeners += "    protocols: " + protocols + "\n";
                    }};
        std::vector<std::string> offers{"foo", "acme-tls/1", "spdy/3.1,h2c"};
        if (protocols == "[http/1.1]") offers.emplace_back("h2");
        for (auto const& offered : offers)
            for (auto const* const version : {"1.2", "1.3"}) {
                CAPTURE(protocols, offered, version);
                ClientOptions options;
                options.tls.protocols = offered;
                options.tls.highest_version = version;
                // RFC 7301, 3.2: no_application_protocol.
                auto const error = RawClient::try_handshake(stage.port(), options);
                CHECK(error.find("no application protocol") != std::string::npos);
            }
        auto const lines = stage.gateway.wait_for_log_lines(2 * offers.size());
        CHECK(lines.back().text("reason") == "tls_failed");
        stage.finish();
    }
}

TEST_CASE("requests in both versions have the same response, log line and request upstream") {
    Stage stage{{}, with_admin()};
    Http2Client client{stage.port()};
    for (auto const& request : requests()) {
        CAPTURE(request.head().substr(0, 200));
        auto const before = stage.upstream.requests().size();
        auto const older = stage.send(request);
        auto const newer = client.exchange(request.text());
        CHECK(comparable(newer) == comparable(older));
        CHECK(comparable_body(newer.body) == comparable_body(older.body));
        auto const line = stage.log_of(newer);
        CHECK(line.text("protocol") == "HTTP/2.0");
        CHECK(difference(stage.log_of(older), line) == "");
        auto const sent = stage.upstream.requests();
        if (older.status == 200) {
            REQUIRE(sent.size() == before + 2);
            CHECK(comparable(sent[before + 1]) == comparable(sent[before]));
            CHECK(sent[before + 1].fields.one("Via") == "2.0 sallyport");
        } else {
            CHECK(sent.size() == before);
        }
    }
    auto metrics = metrics_of(stage.gateway);
    auto const count = static_cast<double>(requests().size());
    CHECK(metrics["sallyport_requests_by_protocol_total{protocol=\"HTTP/2.0\"}"] == count);
    CHECK(metrics["sallyport_requests_by_protocol_total{protocol=\"HTTP/1.1\"}"] == count);
    CHECK(metrics["sallyport_http2_connections_total"] == 1);
    stage.finish();
}

TEST_CASE("requests of one connection are served beside each other, up to limits.http2.streams") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                with_admin("http2: { streams: 3 }")};
    Http2Client client{stage.port()};
    client.wait_for_ping();
    CHECK(client.setting(h2::setting_id::max_concurrent_streams) == 3);
    std::vector<std::uint32_t> streams;
    for (int i = 0; i < 4; ++i)
        streams.push_back(client.begin(request_for("getPipe").text()));
    stage.upstream.wait_for_requests(3);
    CHECK(client.read_response(streams.back()).reset == h2::code::refused_stream);
    CHECK(metrics_of(stage.gateway)["sallyport_http2_streams"] == 3);
    gate.set();
    streams.pop_back();
    for (auto const stream : streams)
        CHECK(client.read_response(stream).message.status == 200);
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    stage.finish();
}

TEST_CASE("limits.exchanges and exchanges_per_address count the requests of all connections") {
    auto const* const limit = GENERATE("exchanges: 8", "exchanges_per_address: 8");
    CAPTURE(limit);
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                with_admin(limit)};
    Http2Client first{stage.port()};
    for (int i = 0; i < 9; ++i) // the only request of a connection needs no place
        first.begin(request_for("getPipe").text());
    Http2Client second{stage.port()};
    second.begin(request_for("getPipe").text());
    auto const beyond = second.begin(request_for("getPipe").text());
    CHECK(second.read_response(beyond).reset == h2::code::refused_stream);
    stage.upstream.wait_for_requests(10);
    gate.set();
    CHECK(second.read_response(1).message.status == 200);
    for (std::uint32_t stream = 1; stream < 18; stream += 2)
        CHECK(first.read_response(stream).message.status == 200);
    second.begin(request_for("getPipe").text());
    CHECK(second.exchange(request_for("getPipe").text()).status == 200);
    stage.finish();
}

TEST_CASE("a window grows to the length of its body, no further than limits.http2.window") {
    for (auto const& [window, updates] : {std::pair{"64KiB", 0U}, {"1MiB", 1U}}) {
        CAPTURE(window);
        Stage stage{{}, with_admin("http2: { window: " + std::string{window} + " }")};
        Http2Client client{stage.port()};
        auto request = request_for("createService");
        auto const stream = client.next_stream();
        auto fields = h2::fields_of(parse_request(request.text())->message);
        for (auto& [name, value] : fields)
            if (name == "content-length") value = "300000";
        client.send(h2::headers(stream, h2::block_of(fields), h2::flag::end_headers));
        client.wait_for_ping();
        std::size_t count = 0;
        for (auto const& frame : client.frames())
            count += frame.type == h2::type::window_update && frame.stream == stream ? 1U : 0U;
        CHECK(count == updates);
        client.send(h2::reset(stream));
        stage.finish();
    }
}

TEST_CASE("limits.http2.patience and patience_per_second say when a client floods") {
    {
        Stage stage{{}, with_admin("http2: { patience: 100, patience_per_second: 1 }")};
        CHECK_FALSE(is_a_flood(stage, 1));
        CHECK(is_a_flood(stage, 2));
        stage.gateway.wait_for_log(
            [](Json const& line) { return line.text("reason") == "flooded"; });
        stage.gateway.wait_for_error_output([](std::string const& text) {
            return text.find("ENHANCE_YOUR_CALM: ping") != std::string::npos;
        });
        auto metrics = metrics_of(stage.gateway);
        CHECK(metrics["sallyport_http2_points_total{kind=\"ping\"}"] >= 101);
        CHECK(metrics["sallyport_http2_connections_ended_total{code=\"ENHANCE_YOUR_CALM\"}"] == 1);
        CHECK(stage.send(request_for("getPipe")).status == 200);
        stage.finish();
    }
    {
        Stage stage{{}, with_admin("http2: { patience: 2000, patience_per_second: 1 }")};
        CHECK_FALSE(is_a_flood(stage, 4));
        stage.finish();
    }
    Stage stage{{}, with_admin("http2: { patience: 1000, patience_per_second: 1000000 }")};
    CHECK_FALSE(is_a_flood(stage, 40));
    stage.finish();
}

TEST_CASE("at SIGTERM requests over HTTP/2 are finished, also those on their way") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("\"finished\""));
                },
                with_admin()};
    Http2Client idle{stage.port()};
    idle.wait_for_ping();
    Http2Client running{stage.port()};
    auto const stream = running.begin(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    stage.gateway.signal(SIGTERM);
    CHECK(running.read_goaway().code == h2::code::no_error);
    // A client that has not read of it yet.
    auto const late = running.begin(request_for("getPipe").text());
    CHECK(idle.read_to_end() == End::orderly);
    CHECK(idle.goaway()->code == h2::code::no_error);
    gate.set();
    CHECK(running.read_response(stream).message.body == "\"finished\"");
    if (running.goaway()->last_stream >= late)
        CHECK(running.read_response(late).message.body == "\"finished\"");
    CHECK(running.read_to_end() == End::orderly);
    CHECK(stage.gateway.wait_for_exit() == 0);
}

TEST_CASE("at the end of `drain` requests over HTTP/2 are cut off and logged") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) { exchange.wait(gate); },
                both(with_admin(),
                     [](Configuration& configuration) { configuration.rest += "drain: 200ms\n"; })};
    Http2Client client{stage.port()};
    client.begin(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    stage.gateway.signal(SIGTERM);
    CHECK(client.read_to_end() != End::data);
    CHECK_FALSE(client.stream(1).has_ended);
    CHECK(stage.gateway.wait_for_exit() == 1);
    stage.gateway.wait_for_log([](Json const& line) { return line.text("reason") == "draining"; });
}

TEST_CASE(
    "a reload leaves connections of HTTP/2 open, and an upgrade loses none of their requests") {
    Event gate;
    Stage stage{{}, with_admin()};
    Http2Client client{stage.port()};
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(1);
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    CHECK_FALSE(client.goaway());
    stage.upstream.respond_with([&](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.send(response_text("\"old\""));
    });
    auto const stream = client.begin(request_for("getPipe").text());
    stage.upstream.wait_for_requests(3);
    stage.upstream.respond_with({});
    auto const successor = upgrade(
        stage.gateway, [&](int number) { stage.gateway.signal(number); }, 1);
    CHECK(fetch_http2(stage.port(), request_for("getPipe").text()).status == 200);
    gate.set();
    CHECK(client.read_response(stream).message.body == "\"old\"");
    CHECK(stage.gateway.wait_for_exit() == 0);
    successor.signal(SIGTERM);
    CHECK(successor.has_ended(patience));
}

TEST_CASE("what breaks the protocol of HTTP/2 ends its connection, and has a line") {
    Stage stage{{}, with_admin()};
    Http2Client client{stage.port()};
    client.send(h2::data(1, "x"));
    CHECK(client.read_goaway().code == h2::code::protocol_error);
    CHECK(client.read_to_end() == End::orderly);
    auto const line = stage.gateway.wait_for_log(
        [](Json const& one) { return one.text("reason") == "protocol_failed"; });
    CHECK(line["method"].is_null());
    CHECK(line.text("protocol") == "HTTP/2.0");
    stage.gateway.wait_for_error_output([](std::string const& text) {
        return text.find("PROTOCOL_ERROR: DATA on an idle stream") != std::string::npos;
    });
    stage.finish();
}

TEST_CASE("requests under way have the reason of the fault that ends them") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) { exchange.wait(gate); }, with_admin()};
    Http2Client client{stage.port()};
    auto const first = client.begin(request_for("getPipe").text());
    client.begin(request_for("getPipe").text());
    stage.upstream.wait_for_requests(2);
    // A window beyond 2^31-1 is a fault of its stream alone.
    client.send(h2::window_update(first, 0x7FFF'FFFF));
    CHECK(client.read_response(first).reset == h2::code::flow_control_error);
    client.send(h2::data(99, "x"));
    CHECK(client.read_goaway().code == h2::code::protocol_error);
    CHECK(client.read_to_end() == End::orderly);
    gate.set();
    auto const lines = stage.gateway.wait_for_log_lines(3);
    std::size_t requests = 0;
    for (auto const& line : lines) {
        CHECK(line.text("reason") == "protocol_failed");
        CHECK(line.text("status") == "0");
        if (!line["method"].is_null()) ++requests;
    }
    CHECK(requests == 2);
    auto metrics = metrics_of(stage.gateway);
    CHECK(metrics["sallyport_requests_total{api=\"management\",operation=\"getPipe\",status=\"0\","
                  "reason=\"protocol_failed\"}"]
          == 2);
    stage.gateway.wait_for_error_output([](std::string const& text) {
        return text.find("WINDOW_UPDATE exceeds the stream's window") != std::string::npos;
    });
    stage.finish();
}

TEST_CASE("HTTP/1.1 does not become HTTP/2 by Upgrade, nor without ALPN") {
    Stage stage{{}, with_admin()};
    auto const upgraded = stage.send(request_for("getPipe")
                                         .add("Connection", "Upgrade, HTTP2-Settings")
                                         .add("Upgrade", "h2c")
                                         .add("HTTP2-Settings", "AAMAAABkAAQAAP__"));
    CHECK(upgraded.status == 200);
    CHECK(upgraded.fields.count("Upgrade") == 0);
    CHECK(stage.upstream.requests().back().fields.count("Upgrade") == 0);
    CHECK(stage.upstream.requests().back().fields.count("HTTP2-Settings") == 0);
    RawClient client{stage.port()};
    client.send(h2::preface);
    CHECK(client.read_response().status == 400);
    stage.finish();
}

} // namespace e60_http2
