// The most basic faults first: the gateway starts, listens as configured, uses TLS as configured,
// and ends.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <openssl/ssl.h>

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

namespace e01_starts_and_stops {

using namespace sallyport::test;
using namespace std::string_literals;

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

TEST_CASE("a gateway without requests starts, and ends at SIGTERM with exit code 0") {
    Stage stage;
    CHECK(stage.gateway.is_running());
    CHECK(stage.gateway.stop() == 0);
    CHECK(stage.upstream.connections() == 0);
    CHECK(stage.gateway.log().empty());
}

TEST_CASE("a request over TLS passes and gets its response") {
    Stage stage;
    auto const response = stage.send(request_for("getPipe"));
    CHECK(response.status == 200);
    CHECK(response.body == "{}");
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("a client that sends plain HTTP to a TLS listener is not served, and logged") {
    Stage stage;
    RawClient client{stage.port(), without_tls()};
    client.try_send(request_for("getPipe").text());
    auto const end = client.read_to_end();
    CHECK((end == End::orderly || end == End::reset));
    CHECK(client.unread().find("HTTP/1.1 400 Bad Request\r\n") == 0);
    CHECK(stage.upstream.requests().empty());
    auto const line = stage.gateway.wait_for_log(
        [](Json const& entry) { return entry.text("reason") == "tls_failed"; });
    CHECK(line["method"].is_null());
    CHECK(line.text("status") == "0");
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

TEST_CASE("a version of TLS below the minimum is refused, both modern ones are supported") {
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

TEST_CASE("the certificate is selected by the requested server name") {
    Stage stage;
    CHECK(shown_certificate(stage.port(), "unknown.example.test") == "localhost");
    CHECK(shown_certificate(stage.port(), "") == "localhost");
    CHECK(shown_certificate(stage.port(), "localhost") == "localhost");
    CHECK(shown_certificate(stage.port(), "second.example.test") == "second.example.test");
    CHECK(shown_certificate(stage.port(), "SECOND.example.TEST") == "second.example.test");
    CHECK(shown_certificate(stage.port(), "a.wild.example.test") == "*.wild.example.test");
    CHECK(shown_certificate(stage.port(), "a.b.wild.example.test") == "localhost");
    CHECK(shown_certificate(stage.port(), "rsa.example.test") == "rsa.example.test");
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

TEST_CASE("a connection beyond the limit replaces the one that has been idle longest") {
    auto const* const limit = GENERATE("connections: 3", "connections_per_address: 3");
    CAPTURE(limit);
    Stage stage{{}, [&](Configuration& configuration) {
                    with_limits(limit)(configuration);
                    configuration.rest += admin_section;
                }};
    auto const exchange_on = [](RawClient& client) {
        CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    };
    RawClient used_last{stage.port()};
    exchange_on(used_last);
    RawClient idlest{stage.port()};
    exchange_on(idlest);
    RawClient never_used{stage.port()};
    exchange_on(used_last);
    RawClient first_beyond{stage.port()};
    exchange_on(first_beyond);
    CHECK(idlest.read_to_end() == End::orderly);
    CHECK(idlest.unread().empty());
    RawClient second_beyond{stage.port()};
    exchange_on(second_beyond);
    CHECK(never_used.read_to_end() == End::orderly);
    exchange_on(used_last);
    exchange_on(first_beyond);
    auto const metrics = request_admin(stage.gateway.admin_port(), "/metrics").body;
    CHECK(count_of("sallyport_connections_gave_way_total{waiting_for=\"request\"} 2", metrics)
          == 1);
    CHECK(count_of("sallyport_connections_refused_total 0", metrics) == 1);
    stage.finish();
}

TEST_CASE("idle connections of other workers are replaced, too") {
    Stage stage{{}, [](Configuration& configuration) {
                    with_limits("connections: 3")(configuration);
                    configuration.workers = "3";
                }};
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<RawClient>(stage.port()));
        CHECK(clients.back()->exchange(request_for("getPipe").text()).status == 200);
    }
    // A worker may not have noticed yet that the response was sent.
    for (int i = 0; i < 12; ++i) {
        TimeLimit const limit;
        while (!RawClient::try_handshake(stage.port(), {}).empty())
            REQUIRE_FALSE(limit.has_passed());
    }
    stage.finish();
}

TEST_CASE("of all workers the connection that has been idle longest is replaced") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    if (exchange.request.target.find("/wait") != std::string::npos)
                        exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                [](Configuration& configuration) {
                    with_limits("connections: 2")(configuration);
                    configuration.workers = "2";
                    configuration.apis += "  open: { paths: [\"/open/\"], upstream: management, "
                                          "authenticate: [anonymous] }\n";
                }};
    // A worker that loses its processor after a response notes the end of the exchange late: its
    // log line shows that it has.
    std::size_t sent = 0;
    auto const exchange_on = [&](RawClient& client) {
        CHECK(client.exchange("GET /open/x HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200);
        stage.gateway.wait_for_log_lines(++sent);
    };
    // One at each worker.
    RawClient first{stage.port()};
    RawClient second{stage.port()};
    SECTION("at the worker that is searched first") {
        exchange_on(first);
        exchange_on(second);
        RawClient beyond{stage.port()};
        exchange_on(beyond);
        CHECK(first.read_to_end() == End::orderly);
        exchange_on(second);
    }
    SECTION("at the other one") {
        exchange_on(second);
        exchange_on(first);
        RawClient beyond{stage.port()};
        exchange_on(beyond);
        CHECK(second.read_to_end() == End::orderly);
        exchange_on(first);
    }
    SECTION("at the only one where one is idle") {
        first.send("GET /open/wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stage.upstream.wait_for_requests(1);
        exchange_on(second);
        RawClient beyond{stage.port()};
        exchange_on(beyond);
        CHECK(second.read_to_end() == End::orderly);
        gate.set();
        CHECK(first.read_response().status == 200);
    }
    gate.set();
    stage.finish();
}

TEST_CASE("at the limit of an address its own connection is replaced, and no other") {
    Stage stage{{}, with_limits("connections_per_address: 1")};
    auto const request = request_for("getPipe").text();
    // From another address of this machine.
    Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK + 1);
    REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    address.sin_port = ::htons(stage.port());
    REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    Channel other{std::move(socket)};
    REQUIRE(other.connect_tls(client_context({}), "localhost").empty());
    auto const exchange_on_other = [&] {
        REQUIRE(other.write_all(request) == End::data);
        std::array<char, 4096> bytes{};
        auto const result = other.read_some(bytes);
        REQUIRE(result.end == End::data);
        CHECK(std::string_view{bytes.data(), result.count}.starts_with("HTTP/1.1 200 "));
    };
    exchange_on_other(); // idle longer than the one below
    RawClient own{stage.port()};
    CHECK(own.exchange(request).status == 200);
    RawClient beyond{stage.port()};
    CHECK(beyond.exchange(request).status == 200);
    CHECK(own.read_to_end() == End::orderly);
    exchange_on_other();
    stage.finish();
}

TEST_CASE("a connection beyond the limit is closed at once if none is idle") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                with_limits("connections: 2")};
    RawClient first{stage.port()};
    first.send(request_for("getPipe").text());
    RawClient second{stage.port()};
    second.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(2);
    CHECK_FALSE(RawClient::try_handshake(stage.port(), {}).empty());
    auto const line = stage.gateway.wait_for_log(
        [](Json const& some) { return some.text("reason") == "too_many_connections"; });
    CHECK(line["generation"].number == 1);
    gate.set();
    CHECK(first.read_response().status == 200);
    CHECK(second.read_response().status == 200);
    TimeLimit const limit;
    while (!RawClient::try_handshake(stage.port(), {}).empty())
        REQUIRE_FALSE(limit.has_passed());
    stage.finish();
}

TEST_CASE("beyond the limit of handshakes the oldest is closed, and served connections stay") {
    auto const* const limit = GENERATE("handshakes: 2", "handshakes_per_address: 2");
    CAPTURE(limit);
    Stage stage{{}, [&](Configuration& configuration) {
                    with_limits(limit)(configuration);
                    configuration.workers = "1";
                }};
    RawClient served{stage.port()};
    auto const part = "\x16\x03\x01"s;
    RawClient oldest{stage.port(), without_tls()};
    oldest.send(part);
    RawClient younger{stage.port(), without_tls()};
    younger.send(part);
    RawClient another{stage.port()};
    CHECK(another.exchange(request_for("getPipe").text()).status == 200);
    CHECK(oldest.read_to_end() == End::reset);
    CHECK(served.exchange(request_for("getPipe").text()).status == 200);
    RawClient youngest{stage.port(), without_tls()};
    youngest.send(part);
    CHECK(another.exchange(request_for("getPipe").text()).status == 200);
    RawClient last{stage.port()};
    CHECK(last.exchange(request_for("getPipe").text()).status == 200);
    CHECK(younger.read_to_end() == End::reset);
    stage.finish();
}

TEST_CASE("a client that offers HTTP/1.0 alone gets it, and one that offers no version is refused") {
    Stage stage;
    ClientOptions options;
    options.tls.protocols = "http/1.0"; // RFC 7301, 6
    RawClient client{stage.port(), options};
    unsigned char const* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(client.channel().tls(), &name, &size);
    CHECK(std::string_view{reinterpret_cast<char const*>(name), size} == "http/1.0");
    CHECK(client.exchange(request_for("getPipe").text()).status == 200);
    options.tls.protocols = "spdy/3.1";
    CHECK_FALSE(RawClient::try_handshake(stage.port(), options).empty());
    stage.finish();
}

TEST_CASE("plain HTTP to a TLS port gets a readable response") {
    Stage stage;
    for (auto const* const line : {"GET / HTTP/1.1", "OPTIONS * HTTP/1.1", "DELETE /a HTTP/1.1"}) {
        CAPTURE(line);
        RawClient client{stage.port(), without_tls()};
        client.send_in_pieces(line + "\r\nHost: a\r\n\r\n"s, 3);
        auto const response = client.read_response();
        CHECK(response.status == 400);
        CHECK(response.body == "This port speaks HTTPS: repeat the request with https://...\n");
        CHECK(client.read_to_end() == End::orderly);
    }
    stage.gateway.wait_for_log(
        [](Json const& some) { return some.text("reason") == "tls_failed"; });
    CHECK(count_of("plain HTTP came to a port of HTTPS", stage.gateway.standard_error()) >= 1);
    // The responses to these are not read.
    for (auto const& bytes : {"get / HTTP/1.1\r\n"s, "\x80\x2e\x01\x03\x01"s, "GET\r\n\r\n"s,
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ / HTTP/1.1\r\n"s}) {
        CAPTURE(bytes);
        RawClient client{stage.port(), without_tls()};
        client.send(bytes);
        client.read_to_end();
        CHECK(client.unread().empty());
    }
    stage.finish();
}

TEST_CASE("a handshake that does not end in time is closed") {
    Stage stage{{}, with_limits("handshake: 200ms")};
    RawClient client{stage.port(), without_tls()};
    auto const end = client.read_to_end();
    CHECK((end == End::orderly || end == End::reset));
    stage.finish();
}

} // namespace e01_starts_and_stops
