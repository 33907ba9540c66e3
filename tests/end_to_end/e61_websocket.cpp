// WebSockets through the gateway: the handshake, frames in both directions, and every way in which
// a tunnel ends.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/event.h"
#include "tests/support/http2_client.h"

#include <catch2/catch.hpp>
#include <openssl/evp.h>

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>

namespace e61_websocket {

using namespace sallyport::test;
using namespace std::chrono_literals;
using namespace std::string_literals;
namespace h2 = sallyport::test::http2;

namespace {

constexpr std::string_view document = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/socket:
    get:
      operationId: openSocket
      x-upgrade: { protocol: websocket, origins: ["https://app.example.com"] }
      parameters:
        - { name: room, in: query, schema: { type: integer } }
  /v1/silent:
    get:
      operationId: openSilent
      x-upgrade: websocket
      x-timeouts: { idle: 300ms }
  /v1/unmarked:
    get:
      operationId: getUnmarked
)yaml";

// The example of RFC 6455, 1.3.
constexpr std::string_view key = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr std::string_view accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

enum class From : std::uint8_t { client, server };
constexpr char text = '\x81';
constexpr char close_opcode = '\x88';

// A frame of less than 126 bytes; a client's is masked. For threads of the upstream too, which may
// not use the macros of Catch2.
std::string frame(From from, char first, std::string const& payload) {
    if (payload.size() >= 126) throw std::logic_error{"a frame of the test is too long"};
    constexpr std::string_view mask = "\x11\x22\x33\x44";
    std::string out{first};
    if (from == From::server) return out + static_cast<char>(payload.size()) + payload;
    out += static_cast<char>(0x80 | payload.size());
    out += mask;
    for (std::size_t i = 0; i < payload.size(); ++i)
        out += static_cast<char>(payload[i] ^ mask[i % 4]);
    return out;
}

std::string closing(From from, int code) {
    return frame(from, close_opcode,
                 {static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)});
}

// The code of a close frame, which is masked where a client sends it.
int code_of_close(std::string const& bytes) {
    REQUIRE(bytes.size() >= 4);
    CHECK(bytes[0] == close_opcode);
    bool const is_masked = (bytes[1] & 0x80) != 0;
    if (is_masked) REQUIRE(bytes.size() == 8);
    auto const at = [&](std::size_t i) {
        auto const byte = bytes[is_masked ? 6 + i : 2 + i];
        return static_cast<unsigned char>(is_masked ? byte ^ bytes[2 + i] : byte);
    };
    return at(0) * 256 + at(1);
}

Outgoing handshake(std::string const& path = "/v1/socket") {
    return Outgoing{"GET", path}
        .add("Connection", "keep-alive, Upgrade")
        .add("Upgrade", "websocket")
        .add("Sec-WebSocket-Version", "13")
        .add("Sec-WebSocket-Key", std::string{key});
}

std::string switching(std::string_view more = {}, std::string_view accepted = accept) {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept: "
           + std::string{accepted} + "\r\n" + std::string{more} + "\r\n";
}

// The upstream's end of a tunnel.
class Server {
public:
    explicit Server(UpstreamExchange& exchange) : exchange_{exchange} {}

    void send(std::string_view bytes) { exchange_.send(bytes); }
    // Exactly that many bytes; fewer where the connection ends before.
    std::string read(std::size_t count) {
        std::string bytes;
        std::array<char, 4096> part{};
        while (bytes.size() < count) {
            auto const wanted = std::min(part.size(), count - bytes.size());
            auto const result = exchange_.channel().read_some({part.data(), wanted});
            if (result.end != End::data) break;
            bytes.append(part.data(), result.count);
        }
        return bytes;
    }

private:
    UpstreamExchange& exchange_;
};

void wait_until_open(Gateway const& gateway, double count) {
    TimeLimit const limit;
    while (metrics_of(gateway)["sallyport_tunnels"] != count)
        REQUIRE_FALSE(limit.has_passed());
}

// A gateway, and an upstream that agrees to a WebSocket and goes on as the test says.
struct Tunnelled {
    explicit Tunnelled(std::function<void(Server&)> goes_on, std::string_view more = {},
                       Change const& change = {})
        : stage{[goes_on = std::move(goes_on), head = switching(more)](UpstreamExchange& exchange) {
                    Server server{exchange};
                    server.send(head);
                    goes_on(server);
                },
                [change](Configuration& configuration) {
                    configure(configuration);
                    if (change) change(configuration);
                },
                options()},
          client{stage.port()} {}

    static void configure(Configuration& configuration) {
        configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                             "authenticate: [basic] }\n";
        configuration.rest += admin_section;
    }
    static Gateway::Options options() {
        Gateway::Options options;
        options.files["own.yaml"] = document;
        options.credentials = administrator_credentials();
        return options;
    }

    Response open(Outgoing request = handshake()) {
        client.send(request.add("Authorization", basic(administrator)).text());
        return client.read_response();
    }
    // Connections that only test whether the port is open leave lines without a method.
    Json line() const {
        return stage.gateway.wait_for_log([](Json const& one) { return !one["method"].is_null(); });
    }
    // A client that keeps its side open is waited for.
    void finish() {
        client.channel().close();
        stage.finish();
    }
    // It is counted once its 101 was sent.
    void wait_for_tunnels(double count) const { wait_until_open(stage.gateway, count); }

    Stage stage;
    RawClient client;
};

std::string echo_until_close(Server& server) {
    auto const first = server.read(frame(From::client, text, "hello").size());
    server.send(frame(From::server, text, "HELLO"));
    auto const last = server.read(closing(From::client, 1000).size());
    server.send(closing(From::server, 1000));
    return first + last;
}

} // namespace

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
                    Tunnelled::configure, Tunnelled::options()};
        auto const response = stage.send(handshake()
                                             .add("Authorization", basic(administrator))
                                             .add("Sec-WebSocket-Protocol", "a"));
        CHECK(response.status == 502);
        CHECK(stage.gateway.wait_for_log_lines(1)[0].text("reason") == "upstream_invalid");
        stage.finish();
    }
}

TEST_CASE("an upstream that does not agree has its response relayed, and the connection ends") {
    Stage stage{[](UpstreamExchange& exchange) {
                    exchange.send(response_text("{\"no\":1}", 403));
                    exchange.wait_for_end();
                },
                Tunnelled::configure, Tunnelled::options()};
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
                Tunnelled::configure, Tunnelled::options()};
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

TEST_CASE("a side that vanishes ends the WebSocket for the other") {
    SECTION("the client") {
        Event ended;
        std::string at_server;
        Tunnelled tunnelled{[&](Server& server) {
            at_server = server.read(7);
            ended.set();
        }};
        REQUIRE(tunnelled.open().status == 101);
        tunnelled.client.channel().close();
        CHECK(ended.wait() == Waited::happened);
        CHECK(at_server.empty());
        CHECK(tunnelled.line().text("reason") == "client_closed");
        tunnelled.finish();
    }
    SECTION("the upstream") {
        Tunnelled tunnelled{[&](Server&) {}};
        tunnelled.stage.upstream.respond_with([](UpstreamExchange& exchange) {
            exchange.send(switching());
            exchange.send(frame(From::server, text, "last"));
            exchange.close_orderly();
        });
        REQUIRE(tunnelled.open().status == 101);
        tunnelled.client.read_to_end();
        CHECK(tunnelled.client.unread() == frame(From::server, text, "last"));
        CHECK(tunnelled.line().text("reason") == "upstream_incomplete");
        tunnelled.finish();
    }
}

namespace {

// What the gateway sends both sides of a tunnel that it ends, and how that is logged. The server
// answers, as the client does.
void check_close(Tunnelled& tunnelled, std::string const& at_server, Event& seen, int code,
                 std::string_view reason) {
    CHECK(code_of_close(tunnelled.client.read_bytes(4)) == code);
    CHECK(seen.wait() == Waited::happened);
    CHECK(code_of_close(at_server) == code);
    tunnelled.client.send(closing(From::client, code));
    CHECK(tunnelled.client.read_to_end() == End::orderly);
    auto const line = tunnelled.line();
    CHECK(line.text("reason") == reason);
    CHECK(line.text("status") == "101");
    CHECK(line["duration_us"].number < 4'000'000); // not by the limit of its end
}

std::function<void(Server&)> answer_close(std::string& at_server, Event& seen) {
    return [&](Server& server) {
        at_server = server.read(8);
        server.send(closing(From::server, 1000));
        seen.set();
    };
}

} // namespace

TEST_CASE("a WebSocket that is silent for too long gets a close frame on both sides") {
    std::string at_server;
    Event seen;
    Tunnelled tunnelled{answer_close(at_server, seen)};
    REQUIRE(tunnelled.open(handshake("/v1/silent")).status == 101);
    check_close(tunnelled, at_server, seen, 1001, "tunnel_idle");
    tunnelled.finish();
}

TEST_CASE("a frame that breaks the standard is not passed on, and ends the WebSocket") {
    std::string at_server;
    Event seen;
    Tunnelled tunnelled{answer_close(at_server, seen)};
    REQUIRE(tunnelled.open().status == 101);
    tunnelled.client.send(frame(From::server, text, "unmasked"));
    check_close(tunnelled, at_server, seen, 1002, "protocol_failed");
    CHECK(tunnelled.stage.gateway.every_written_byte().find("unmasked_frame") != std::string::npos);
    tunnelled.finish();
}

TEST_CASE("a frame of an upstream that breaks the standard ends the WebSocket") {
    std::string at_server;
    Event seen;
    Tunnelled tunnelled{[&](Server& server) {
        server.send(frame(From::client, text, "masked"));
        at_server = server.read(8);
        seen.set();
    }};
    REQUIRE(tunnelled.open().status == 101);
    check_close(tunnelled, at_server, seen, 1002, "upstream_invalid");
    tunnelled.finish();
}

TEST_CASE("a WebSocket ends when its caller's credential does") {
    std::string at_server;
    Event seen;
    Tunnelled tunnelled{answer_close(at_server, seen)};
    // Whole seconds: at least one is left.
    auto const end = std::time(nullptr) + 2;
    std::array<char, 32> text_of_end{};
    std::tm parts{};
    ::gmtime_r(&end, &parts);
    std::strftime(text_of_end.data(), text_of_end.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    auto credentials = Tunnelled::options().credentials;
    credentials += "    expires: " + std::string{text_of_end.data()} + "\n";
    tunnelled.stage.gateway.replace("credentials.yaml", credentials);
    tunnelled.stage.gateway.wait_for_reloads(1);
    REQUIRE(tunnelled.open().status == 101);
    check_close(tunnelled, at_server, seen, 1008, "credential_expired");
    tunnelled.finish();
}

TEST_CASE("a drain ends WebSockets with 1001 behind the frame that is under way") {
    std::string at_server;
    Event seen;
    Event drains;
    auto const hello = frame(From::client, text, "hello");
    auto const last = frame(From::server, text, "last");
    Tunnelled tunnelled{[&](Server& server) {
        server.send(last.substr(0, 3));
        drains.wait();
        server.send(last.substr(3) + frame(From::server, text, "too late"));
        at_server = server.read(8);
        server.send(closing(From::server, 1001));
        seen.set();
    }};
    REQUIRE(tunnelled.open().status == 101);
    CHECK(tunnelled.client.read_bytes(3) == last.substr(0, 3));
    tunnelled.stage.gateway.signal(SIGTERM);
    wait_until_closed(tunnelled.stage.port());
    drains.set();
    CHECK(tunnelled.client.read_bytes(3) == last.substr(3));
    check_close(tunnelled, at_server, seen, 1001, "draining");
    tunnelled.client.channel().close();
    CHECK(tunnelled.stage.gateway.wait_for_exit() == 0);
}

TEST_CASE("a side that does not answer a close frame is not waited for longer than its limit") {
    Event seen;
    Event ended;
    Tunnelled tunnelled{[&](Server& server) {
        server.read(8);
        seen.set();
        server.read(1); // it sends none
        ended.set();
    }};
    REQUIRE(tunnelled.open(handshake("/v1/silent")).status == 101);
    CHECK(code_of_close(tunnelled.client.read_bytes(4)) == 1001);
    CHECK(seen.wait() == Waited::happened);
    tunnelled.client.read_to_end();
    CHECK(ended.wait() == Waited::happened);
    auto const line = tunnelled.line();
    CHECK(line.text("reason") == "tunnel_idle");
    CHECK(line["duration_us"].number >= 5'000'000);
    tunnelled.finish();
}

// --- over HTTP/2 (RFC 8441)

namespace {

constexpr unsigned enable_connect_protocol = 8;

// RFC 6455, 4.2.2.
std::string accept_of(std::string const& its_key) {
    auto const joined = its_key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, 20> hash{};
    EVP_Q_digest(nullptr, "SHA1", nullptr, joined.data(), joined.size(), hash.data(), nullptr);
    std::array<unsigned char, 32> encoded{};
    auto const size = EVP_EncodeBlock(encoded.data(), hash.data(), static_cast<int>(hash.size()));
    return {reinterpret_cast<char const*>(encoded.data()), static_cast<std::size_t>(size)};
}

Change both_versions() {
    return [](Configuration& configuration) {
        Tunnelled::configure(configuration);
        configuration.listeners += "    protocols: [h2, http/1.1]\n";
    };
}

struct OverHttp2 {
    explicit OverHttp2(RecordingUpstream::Script script)
        : stage{std::move(script), both_versions(), Tunnelled::options()}, client{stage.port()} {}

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

TEST_CASE("short messages cost no patience, and silence no time limit of bodies") {
    constexpr std::size_t count = 1500; // more than there are points
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

TEST_CASE("a drain ends a WebSocket over HTTP/2 with 1001 too") {
    std::string at_server;
    Event seen;
    OverHttp2 both{OverHttp2::agreeing([&](UpstreamExchange& exchange) {
        Server server{exchange};
        at_server = server.read(8);
        exchange.send(closing(From::server, 1001));
        seen.set();
    })};
    auto const stream = both.open();
    both.stage.gateway.signal(SIGTERM);
    both.wait_for_body(stream, closing(From::server, 1001));
    both.client.send_body(stream, closing(From::client, 1001), h2::flag::end_stream);
    both.client.wait_until([&] { return both.client.stream(stream).is_over(); }, "its end");
    CHECK(seen.wait() == Waited::happened);
    CHECK(code_of_close(at_server) == 1001);
    both.client.read_to_end();
    both.client.channel().close();
    CHECK(both.stage.gateway.wait_for_exit() == 0);
    CHECK(both.line().text("reason") == "draining");
}

} // namespace e61_websocket
