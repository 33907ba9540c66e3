// A gateway before an upstream that agrees to WebSockets.
#include "tests/end_to_end/websocket_stage.h"

#include "tests/support/text.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace sallyport::test::websocket {

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

int code_of_close(std::string const& bytes) {
    if (bytes.size() < 4 || bytes[0] != close_opcode) return -1;
    bool const is_masked = (bytes[1] & 0x80) != 0;
    if (bytes.size() != (is_masked ? 8 : 4)) return -1;
    auto const at = [&](std::size_t i) {
        auto const byte = bytes[is_masked ? 6 + i : 2 + i];
        return static_cast<unsigned char>(is_masked ? byte ^ bytes[2 + i] : byte);
    };
    return at(0) * 256 + at(1);
}

Outgoing handshake(std::string const& path) {
    return Outgoing{"GET", path}
        .add("Connection", "keep-alive, Upgrade")
        .add("Upgrade", "websocket")
        .add("Sec-WebSocket-Version", "13")
        .add("Sec-WebSocket-Key", std::string{key});
}

std::string switching(std::string_view more, std::string_view accepted) {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept: "
           + std::string{accepted} + "\r\n" + std::string{more} + "\r\n";
}

void wait_until_open(Gateway const& gateway, double count) {
    TimeLimit const limit;
    while (metrics_of(gateway)["sallyport_tunnels"] != count)
        REQUIRE_FALSE(limit.has_passed());
}

std::string long_message() {
    constexpr std::size_t size = std::size_t{8} << 20U;
    return std::string{"\x82\x7F\0\0\0\0\0\x80\0\0", 10} + std::string(size, 'x');
}

void wait_until_client_is_slow(Stage const& stage) {
    auto const line =
        stage.gateway.wait_for_log([](Json const& one) { return !one["method"].is_null(); });
    CHECK(line.text("reason") == "response_too_slow");
    stage.gateway.wait_for_error_output([](std::string const& output) {
        return output.find("reason=response_too_slow note=\"the client did not take what was sent "
                           "within limits.body_idle\"")
               != std::string::npos;
    });
}

std::string without_public(Gateway const& gateway) {
    return replaced(read_file(gateway.folder() / "sallyport.yaml"), "name: public", "name: other");
}

void limit_bodies(Configuration& configuration) {
    configuration.apis += api_yaml("management");
    configuration.limits += "  body_idle: 300ms\n";
}

void wait_until_body_is_late(Stage const& stage) {
    RawClient client{stage.port()};
    client.send(request_for("updatePipeSettings").body("{}").set("Content-Length", "10").text());
    CHECK(client.read_response().status == 408);
}

std::string echo_until_close(Server& server) {
    auto const first = server.read(frame(From::client, text, "hello").size());
    server.send(frame(From::server, text, "HELLO"));
    auto const last = server.read(closing(From::client, 1000).size());
    server.send(closing(From::server, 1000));
    return first + last;
}

void check_close(Tunnelled& tunnelled, std::string const& at_server, Event& seen, int code,
                 std::string_view reason, std::chrono::microseconds at_most) {
    CHECK(code_of_close(tunnelled.client.read_bytes(4)) == code);
    CHECK(seen.wait() == Waited::happened);
    CHECK(code_of_close(at_server) == code);
    tunnelled.client.send(closing(From::client, code));
    CHECK(tunnelled.client.read_to_end() == End::orderly);
    auto const line = tunnelled.line();
    CHECK(line.text("reason") == reason);
    CHECK(line.text("status") == "101");
    CHECK(line["duration_us"].number < static_cast<double>(at_most.count()));
}

std::function<void(Server&)> answer_close(std::string& at_server, Event& seen) {
    return [&](Server& server) {
        at_server = server.read(8);
        server.send(closing(From::server, code_of_close(at_server)));
        seen.set();
    };
}

std::string accept_of(std::string const& its_key) {
    auto const joined = its_key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, 20> hash{};
    EVP_Q_digest(nullptr, "SHA1", nullptr, joined.data(), joined.size(), hash.data(), nullptr);
    std::array<unsigned char, 32> encoded{};
    auto const size = EVP_EncodeBlock(encoded.data(), hash.data(), static_cast<int>(hash.size()));
    return {reinterpret_cast<char const*>(encoded.data()), static_cast<std::size_t>(size)};
}

} // namespace sallyport::test::websocket
