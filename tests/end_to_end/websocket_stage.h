// A gateway before an upstream that agrees to WebSockets: the base of the tests of tunnels.
#pragma once

#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/event.h"

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sallyport::test::websocket {

inline constexpr std::string_view document = R"yaml(openapi: 3.1.0
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
inline constexpr std::string_view key = "dGhlIHNhbXBsZSBub25jZQ==";
inline constexpr std::string_view accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

enum class From : std::uint8_t { client, server };
inline constexpr char text = '\x81';
inline constexpr char close_opcode = '\x88';

/// A frame of less than 126 bytes; a client's is masked. For threads of the upstream too, which may
/// not use the macros of Catch2.
std::string frame(From from, char first, std::string const& payload);

/// A close frame.
std::string closing(From from, int code);

/// The code of a close frame, which is masked where a client sends it; -1: it is none. For threads
/// of the upstream too.
int code_of_close(std::string const& bytes);

/// Without a credential.
Outgoing handshake(std::string const& path = "/v1/socket");

/// The head of a 101; `more`: whole lines.
std::string switching(std::string_view more = {}, std::string_view accepted = accept);

/// The value of Sec-WebSocket-Accept for a key (RFC 6455, 4.2.2).
std::string accept_of(std::string const& its_key);

/// The upstream's end of a tunnel.
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

/// Until so many tunnels are counted, or the time limit of the test.
void wait_until_open(Gateway const& gateway, double count);

/// A gateway, and an upstream that agrees to a WebSocket and goes on as the test says.
struct Tunnelled {
    explicit Tunnelled(std::function<void(Server&)> goes_on, std::string_view more = {},
                       Change const& change = {},
                       Gateway::Options const& options = standard_options())
        : stage{[goes_on = std::move(goes_on), head = switching(more)](UpstreamExchange& exchange) {
                    Server server{exchange};
                    server.send(head);
                    goes_on(server);
                },
                with(change), options},
          client{stage.port()} {}

    static void configure(Configuration& configuration) {
        configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                             "authenticate: [basic] }\n";
        configuration.rest += admin_section;
    }
    /// That, and another change.
    static Change with(Change change) {
        return [change = std::move(change)](Configuration& configuration) {
            configure(configuration);
            if (change) change(configuration);
        };
    }
    static Gateway::Options standard_options() {
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

/// A message of 8 MiB, more than any buffers between a server and its client hold.
std::string long_message();

/// Until the log says that a client was too slow, and not that it has left.
void wait_until_client_is_slow(Stage const& stage);

/// The configuration of a gateway with another name for the listener `public`.
std::string without_public(Gateway const& gateway);

/// Little time for bodies, and an API that takes some.
void limit_bodies(Configuration& configuration);

/// Until a body that began later than now has come too late, where limit_bodies() has set that.
void wait_until_body_is_late(Stage const& stage);

/// Answers "hello" and a close frame; returns the bytes that came.
std::string echo_until_close(Server& server);

/// What the gateway sends both sides of a tunnel that it ends, and how that is logged. The server
/// answers, as the client does. `at_most`: how long it lasts, less than with the limit of its end.
void check_close(Tunnelled& tunnelled, std::string const& at_server, Event& seen, int code,
                 std::string_view reason,
                 std::chrono::microseconds at_most = std::chrono::seconds{4});

/// For a server: stores what the gateway sends it at the end, and answers with the same code.
std::function<void(Server&)> answer_close(std::string& at_server, Event& seen);

} // namespace sallyport::test::websocket
