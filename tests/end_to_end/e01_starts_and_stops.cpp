// The most basic faults first: the gateway starts, listens as told, speaks TLS as told, and ends.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <openssl/ssl.h>

#include <catch2/catch.hpp>

using namespace sallyport::test;

namespace {

std::string shown_certificate(std::uint16_t port, std::string const& server_name) {
    ClientOptions options;
    options.server_name = server_name;
    options.tls.verify = Verify::no;
    RawClient client{port, options};
    return name_in_certificate(client.channel().tls());
}

ClientOptions with_highest_version(std::string const& version) {
    ClientOptions options;
    options.tls.highest_version = version;
    return options;
}

Change with_listener(std::string const& more) {
    return [more](Configuration& configuration) {
        configuration.listeners = tls_listener({certificates().server}, more);
    };
}

} // namespace

TEST_CASE("a gateway whose upstream is never asked starts, and ends at SIGTERM with exit code 0") {
    Stage stage;
    CHECK(stage.gateway.is_running());
    CHECK(stage.gateway.stop() == 0);
    CHECK(stage.upstream.connections() == 0);
    CHECK(stage.gateway.log().empty());
}

TEST_CASE("a request passes over TLS and is answered") {
    Stage stage;
    auto const response = stage.send(request_for("getPipe"));
    CHECK(response.status == 200);
    CHECK(response.body == "{}");
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("a client that speaks plain HTTP to a TLS listener is dropped and logged") {
    Stage stage;
    RawClient client{stage.port(), without_tls()};
    client.try_send(request_for("getPipe").text());
    auto const end = client.read_to_end();
    CHECK((end == End::orderly || end == End::reset));
    CHECK(client.unread().find("HTTP/") == std::string::npos);
    auto const line = stage.gateway.wait_for_log(
        [](Json const& entry) { return entry.text("reason") == "tls_failed"; });
    CHECK(line["method"].is_null());
    CHECK(line.text("status") == "0");
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("a version of TLS below the minimum is refused, both of the modern ones are spoken") {
    Stage stage;
    CHECK_FALSE(RawClient::try_handshake(stage.port(), with_highest_version("1.1")).empty());
    for (auto const* version : {"1.2", "1.3"}) {
        CAPTURE(version);
        RawClient client{stage.port(), with_highest_version(version)};
        CHECK(std::string{SSL_get_version(client.channel().tls())}
              == "TLSv" + std::string{version});
        auto const response = client.exchange(request_for("getPipe").text());
        CHECK(response.status == 200);
        CHECK(stage.log_of(response)["tls"].text("version") == "TLSv" + std::string{version});
    }
    stage.finish();
}

TEST_CASE("a listener with a minimum of 1.3 refuses TLS 1.2") {
    Stage stage{{}, with_listener("      minimum_version: \"1.3\"\n")};
    CHECK_FALSE(RawClient::try_handshake(stage.port(), with_highest_version("1.2")).empty());
    CHECK(RawClient::try_handshake(stage.port(), with_highest_version("1.3")).empty());
    stage.finish();
}

TEST_CASE("a cipher of TLS 1.2 without forward secrecy is refused") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.listeners = tls_listener({certificates().rsa});
                }};
    auto options = with_highest_version("1.2");
    options.server_name = "rsa.example.test";
    options.tls.ciphers = "AES128-GCM-SHA256";
    CHECK_FALSE(RawClient::try_handshake(stage.port(), options).empty());
    options.tls.ciphers = "ECDHE-RSA-AES128-GCM-SHA256";
    CHECK(RawClient::try_handshake(stage.port(), options).empty());
    stage.finish();
}

TEST_CASE("the certificate is chosen by the name that the client asks for") {
    Stage stage;
    CHECK(shown_certificate(stage.port(), "nobody.example.test") == "localhost");
    CHECK(shown_certificate(stage.port(), "") == "localhost");
    CHECK(shown_certificate(stage.port(), "localhost") == "localhost");
    CHECK(shown_certificate(stage.port(), "second.example.test") == "second.example.test");
    CHECK(shown_certificate(stage.port(), "SECOND.example.TEST") == "second.example.test");
    CHECK(shown_certificate(stage.port(), "a.wild.example.test") == "*.wild.example.test");
    CHECK(shown_certificate(stage.port(), "a.b.wild.example.test") == "localhost");
    CHECK(shown_certificate(stage.port(), "rsa.example.test") == "rsa.example.test");
    stage.finish();
}

TEST_CASE("of the protocols that a client offers HTTP/1.1 is chosen") {
    Stage stage;
    ClientOptions options;
    options.tls.protocols = "h2,http/1.1";
    RawClient client{stage.port(), options};
    unsigned char const* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(client.channel().tls(), &name, &size);
    CHECK(std::string_view{reinterpret_cast<char const*>(name), size} == "http/1.1");
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    stage.finish();
}

TEST_CASE("a listener without TLS and one with TLS serve side by side") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.listeners +=
                        "  - name: inner\n    address: 127.0.0.1:0\n    tls: off\n";
                }};
    auto const plain = without_tls();
    auto const response = fetch(stage.gateway.port("inner"), request_for("getPipe").text(), plain);
    CHECK(response.status == 200);
    CHECK(stage.log_of(response)["tls"].is_null());
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("four workers share the connections") {
    Stage stage{{}, [](Configuration& configuration) { configuration.workers = "4"; }};
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int index = 0; index < 8; ++index)
        clients.push_back(std::make_unique<RawClient>(stage.port()));
    std::map<std::string, int> workers;
    for (auto& client : clients) {
        auto const response = client->exchange(request_for("getPipe").text());
        REQUIRE(response.status == 200);
        ++workers[stage.log_of(response).text("worker")];
    }
    CHECK(workers.size() == 4);
    stage.finish();
}

TEST_CASE("a connection beyond the limit is closed at once, and served again when one has gone") {
    Stage stage{{}, with_limits("connections: 2")};
    RawClient first{stage.port()};
    REQUIRE(first.exchange(request_for("getPipe").text()).status == 200);
    auto second = std::make_unique<RawClient>(stage.port());
    REQUIRE(second->exchange(request_for("getPipe").text()).status == 200);
    CHECK_FALSE(RawClient::try_handshake(stage.port(), {}).empty());
    auto const line = stage.gateway.wait_for_log(
        [](Json const& some) { return some.text("reason") == "too_many_connections"; });
    CHECK(line["generation"].number == 1);
    second.reset();
    TimeLimit const limit;
    while (!RawClient::try_handshake(stage.port(), {}).empty())
        REQUIRE_FALSE(limit.has_passed());
    stage.finish();
}

TEST_CASE("a handshake that never ends is given up") {
    Stage stage{{}, with_limits("handshake: 200ms")};
    RawClient client{stage.port(), without_tls()};
    auto const end = client.read_to_end();
    CHECK((end == End::orderly || end == End::reset));
    stage.finish();
}
