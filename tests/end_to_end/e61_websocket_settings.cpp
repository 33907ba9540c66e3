// What the configuration says of WebSockets: APIs without a contract, origins of web pages, idle
// times, and tokens among the subprotocols.
#include "tests/end_to_end/websocket_stage.h"
#include "tests/support/encodings.h"
#include "tests/support/http2_client.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace e61_websocket_settings {

using namespace sallyport::test;
using namespace sallyport::test::websocket;
namespace h2 = sallyport::test::http2;

namespace {

constexpr std::string_view prefix = "base64url.bearer.authorization.k8s.io.";

std::string entry_of(std::string_view token) {
    return std::string{prefix} + encode_base64url(token);
}

// Paths below /chat/ open WebSockets, /other/ does not, and /v1/ has a contract. `websocket`: keys
// of all three, or of those that may have them.
Change passing_through(std::string const& websocket) {
    return [websocket](Configuration& configuration) {
        std::string const common =
            "upstream: management, authenticate: [bearer, basic]" + websocket + " }\n";
        configuration.apis = "  chat: { paths: [\"/chat/\"], upgrade: [websocket], " + common
                             + "  other: { paths: [\"/other/\"], upstream: management, "
                               "authenticate: [basic] }\n"
                               "  own: { contract: own.yaml, "
                             + common;
    };
}

struct Configured : Tunnelled {
    explicit Configured(std::string const& websocket, std::function<void(Server&)> goes_on = waits,
                        std::string_view more = {})
        : Tunnelled{std::move(goes_on), more, passing_through(websocket), credentials()} {}

    static Gateway::Options credentials() {
        auto options = Tunnelled::standard_options();
        options.credentials += "  - name: page\n    bearer: { tokens: [\"sha256:"
                               + sha256_hex(observer_token) + "\"] }\n    allow: all\n";
        return options;
    }
    static void waits(Server& server) { server.read(1); }

    Response try_open(Outgoing const& request) const {
        RawClient one{stage.port()};
        one.send(request.text());
        return one.read_response();
    }
    int status_from(std::string const& path, std::string const& origin) const {
        return try_open(
                   handshake(path).add("Authorization", basic(administrator)).add("Origin", origin))
            .status;
    }
    int status_with(std::string const& subprotocols, std::string const& path = "/chat/a") const {
        return try_open(handshake(path).add("Sec-WebSocket-Protocol", subprotocols)).status;
    }
};

} // namespace

TEST_CASE("paths of an API without a contract open WebSockets if it says so") {
    Configured tunnelled{""};
    auto const response = tunnelled.open(handshake("/chat/rooms/5?x=y"));
    CHECK(response.status == 101);
    tunnelled.wait_for_tunnels(1);
    auto const request = tunnelled.stage.upstream.request(0);
    CHECK(request.target == "/chat/rooms/5?x=y");
    CHECK(request.fields.find("Upgrade") == "websocket");
    tunnelled.client.channel().close();
    auto const line = tunnelled.line();
    CHECK(line.text("api") == "chat");
    CHECK(line.text("status") == "101");
    // Pages of browsers may not, whatever their origin.
    CHECK(tunnelled.status_from("/chat/a", "https://app.example.com") == 403);
    CHECK(tunnelled.try_open(handshake("/chat/a")).status == 401);
    // A request that asks for no WebSocket is one like any other.
    tunnelled.stage.upstream.respond_with(
        [](UpstreamExchange& exchange) { exchange.send(response_text("{}")); });
    auto const plain = Outgoing{"GET", "/chat/a"}.add("Authorization", basic(administrator));
    CHECK(tunnelled.try_open(plain).status == 200);
    auto const elsewhere = handshake("/other/a").add("Authorization", basic(administrator));
    CHECK(tunnelled.try_open(elsewhere).status == 200);
    CHECK_FALSE(tunnelled.stage.upstream.request(2).fields.find("Upgrade"));
    tunnelled.finish();
}

TEST_CASE("origins of the configuration count beside those of the contract") {
    Configured const tunnelled{
        ", websocket: { origins: [\"https://a.example.org\", \"https://*.pages.example.org\"] }"};
    CHECK(tunnelled.status_from("/chat/a", "https://a.example.org") == 101);
    CHECK(tunnelled.status_from("/chat/a", "https://one.pages.example.org") == 101);
    CHECK(tunnelled.status_from("/chat/a", "https://pages.example.org") == 403);
    CHECK(tunnelled.status_from("/chat/a", "https://app.example.com") == 403);
    CHECK(tunnelled.status_from("/chat/a", "null") == 403);
    CHECK(tunnelled.status_from("/v1/socket", "https://a.example.org") == 101);
    CHECK(tunnelled.status_from("/v1/socket", "https://app.example.com") == 101);
    CHECK(tunnelled.status_from("/v1/silent", "https://b.example.org") == 403);
}

TEST_CASE("the idle time of the configuration counts where the contract has none") {
    std::string at_server;
    Event seen;
    Configured tunnelled{", websocket: { idle: 300ms }", answer_close(at_server, seen)};
    REQUIRE(tunnelled.open(handshake("/chat/a")).status == 101);
    check_close(tunnelled, at_server, seen, 1001, "tunnel_idle");
    tunnelled.finish();
}

TEST_CASE("a token among the subprotocols counts as the Authorization field, and stays here") {
    std::string at_server;
    Event seen;
    Configured tunnelled{", websocket: { token_prefix: " + std::string{prefix} + " }",
                         [&](Server& server) {
                             at_server = echo_until_close(server);
                             seen.set();
                         },
                         "Sec-WebSocket-Protocol: chat\r\n"};
    auto const entry = entry_of(observer_token);
    SECTION("of an API without a contract") {
        tunnelled.client.send(handshake("/chat/a")
                                  .add("Sec-WebSocket-Protocol", "other, " + entry + ", chat")
                                  .text());
    }
    SECTION("of an operation, in lines of their own") {
        tunnelled.client.send(handshake("/v1/socket")
                                  .add("Sec-WebSocket-Protocol", "other")
                                  .add("Sec-WebSocket-Protocol", entry)
                                  .add("Sec-WebSocket-Protocol", "chat")
                                  .text());
    }
    auto const response = tunnelled.client.read_response();
    CHECK(response.status == 101);
    CHECK(response.fields.find("Sec-WebSocket-Protocol") == "chat");
    tunnelled.client.send(frame(From::client, text, "hello"));
    CHECK(tunnelled.client.read_bytes(7) == frame(From::server, text, "HELLO"));
    tunnelled.client.send(closing(From::client, 1000));
    CHECK(seen.wait() == Waited::happened);
    auto const request = tunnelled.stage.upstream.request(0);
    CHECK(request.fields.find("Sec-WebSocket-Protocol") == "other, chat");
    CHECK_FALSE(request.fields.find("Authorization"));
    CHECK(tunnelled.line().text("credential") == "page");
    auto const written = tunnelled.stage.gateway.every_written_byte();
    CHECK(written.find(observer_token) == std::string::npos);
    CHECK(written.find(encode_base64url(observer_token)) == std::string::npos);
    tunnelled.finish();
}

TEST_CASE("what is wrong with a token among the subprotocols is refused") {
    auto const entry = entry_of(observer_token);
    SECTION("if they are looked at") {
        Configured const tunnelled{", websocket: { token_prefix: " + std::string{prefix} + " }"};
        CHECK(tunnelled.status_with("chat, " + entry_of("another.token-0123456789abcdef")) == 401);
        CHECK(tunnelled.status_with("chat") == 401);
        CHECK(tunnelled.status_with("chat, " + std::string{prefix} + "%") == 400);
        CHECK(tunnelled.status_with(entry) == 400); // nothing is left to select
        CHECK(tunnelled.status_with("chat, " + entry + ", " + entry_of("x")) == 400);
        CHECK(tunnelled.status_with("chat, " + entry, "/v1/unmarked") == 502); // known, no 101
        // Two proofs prove nothing.
        auto const twice = handshake("/chat/a")
                               .add("Authorization", bearer(observer_token))
                               .add("Sec-WebSocket-Protocol", "chat, " + entry);
        CHECK(tunnelled.try_open(twice).status == 401);
        // No WebSocket: the field means nothing.
        auto const plain =
            Outgoing{"GET", "/chat/a"}.add("Sec-WebSocket-Protocol", "chat, " + entry);
        CHECK(tunnelled.try_open(plain).status == 401);
        auto const another = Outgoing{"GET", "/chat/a"}
                                 .add("Connection", "Upgrade")
                                 .add("Upgrade", "h2c")
                                 .add("Sec-WebSocket-Protocol", "chat, " + entry);
        CHECK(tunnelled.try_open(another).status == 401);
        CHECK(tunnelled.stage.upstream.connections() == 1);
        CHECK_FALSE(tunnelled.stage.upstream.request(0).fields.find("Sec-WebSocket-Protocol"));
        auto const beside = Outgoing{"GET", "/chat/a"}
                                .add("Authorization", bearer(observer_token))
                                .add("Sec-WebSocket-Protocol", "chat, " + entry);
        CHECK(tunnelled.try_open(beside).status == 502); // the 101 that was not asked for
        CHECK_FALSE(tunnelled.stage.upstream.request(1).fields.find("Sec-WebSocket-Protocol"));
        auto const written = tunnelled.stage.gateway.every_written_byte();
        CHECK(written.find(encode_base64url(observer_token)) == std::string::npos);
    }
    SECTION("if they are not") {
        Configured const tunnelled{""};
        CHECK(tunnelled.status_with("chat, " + entry) == 401);
        CHECK(tunnelled.stage.upstream.connections() == 0);
    }
}

TEST_CASE("a token among the subprotocols counts over HTTP/2 too") {
    Configured tunnelled{", websocket: { token_prefix: " + std::string{prefix} + " }"};
    tunnelled.stage.upstream.respond_with([](UpstreamExchange& exchange) {
        exchange.send(switching("Sec-WebSocket-Protocol: chat\r\n",
                                accept_of(exchange.request.fields.one("Sec-WebSocket-Key"))));
        exchange.wait_for_end();
    });
    Http2Client client{tunnelled.stage.port()};
    auto const stream = client.next_stream();
    client.send(
        h2::headers(stream,
                    h2::block_of({{":method", "CONNECT"},
                                  {":protocol", "websocket"},
                                  {":scheme", "https"},
                                  {":authority", "localhost"},
                                  {":path", "/chat/a"},
                                  {"sec-websocket-version", "13"},
                                  {"sec-websocket-protocol", entry_of(observer_token) + ", chat"}}),
                    h2::flag::end_headers));
    client.wait_until([&] { return client.stream(stream).has_head; }, "a response");
    CHECK(client.stream(stream).message.status == 200);
    CHECK(client.stream(stream).message.fields.find("sec-websocket-protocol") == "chat");
    CHECK(tunnelled.stage.upstream.request(0).fields.find("Sec-WebSocket-Protocol") == "chat");
    client.channel().close();
    CHECK(tunnelled.line().text("credential") == "page");
    tunnelled.finish();
}

} // namespace e61_websocket_settings
