// Every way in which a WebSocket ends.
#include "tests/end_to_end/issuer_server.h"
#include "tests/end_to_end/websocket_stage.h"
#include "tests/support/encodings.h"
#include "tests/support/text.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace e61_websocket_ends {

using namespace sallyport::test;
using namespace sallyport::test::websocket;
using namespace std::chrono_literals;
using namespace std::string_literals;

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
    Tunnelled tunnelled{[&](Server& server) {
        at_server = server.read(8);
        // Some libraries answer so: the client gets the gateway's code nevertheless.
        server.send(closing(From::server, 1000));
        seen.set();
    }};
    REQUIRE(tunnelled.open().status == 101);
    tunnelled.client.send(frame(From::server, text, "unmasked"));
    check_close(tunnelled, at_server, seen, 1002, "protocol_failed");
    CHECK(tunnelled.stage.gateway.every_written_byte().find("unmasked_frame") != std::string::npos);
    tunnelled.finish();
}

TEST_CASE("a frame of an upstream that breaks the standard ends the WebSocket") {
    auto const valid = frame(From::server, text, "hello");
    auto const echo = frame(From::client, text, "hello");
    std::string at_server;
    Event seen;
    Tunnelled tunnelled{[&](Server& server) {
        server.send(valid + frame(From::client, text, "masked"));
        at_server = server.read(echo.size() + 8);
        seen.set();
    }};
    REQUIRE(tunnelled.open().status == 101);
    CHECK(tunnelled.client.read_bytes(valid.size()) == valid);
    CHECK(code_of_close(tunnelled.client.read_bytes(4)) == 1002);
    // What the client says to the valid frame reaches the upstream; the code is the gateway's.
    tunnelled.client.send(echo + closing(From::client, 1000));
    CHECK(seen.wait() == Waited::happened);
    CHECK(at_server.substr(0, echo.size()) == echo);
    CHECK(code_of_close(at_server.substr(echo.size())) == 1002);
    CHECK(tunnelled.client.read_to_end() == End::orderly);
    CHECK(tunnelled.line().text("reason") == "upstream_invalid");
    tunnelled.finish();
}

namespace {

// When a credential ends, in whole seconds.
class Validity {
public:
    explicit Validity(std::chrono::seconds length) : end_{std::time(nullptr) + length.count()} {}

    // Not by std::time(), which is late by a tick of the kernel.
    [[nodiscard]] bool is_over() const {
        using std::chrono::system_clock;
        return system_clock::to_time_t(system_clock::now()) >= end_;
    }
    // The line of an entry of the file of credentials.
    [[nodiscard]] std::string line() const {
        std::array<char, 32> text_of_end{};
        std::tm parts{};
        ::gmtime_r(&end_, &parts);
        std::strftime(text_of_end.data(), text_of_end.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
        return "    expires: " + std::string{text_of_end.data()} + "\n";
    }

private:
    std::time_t end_;
};

// Calls `attempt` with validities that become longer, until one was not over before its reload was
// done, as it may be on a busy machine: false.
template <class Attempt>
void with_time_enough(Attempt const& attempt) {
    for (auto const length : {4s, 15s, 60s})
        if (attempt(Validity{length})) return;
    FAIL("a reload takes a minute");
}

// Much less than the idle time.
constexpr std::chrono::seconds soon{90};

} // namespace

TEST_CASE("a WebSocket ends when its caller's credential does") {
    with_time_enough([](Validity const& validity) {
        std::string at_server;
        Event seen;
        Tunnelled tunnelled{answer_close(at_server, seen)};
        auto const credentials = Tunnelled::standard_options().credentials + validity.line();
        tunnelled.stage.gateway.replace("credentials.yaml", credentials);
        tunnelled.stage.gateway.wait_for_reloads(1);
        auto const status = tunnelled.open().status;
        if (status == 401 && validity.is_over()) return false;
        REQUIRE(status == 101);
        check_close(tunnelled, at_server, seen, 1008, "credential_expired", soon);
        CHECK(validity.is_over());
        tunnelled.finish();
        return true;
    });
}

namespace {

struct Reloaded : Tunnelled {
    explicit Reloaded(std::function<void(Server&)> goes_on)
        : Tunnelled{std::move(goes_on),
                    {},
                    [](Configuration& configuration) {
                        configuration.credentials += ", denied: denied.txt";
                    },
                    [] {
                        auto options = standard_options();
                        options.files["denied.txt"] = "";
                        return options;
                    }()} {
        REQUIRE(open(handshake().add("Origin", "https://app.example.com")).status == 101);
        wait_for_tunnels(1);
    }
};

} // namespace

TEST_CASE("a reload ends WebSockets that could not be opened any more") {
    struct Row {
        char const* what;
        std::string file;
        std::string content;
        char const* reason;
    };
    auto const credentials = Tunnelled::standard_options().credentials;
    std::string const contract{document};
    std::string const mark =
        "      x-upgrade: { protocol: websocket, origins: [\"https://app.example.com\"] }\n";
    std::vector<Row> const rows{
        {"the credential", "credentials.yaml",
         replaced(credentials, administrator.id, "key-of-another"), "unauthenticated"},
        {"its validity", "credentials.yaml", credentials + "    disabled: true\n",
         "unauthenticated"},
        {"its secret", "denied.txt", "sha256:" + sha256_hex(administrator.secret) + "\n",
         "unauthenticated"},
        {"the permission", "credentials.yaml",
         replaced(credentials, "allow: all", "allow: { operations: [own/getUnmarked] }"),
         "forbidden"},
        {"the origin", "own.yaml", replaced(contract, "https://app.", "https://web."),
         "origin_denied"},
        {"the mark", "own.yaml", replaced(contract, mark, ""), "unknown_operation"},
        {"the operation", "own.yaml", replaced(contract, "/v1/socket", "/v1/others"),
         "unknown_operation"},
    };
    for (auto const& row : rows) {
        CAPTURE(row.what);
        std::string at_server;
        Event seen;
        Reloaded tunnelled{answer_close(at_server, seen)};
        tunnelled.stage.gateway.replace(row.file, row.content);
        check_close(tunnelled, at_server, seen, 1008, row.reason, soon);
        tunnelled.finish();
    }
}

TEST_CASE("a reload that takes nothing from a WebSocket leaves it open, with its new expiry") {
    with_time_enough([](Validity const& validity) {
        std::string at_server;
        Event seen;
        Reloaded tunnelled{[&](Server& server) {
            auto const hello = frame(From::client, text, "hello");
            server.read(hello.size());
            server.send(frame(From::server, text, "HELLO"));
            answer_close(at_server, seen)(server);
        }};
        auto& gateway = tunnelled.stage.gateway;
        auto const credentials = Tunnelled::standard_options().credentials;
        gateway.replace("credentials.yaml", credentials + "    labels: { tier: BASIC }\n");
        gateway.wait_for_reloads(1);
        tunnelled.client.send(frame(From::client, text, "hello"));
        CHECK(tunnelled.client.read_bytes(7) == frame(From::server, text, "HELLO"));
        gateway.replace("credentials.yaml", credentials + validity.line());
        gateway.wait_for_reloads(2);
        if (validity.is_over()) return false;
        check_close(tunnelled, at_server, seen, 1008, "credential_expired", soon);
        CHECK(validity.is_over());
        tunnelled.finish();
        return true;
    });
}

namespace {

// Opened with a token of an issuer whose keys are fetched each second.
struct Issued : Tunnelled {
    Issued(IssuerServer const& issuer, TokenSigner const& signer,
           std::function<void(Server&)> goes_on)
        : Tunnelled{std::move(goes_on),
                    {},
                    [&issuer](Configuration& configuration) {
                        configuration.apis =
                            "  own: { contract: own.yaml, upstream: management, authenticate: "
                            "[jwt], jwt: { issuer: \"https://issuer.example\", audience: own, "
                            "keys: { refresh: 1s, ca: issuer.pem, url: \""
                            + issuer.url("/keys")
                            + "\" }, algorithms: [ES256], roles: { always: [all] } } }\n";
                    },
                    [] {
                        Gateway::Options options;
                        options.files["own.yaml"] = document;
                        options.files["issuer.pem"] = read_file(certificates().authority);
                        options.credentials = "roles: { all: { allow: { apis: [own] } } }\n"
                                              + administrator_credentials();
                        return options;
                    }()} {
        auto const token =
            signer.token(R"({"iss":"https://issuer.example","aud":"own","sub":"alice","exp":)"
                         + std::to_string(std::time(nullptr) + 3600) + '}');
        client.send(handshake().add("Authorization", bearer(token)).text());
        REQUIRE(client.read_response().status == 101);
        wait_for_tunnels(1);
    }
};

} // namespace

TEST_CASE("a WebSocket ends when the issuer withdraws the key of its token") {
    TokenSigner const signer{"ES256", "k1"};
    TokenSigner const other{"ES256", "k2"};
    TokenSigner const replacing{"ES256", "k1"};
    auto const* const now = GENERATE_REF(&other, &replacing);
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    std::string at_server;
    Event seen;
    Issued issued{issuer, signer, answer_close(at_server, seen)};
    issuer.set_keys({now->jwk()});
    check_close(issued, at_server, seen, 1008, "unauthenticated", soon);
    issued.finish();
}

TEST_CASE("a WebSocket stays open while the issuer has the key of its token, or is not there") {
    TokenSigner const signer{"ES256", "k1"};
    TokenSigner const other{"ES256", "k2"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Issued issued{issuer, signer, [](Server& server) { echo_until_close(server); }};
    SECTION("beside another key") {
        issuer.set_keys({signer.jwk(), other.jwk()});
        issued.stage.gateway.wait_for_error_output([](std::string const& output) {
            return output.find("2 keys: k1, k2") != std::string::npos;
        });
    }
    SECTION("it is not there") {
        issuer.set("/keys", response_text("{}", 500));
        issued.stage.gateway.wait_for_error_output([](std::string const& output) {
            return output.find("fetch_failed") != std::string::npos;
        });
    }
    auto const hello = frame(From::client, text, "hello");
    issued.client.send(hello);
    CHECK(issued.client.read_bytes(7) == frame(From::server, text, "HELLO"));
    issued.client.send(closing(From::client, 1000));
    issued.client.read_to_end();
    CHECK(issued.line()["reason"].is_null());
    issued.finish();
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

TEST_CASE("a reload that removes the listener of a WebSocket ends it with 1001") {
    std::string at_server;
    Event seen;
    Tunnelled tunnelled{answer_close(at_server, seen)};
    REQUIRE(tunnelled.open().status == 101);
    tunnelled.wait_for_tunnels(1);
    auto& gateway = tunnelled.stage.gateway;
    gateway.replace("sallyport.yaml", without_public(gateway));
    check_close(tunnelled, at_server, seen, 1001, "draining", soon);
    tunnelled.finish();
}

TEST_CASE("a client that does not take its frames is said to be too slow, not to have left") {
    Tunnelled tunnelled{[](Server& server) {
                            server.send(long_message());
                            server.read(1);
                        },
                        {},
                        limit_bodies};
    RawClient deaf{tunnelled.stage.port(), {.tls = {}, .receive_buffer = ReceiveBuffer::tiny}};
    deaf.send(handshake().add("Authorization", basic(administrator)).text());
    wait_until_client_is_slow(tunnelled.stage);
    deaf.channel().close();
    tunnelled.finish();
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

} // namespace e61_websocket_ends
