// WebSockets over HTTP/2 (RFC 8441).
#include "tests/end_to_end/websocket_stage.h"
#include "tests/support/authority.h"
#include "tests/support/http2_client.h"
#include "tests/support/text.h"

#include <catch2/catch.hpp>

#include <array>
#include <csignal>
#include <functional>
#include <string>

namespace e61_websocket_http2 {

using namespace sallyport::test;
using namespace sallyport::test::websocket;
using namespace std::chrono_literals;
using namespace std::string_literals;
namespace h2 = sallyport::test::http2;

namespace {

constexpr unsigned enable_connect_protocol = 8;

struct OverHttp2 {
    explicit OverHttp2(RecordingUpstream::Script script, Change const& change = {},
                       Gateway::Options const& options = Tunnelled::standard_options(),
                       Http2Options const& its_client = {})
        : stage{std::move(script), Tunnelled::with(change), options}, client{stage.port(),
                                                                             its_client} {}

    // Agrees, and goes on as the test says.
    static RecordingUpstream::Script agreeing(std::function<void(UpstreamExchange&)> goes_on) {
        return [goes_on = std::move(goes_on)](UpstreamExchange& exchange) {
            exchange.send(switching("Sec-WebSocket-Protocol: chat\r\n",
                                    accept_of(exchange.request.fields.one("Sec-WebSocket-Key"))));
            goes_on(exchange);
        };
    }

    std::uint32_t open(std::string const& path = "/v1/socket",
                       std::string const& protocol = "websocket",
                       std::string const& method = "CONNECT") {
        auto const stream = client.next_stream();
        client.send(h2::headers(stream,
                                h2::block_of({{":method", method},
                                              {":protocol", protocol},
                                              {":scheme", "https"},
                                              {":authority", "localhost"},
                                              {":path", path},
                                              {"authorization", basic(administrator)},
                                              {"sec-websocket-version", "13"},
                                              {"sec-websocket-protocol", "chat"},
                                              {"origin", "https://app.example.com"}}),
                                h2::flag::end_headers));
        client.wait_until([&] { return client.stream(stream).has_head; }, "a response");
        return stream;
    }
    void wait_for_body(std::uint32_t stream, std::string const& body) {
        client.wait_until([&] { return client.stream(stream).message.body.size() >= body.size(); },
                          "the body");
        CHECK((client.stream(stream).message.body == body));
    }
    Json line() const { return stage.gateway.wait_for_log_lines(1)[0]; }

    Stage stage;
    Http2Client client;
};

} // namespace

TEST_CASE("a WebSocket over HTTP/2 is one of HTTP/1.1 to its upstream") {
    std::string at_server;
    Event seen;
    OverHttp2 both{OverHttp2::agreeing([&](UpstreamExchange& exchange) {
        Server server{exchange};
        at_server = echo_until_close(server);
        seen.set();
    })};
    auto const stream = both.open();
    CHECK(both.client.setting(enable_connect_protocol) == 1U);
    auto const response = both.client.stream(stream).message;
    CHECK(response.status == 200);
    CHECK(response.fields.find("sec-websocket-protocol") == "chat");
    CHECK_FALSE(response.fields.find("sec-websocket-accept"));
    CHECK_FALSE(response.fields.find("upgrade"));
    auto const hello = frame(From::client, text, "hello");
    auto const answer = frame(From::server, text, "HELLO");
    both.client.send_body(stream, hello, 0);
    both.wait_for_body(stream, answer);
    wait_until_open(both.stage.gateway, 1);
    both.client.send_body(stream, closing(From::client, 1000), h2::flag::end_stream);
    both.wait_for_body(stream, answer + closing(From::server, 1000));
    both.client.wait_until([&] { return both.client.stream(stream).is_over(); }, "its end");
    CHECK(both.client.stream(stream).has_ended);
    CHECK(seen.wait() == Waited::happened);
    CHECK(at_server == hello + closing(From::client, 1000));

    auto const request = both.stage.upstream.request(0);
    CHECK(request.method == "GET");
    CHECK(request.fields.find("Upgrade") == "websocket");
    CHECK(request.fields.find("Connection") == "Upgrade");
    CHECK(request.fields.find("Via") == "2.0 sallyport");
    CHECK_FALSE(request.fields.find(":protocol"));
    auto const line = both.line();
    CHECK(line.text("protocol") == "HTTP/2.0");
    CHECK(line.text("method") == "GET");
    CHECK(line.text("status") == "200");
    CHECK(line.text("upstream_status") == "101");
    CHECK(line["reason"].is_null());
    // The connection goes on.
    CHECK(both.open("/v1/unmarked") != stream);
    both.client.channel().close();
    both.stage.finish();
}

TEST_CASE("a WebSocket over HTTP/2 may be silent for longer than a body") {
    OverHttp2 both{OverHttp2::agreeing([](UpstreamExchange& exchange) {
                       Server server{exchange};
                       echo_until_close(server);
                   }),
                   limit_bodies};
    auto const stream = both.open();
    wait_until_body_is_late(both.stage);
    both.client.send_body(stream, frame(From::client, text, "hello"), 0);
    both.wait_for_body(stream, frame(From::server, text, "HELLO"));
    both.client.send_body(stream, closing(From::client, 1000), h2::flag::end_stream);
    both.client.wait_until([&] { return both.client.stream(stream).is_over(); }, "its end");
    both.client.channel().close();
    both.stage.finish();
}

TEST_CASE("many short messages pass a WebSocket over HTTP/2") {
    constexpr std::size_t count = 1500;
    auto const hello = frame(From::client, text, "hello");
    std::string expected;
    for (std::size_t i = 0; i < count; ++i)
        expected += hello;
    std::string at_server;
    Event seen;
    OverHttp2 both{OverHttp2::agreeing([&](UpstreamExchange& exchange) {
        Server server{exchange};
        at_server = server.read(expected.size());
        seen.set();
        exchange.wait_for_end();
    })};
    auto const stream = both.open();
    for (std::size_t i = 0; i < count; ++i)
        both.client.send(h2::data(stream, hello, 0));
    CHECK(seen.wait() == Waited::happened);
    CHECK((at_server == expected));
    CHECK_FALSE(both.client.goaway());
    both.client.channel().close();
    CHECK(both.line().text("reason") == "client_closed");
    both.stage.finish();
}

TEST_CASE("a client that does not take its frames over HTTP/2 is said to be too slow too") {
    OverHttp2 both{OverHttp2::agreeing([](UpstreamExchange& exchange) {
                       exchange.send(long_message());
                       exchange.wait_for_end();
                   }),
                   limit_bodies};
    both.open(); // without a wait it gives nothing back to its windows
    wait_until_client_is_slow(both.stage);
    both.client.channel().close();
    both.stage.finish();
}

TEST_CASE("CONNECT with a protocol opens a WebSocket or nothing") {
    OverHttp2 both{[](UpstreamExchange& exchange) { exchange.send(response_text("{}")); }};
    auto const status = [&](std::uint32_t stream) {
        return both.client.stream(stream).message.status;
    };
    CHECK(status(both.open("/v1/unmarked")) == 400);
    CHECK(status(both.open("/v1/socket", "connect-udp")) == 400);
    CHECK(status(both.open("/v1/socket", "websocket", "GET")) == 400);
    CHECK(both.stage.upstream.connections() == 0);
    // An upstream that answers it like any GET.
    CHECK(status(both.open("/v1/socket")) == 502);
    CHECK(both.stage.gateway.wait_for_log_lines(4)[3].text("reason") == "upstream_invalid");
    both.client.channel().close();
    both.stage.finish();
}

namespace {

// An upstream that answers a close frame with its code.
struct Closed {
    RecordingUpstream::Script script() {
        return OverHttp2::agreeing([this](UpstreamExchange& exchange) {
            Server server{exchange};
            at_server = server.read(8);
            exchange.send(closing(From::server, code_of_close(at_server)));
            seen.set();
        });
    }
    // What both sides get of a WebSocket that the gateway ends. The client answers.
    void check(OverHttp2& both, std::uint32_t stream, int code) {
        both.wait_for_body(stream, closing(From::server, code));
        both.client.send_body(stream, closing(From::client, code), h2::flag::end_stream);
        both.client.wait_until([&] { return both.client.stream(stream).is_over(); }, "its end");
        CHECK(seen.wait() == Waited::happened);
        CHECK(code_of_close(at_server) == code);
    }

    std::string at_server;
    Event seen;
};

} // namespace

TEST_CASE("a drain ends a WebSocket over HTTP/2 with 1001 too") {
    Closed closed;
    OverHttp2 both{closed.script()};
    auto const stream = both.open();
    both.stage.gateway.signal(SIGTERM);
    closed.check(both, stream, 1001);
    both.client.read_to_end();
    both.client.channel().close();
    CHECK(both.stage.gateway.wait_for_exit() == 0);
    CHECK(both.line().text("reason") == "draining");
}

TEST_CASE("a reload that removes the listener of a WebSocket over HTTP/2 ends it with 1001 too") {
    Closed closed;
    OverHttp2 both{closed.script()};
    auto const stream = both.open();
    wait_until_open(both.stage.gateway, 1);
    both.stage.gateway.replace("sallyport.yaml", without_public(both.stage.gateway));
    closed.check(both, stream, 1001);
    // Its connection too, with its last request.
    CHECK(both.client.read_to_end() == End::orderly);
    both.client.channel().close();
    CHECK(both.line().text("reason") == "draining");
    both.stage.finish();
}

TEST_CASE("a reload ends WebSockets over HTTP/2 that could not be opened any more") {
    constexpr std::string_view mark =
        "      x-upgrade: { protocol: websocket, origins: [\"https://app.example.com\"] }\n";
    struct Row {
        std::string_view from;
        std::string_view to;
        char const* reason;
    };
    for (auto const& row :
         {Row{mark, "", "unknown_operation"},
          Row{"  /v1/socket:\n    get:", "  /v1/socket:\n    post:", "method_not_allowed"}}) {
        CAPTURE(row.reason);
        Closed closed;
        OverHttp2 both{closed.script()};
        auto const stream = both.open();
        wait_until_open(both.stage.gateway, 1);
        auto changed = replaced(std::string{document}, std::string{row.from}, std::string{row.to});
        if (row.reason == "method_not_allowed"s) changed = replaced(changed, mark, "");
        both.stage.gateway.replace("own.yaml", changed);
        closed.check(both, stream, 1008);
        CHECK(both.line().text("reason") == row.reason);
        both.client.channel().close();
        both.stage.finish();
    }
}

TEST_CASE("a WebSocket over HTTP/2 ends when its client's certificate would not open it any more") {
    IssuingAuthority const authority{"Clients"};
    auto const own = authority.issue();
    TemporaryFolder const folder;
    auto options = Tunnelled::standard_options();
    options.files["ca.pem"] = authority.certificate();
    options.files["crl.pem"] = authority.list();
    Http2Options its_client;
    its_client.connection.tls.own = folder.write("own.pem", own.with()).string();
    Closed closed;
    OverHttp2 both{closed.script(),
                   [](Configuration& configuration) {
                       configuration.listeners = tls_listener(
                           {certificates().server}, "      client_certificates: { verify: required, "
                                                    "ca: ca.pem, crl: crl.pem, ocsp: off }\n");
                   },
                   options, its_client};
    auto const stream = both.open();
    wait_until_open(both.stage.gateway, 1);
    both.stage.gateway.replace("crl.pem", authority.list({own.serial}));
    closed.check(both, stream, 1008);
    CHECK(both.line().text("reason") == "unauthenticated");
    both.client.channel().close();
    both.stage.finish();
}

} // namespace e61_websocket_http2
