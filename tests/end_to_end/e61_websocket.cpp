// WebSockets through the gateway: the handshake, and frames in both directions.
#include "tests/end_to_end/websocket_stage.h"

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <string>

namespace e61_websocket {

using namespace sallyport::test;
using namespace sallyport::test::websocket;
using namespace std::chrono_literals;
using namespace std::string_literals;

TEST_CASE("a WebSocket passes unchanged in both directions, and is one line in the log") {
    std::string at_server;
    Event seen;
    Tunnelled tunnelled{[&](Server& server) {
                            at_server = echo_until_close(server);
                            seen.set();
                        },
                        "Sec-WebSocket-Protocol: chat\r\n"};
    auto const response = tunnelled.open(handshake("/v1/socket?room=5")
                                             .add("Sec-WebSocket-Protocol", "chat, other")
                                             .add("Origin", "https://app.example.com"));
    CHECK(response.status == 101);
    CHECK(response.fields.find("Upgrade") == "websocket");
    CHECK(response.fields.find("Connection") == "Upgrade");
    CHECK(response.fields.find("Sec-WebSocket-Accept") == accept);
    CHECK(response.fields.find("Sec-WebSocket-Protocol") == "chat");
    CHECK(response.fields.find("X-Request-Id"));
    CHECK_FALSE(response.fields.find("Content-Length"));
    CHECK_FALSE(response.fields.find("Transfer-Encoding"));
    tunnelled.wait_for_tunnels(1);
    CHECK(tunnelled.stage.gateway.log().empty());

    auto const hello = frame(From::client, text, "hello");
    tunnelled.client.send_in_pieces(hello, 1);
    CHECK(tunnelled.client.read_bytes(7) == frame(From::server, text, "HELLO"));
    tunnelled.client.send(closing(From::client, 1000));
    CHECK(tunnelled.client.read_bytes(4) == closing(From::server, 1000));
    CHECK(tunnelled.client.read_to_end() == End::orderly);
    CHECK(seen.wait() == Waited::happened);
    CHECK(at_server == hello + closing(From::client, 1000));

    auto const line = tunnelled.line();
    CHECK(line.text("operation") == "openSocket");
    CHECK(line.text("method") == "GET");
    CHECK(line.text("status") == "101");
    CHECK(line["reason"].is_null());
    CHECK(line.text("upstream_status") == "101");
    auto const request = tunnelled.stage.upstream.request(0);
    CHECK(request.fields.find("Upgrade") == "websocket");
    CHECK(request.fields.find("Connection") == "Upgrade");
    CHECK(request.fields.find("Sec-WebSocket-Key") == key);
    CHECK(request.fields.find("Sec-WebSocket-Version") == "13");
    CHECK(request.fields.find("Sec-WebSocket-Protocol") == "chat, other");
    CHECK_FALSE(request.fields.find("Content-Length"));
    tunnelled.wait_for_tunnels(0);
    // Its time is not that of a response.
    auto const metrics = metrics_of(tunnelled.stage.gateway);
    CHECK(metrics.sum("sallyport_request_duration_seconds_count") == 0);
    tunnelled.finish();
}

TEST_CASE("a WebSocket may be silent for longer than a body") {
    Tunnelled tunnelled{[](Server& server) { echo_until_close(server); }, {}, limit_bodies};
    CHECK(tunnelled.open().status == 101);
    wait_until_body_is_late(tunnelled.stage);
    tunnelled.client.send(frame(From::client, text, "hello"));
    auto const answer = frame(From::server, text, "HELLO");
    CHECK(tunnelled.client.read_bytes(answer.size()) == answer);
    tunnelled.client.send(closing(From::client, 1000));
    CHECK(code_of_close(tunnelled.client.read_bytes(4)) == 1000);
    tunnelled.finish();
}

TEST_CASE("messages of megabytes pass a WebSocket in both directions at once") {
    constexpr std::size_t size = std::size_t{8} << 20U;
    std::string const head = "\x82\x7F\0\0\0\0\0\x80\0\0"s;
    std::string const message = head + std::string(size, 'x');
    auto masked = message;
    masked[1] = '\xFF';
    masked.insert(head.size(), 4, '\0');
    std::string at_server;
    Event done;
    Tunnelled tunnelled{[&](Server& server) {
        for (std::size_t at = 0; at < message.size(); at += size / 8) {
            server.send(std::string_view{message}.substr(at, size / 8));
            auto const wanted = std::min(size / 8, masked.size() - at_server.size());
            at_server += server.read(wanted);
        }
        at_server += server.read(masked.size() - at_server.size());
        done.set();
    }};
    REQUIRE(tunnelled.open().status == 101);
    std::string at_client;
    for (std::size_t at = 0; at < masked.size(); at += size / 8) {
        tunnelled.client.send(std::string_view{masked}.substr(at, size / 8));
        auto const wanted = std::min(size / 8, message.size() - at_client.size());
        if (wanted != 0) at_client += tunnelled.client.read_bytes(wanted);
    }
    CHECK(done.wait() == Waited::happened);
    CHECK((at_server == masked));
    CHECK((at_client == message));
    tunnelled.client.channel().close();
    auto const line = tunnelled.line();
    CHECK(line["bytes_in"].number >= static_cast<double>(masked.size()));
    CHECK(line["bytes_out"].number >= static_cast<double>(message.size()));
    tunnelled.finish();
}

TEST_CASE("a handshake that breaks a rule is refused before an upstream knows of it") {
    struct Row {
        char const* what;
        Outgoing request;
        int status;
        char const* reason;
    };
    auto const plain = [](std::string const& connection, std::string const& version,
                          std::string const& its_key) {
        return Outgoing{"GET", "/v1/socket"}
            .add("Connection", connection)
            .add("Upgrade", "websocket")
            .add("Sec-WebSocket-Version", version)
            .add("Sec-WebSocket-Key", its_key)
            .add("Authorization", basic(administrator));
    };
    auto const with = [](std::string const& name, std::string const& value) {
        return handshake().add("Authorization", basic(administrator)).add(name, value);
    };
    std::string const good{key};
    std::vector<Row> const rows{
        {"no credential", handshake(), 401, "unauthenticated"},
        {"another origin", with("Origin", "https://evil.example.com"), 403, "origin_denied"},
        {"no origin", with("Origin", "null"), 403, "origin_denied"},
        {"two origins",
         with("Origin", "https://app.example.com").add("Origin", "https://app.example.com"), 403,
         "origin_denied"},
        {"another version", plain("Upgrade", "8", good), 400, "bad_request"},
        {"a short key", plain("Upgrade", "13", "c2hvcnQ="), 400, "bad_request"},
        {"Connection without upgrade", plain("keep-alive", "13", good), 400, "bad_request"},
        {"a repeated subprotocol", with("Sec-WebSocket-Protocol", "a, a"), 400, "bad_request"},
        {"a parameter of the contract",
         handshake("/v1/socket?room=five").add("Authorization", basic(administrator)), 400,
         "bad_parameter"},
    };
    Tunnelled tunnelled{[](Server&) {}};
    for (auto const& row : rows) {
        CAPTURE(row.what);
        auto const response = tunnelled.stage.send(row.request);
        CHECK(response.status == row.status);
        CHECK(tunnelled.stage.gateway.wait_for_log_of(*response.fields.find("X-Request-Id"))
                  .text("reason")
              == row.reason);
        auto const version = response.fields.find("Sec-WebSocket-Version");
        CHECK(version.has_value() == (row.what == "another version"s));
    }
    CHECK(tunnelled.stage.upstream.connections() == 0);
    tunnelled.finish();
}

TEST_CASE("a page of the upstream is denied where the operation names no origin") {
    Tunnelled tunnelled{[](Server&) {}};
    auto const response =
        tunnelled.open(handshake("/v1/silent").add("Origin", "https://localhost"));
    CHECK(response.status == 403);
    CHECK(tunnelled.line().text("reason") == "origin_denied");
    tunnelled.finish();
}

TEST_CASE("an operation without x-upgrade gets no Upgrade, and no 101 from its upstream") {
    Tunnelled tunnelled{[](Server&) {}};
    CHECK(tunnelled.open(handshake("/v1/unmarked")).status == 502);
    CHECK(tunnelled.line().text("reason") == "upstream_invalid");
    CHECK_FALSE(tunnelled.stage.upstream.requests()[0].fields.find("Upgrade"));
    tunnelled.finish();
}

TEST_CASE("a 101 that does not agree to what was offered never reaches the client") {
    for (auto const& answer :
         {switching({}, "AAAAAAAAAAAAAAAAAAAAAAAAAAA="), switching("Sec-WebSocket-Protocol: b\r\n"),
          switching("Sec-WebSocket-Extensions: permessage-deflate\r\n"),
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Accept: "
              + std::string{accept} + "\r\n\r\n"}) {
        CAPTURE(answer);
        Stage stage{[&](UpstreamExchange& exchange) {
                        exchange.send(answer);
                        exchange.wait_for_end();
                    },
                    Tunnelled::configure, Tunnelled::standard_options()};
        auto const response = stage.send(handshake()
                                             .add("Authorization", basic(administrator))
                                             .add("Sec-WebSocket-Protocol", "a"));
        CHECK(response.status == 502);
        CHECK(stage.gateway.wait_for_log_lines(1)[0].text("reason") == "upstream_invalid");
        stage.finish();
    }
}

TEST_CASE("an upstream that does not agree has its response relayed, and both connections end") {
    Stage stage{[](UpstreamExchange& exchange) {
                    if (!exchange.request.fields.find("Upgrade"))
                        return static_cast<void>(exchange.send(response_text("{}")));
                    exchange.send(response_text("{\"no\":1}", 403));
                    exchange.wait_for_end();
                },
                Tunnelled::configure, Tunnelled::standard_options()};
    RawClient client{stage.port()};
    // Frames, or a request in their place, that a client sends too early are thrown away.
    client.send(
        handshake().add("Authorization", basic(administrator)).text()
        + Outgoing{"GET", "/v1/unmarked"}.add("Authorization", basic(administrator)).text());
    auto const response = client.read_response();
    CHECK(response.status == 403);
    CHECK(response.body == "{\"no\":1}");
    CHECK(response.fields.find("Connection") == "close");
    client.read_to_end();
    CHECK(client.unread().empty());
    client.channel().close();
    CHECK(stage.upstream.requests().size() == 1);
    stage.gateway.wait_for_log_lines(1);
    // Although it may be kept: the upstream may read frames from it.
    auto const next = Outgoing{"GET", "/v1/unmarked"}.add("Authorization", basic(administrator));
    CHECK(stage.send(next).status == 200);
    CHECK(stage.upstream.connections() == 2);
    stage.finish();
}

TEST_CASE("frames that come before the 101 wait for it") {
    Event agrees;
    Event read;
    std::string early;
    std::string later;
    auto const hello = frame(From::client, text, "hello");
    Stage stage{[&](UpstreamExchange& exchange) {
                    Server server{exchange};
                    std::array<char, 64> part{};
                    auto const result =
                        exchange.channel().read_some({part.data(), part.size()}, TimeLimit{300ms});
                    early.assign(part.data(), result.count);
                    exchange.send(switching());
                    later = server.read(hello.size());
                    read.set();
                },
                Tunnelled::configure, Tunnelled::standard_options()};
    RawClient client{stage.port()};
    client.send(handshake().add("Authorization", basic(administrator)).text() + hello);
    CHECK(client.read_response().status == 101);
    CHECK(read.wait() == Waited::happened);
    CHECK(early.empty());
    CHECK((later == hello));
    client.channel().close();
    stage.gateway.wait_for_log_lines(1);
    stage.finish();
}

} // namespace e61_websocket
