// Clients that come through proxies: HAProxy, and headers and fields written by hand.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

namespace e41_behind_proxies {

using namespace sallyport::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view trusting_us = "trusted_proxies: [127.0.0.0/8, 10.0.0.0/8]";

// Plain listeners: `edge` with these keys, `direct` without. The API `open` is for every client.
struct Behind {
    explicit Behind(std::string const& keys, std::string const& open = {},
                    std::string const& limits = {})
        : stage{{}, [&](Configuration& configuration) {
                    configuration.rest += admin_section;
                    configuration.limits += limits;
                    configuration.listeners += "  - name: edge\n    address: 127.0.0.1:0\n"
                                               "    tls: off\n    "
                                               + keys
                                               + "\n  - name: direct\n    address: 127.0.0.1:0\n"
                                                 "    tls: off\n";
                    configuration.apis = api_yaml("management") + api_yaml("observability")
                                         + "  open: { paths: [\"/open/\"], upstream: management, "
                                           "authenticate: [anonymous]"
                                         + open + " }\n";
                }} {}

    [[nodiscard]] std::uint16_t port() const { return stage.gateway.port("edge"); }
    [[nodiscard]] Response send(Outgoing const& request) const {
        return fetch(port(), request.text(), without_tls());
    }
    [[nodiscard]] Response send_behind(std::string const& header, Outgoing const& request) const {
        return fetch(port(), header + request.text(), without_tls());
    }
    // "CLIENT PEER" of the log.
    [[nodiscard]] std::string logged(Response const& response) const {
        auto const line = stage.log_of(response);
        return line.text("client") + " "
               + (line["peer"].is_null() ? std::string{"null"} : line.text("peer"));
    }
    [[nodiscard]] std::string at_upstream(std::size_t request, std::string_view field) {
        return stage.upstream.request(request).fields.one(field);
    }
    // Whether the connection ends without a byte.
    [[nodiscard]] bool is_refused(std::string_view bytes) const {
        RawClient client{port(), without_tls()};
        static_cast<void>(client.try_send(bytes));
        static_cast<void>(client.read_to_end());
        return client.unread().empty();
    }
    void wait_for_reason(std::string_view reason, std::string_view client) const {
        stage.gateway.wait_for_log([&](Json const& line) {
            return !line["reason"].is_null() && line.text("reason") == reason
                   && line.text("client") == client;
        });
    }

    Stage stage;
};

Outgoing request_of(std::string_view client) {
    return Outgoing{"GET", "/open/a"}.add("X-Forwarded-For", client);
}

std::string v1(std::string_view client) {
    return "PROXY TCP4 " + std::string{client} + " 10.0.0.1 4711 443\r\n";
}

std::string v2(std::string const& tlvs) {
    auto const rest = "\xC0\x00\x02\x07\x0A\x00\x00\x01\x12\x67\x01\xBB"s + tlvs;
    return "\r\n\r\n\0\r\nQUIT\n\x21\x11\0"s + static_cast<char>(rest.size()) + rest;
}

} // namespace

TEST_CASE("log and upstream get the client that a trusted proxy names, and how it came") {
    Behind behind{std::string{trusting_us}};
    auto const response = behind.send(Outgoing{"GET", "/open/a"}
                                          .add("X-Forwarded-For", "198.51.100.9, 192.0.2.1")
                                          .add("X-Forwarded-For", "10.2.2.2")
                                          .add("X-Forwarded-Proto", "https")
                                          .add("X-Forwarded-Host", "evil.example"));
    REQUIRE(response.status == 200);
    CHECK(behind.at_upstream(0, "X-Forwarded-For") == "192.0.2.1");
    CHECK(behind.at_upstream(0, "X-Forwarded-Proto") == "https");
    CHECK(behind.at_upstream(0, "X-Forwarded-Host") == "localhost"); // not counted by default
    CHECK(behind.logged(response) == "192.0.2.1 127.0.0.1");
    // A check of the proxy itself.
    auto const check = behind.send(Outgoing{"GET", "/open/a"});
    CHECK(check.status == 200);
    CHECK(behind.logged(check) == "127.0.0.1 null");
    CHECK(behind.at_upstream(1, "X-Forwarded-For") == "127.0.0.1");
    CHECK(behind.at_upstream(1, "X-Forwarded-Proto") == "http");
    behind.stage.finish();
}

TEST_CASE("the fields of strangers count for nothing") {
    Behind behind{"trusted_proxies: [10.0.0.0/8]"};
    auto const forged = request_of("192.0.2.1").add("X-Forwarded-Proto", "https");
    auto const response = behind.send(forged);
    CHECK(behind.logged(response) == "127.0.0.1 null");
    CHECK(behind.at_upstream(0, "X-Forwarded-For") == "127.0.0.1");
    CHECK(behind.at_upstream(0, "X-Forwarded-Proto") == "http");
    auto const direct = fetch(behind.stage.gateway.port("direct"), forged.text(), without_tls());
    CHECK(behind.logged(direct) == "127.0.0.1 null");
    CHECK(behind.at_upstream(1, "X-Forwarded-For") == "127.0.0.1");
    // Malformed ones do not matter either.
    CHECK(behind.send(request_of("nonsense")).status == 200);
    behind.stage.finish();
}

TEST_CASE("a trusted proxy that does not say who the client is gets 400") {
    Behind behind{std::string{trusting_us}};
    for (auto const* const value : {"unknown", "192.0.2.1,", "192.0.2.1, 10.0.0.300", "a"}) {
        CAPTURE(value);
        auto const response = behind.send(request_of(value));
        CHECK(response.status == 400);
        CHECK(behind.stage.log_of(response).text("reason") == "bad_request");
    }
    CHECK(behind.send(request_of("192.0.2.1").add("X-Forwarded-Proto", "gopher")).status == 400);
    CHECK(behind.stage.upstream.requests().empty());
    behind.stage.finish();
}

TEST_CASE("Forwarded and the requested host count where the configuration says so") {
    Behind forwarded{std::string{trusting_us} + "\n    forwarded_fields: [forwarded]"};
    auto const response = forwarded.send(
        request_of("203.0.113.5")
            .add("Forwarded",
                 "for=198.51.100.9, for=\"[2001:db8::7]:1\";proto=https;host=api.example"));
    CHECK(response.status == 200);
    CHECK(forwarded.logged(response) == "2001:db8::7 127.0.0.1");
    CHECK(forwarded.at_upstream(0, "X-Forwarded-For") == "2001:db8::7");
    CHECK(forwarded.at_upstream(0, "X-Forwarded-Proto") == "https");
    CHECK(forwarded.at_upstream(0, "X-Forwarded-Host") == "api.example");
    CHECK(forwarded.at_upstream(0, "Host") != "api.example");
    CHECK(forwarded.stage.log_of(response).text("host") == "api.example");
    CHECK(forwarded.send(Outgoing{"GET", "/open/a"}.add("Forwarded", "for=\"")).status == 400);
    forwarded.stage.finish();

    // The API is found by that host.
    Behind by_host{std::string{trusting_us}
                       + "\n    forwarded_fields: [x-forwarded-for, x-forwarded-host]",
                   ", hosts: [api.example]"};
    auto const request = request_of("192.0.2.1");
    CHECK(by_host.send(Outgoing{request}.add("X-Forwarded-Host", "API.example:443")).status == 200);
    CHECK(by_host.send(Outgoing{request}.add("X-Forwarded-Host", "other.example")).status == 403);
    CHECK(by_host.send(request).status == 403);
    by_host.stage.finish();
}

TEST_CASE("lists of addresses are about the client, not about its proxy") {
    Behind behind{std::string{trusting_us}
                      + "\n    allow_addresses: [192.0.2.0/24, 198.51.100.0/24]",
                  ", deny_addresses: [192.0.2.9]"};
    CHECK(behind.send(request_of("192.0.2.1")).status == 200);
    CHECK(behind.send(request_of("198.51.100.1")).status == 200);
    for (auto const* const stranger : {"203.0.113.1", "192.0.2.9", "198.51.100.1, 203.0.113.1"}) {
        CAPTURE(stranger);
        auto const response = behind.send(request_of(stranger));
        CHECK(response.status == 403);
        CHECK(behind.stage.log_of(response).text("reason") == "address_denied");
    }
    CHECK(behind.send(Outgoing{"GET", "/open/a"}).status == 403); // the proxy itself
    CHECK(behind.stage.upstream.requests().size() == 2);
    behind.stage.finish();
}

TEST_CASE("behind a proxy that ends TLS, what came as https is served and not redirected") {
    Behind behind{std::string{trusting_us} + "\n    redirect: https"};
    auto const request = request_of("192.0.2.1");
    auto const redirected = behind.send(Outgoing{request}.add("X-Forwarded-Proto", "http"));
    CHECK(redirected.status == 308);
    CHECK(redirected.fields.one("Location") == "https://localhost/open/a");
    CHECK(behind.send(request).status == 308);
    CHECK(behind.send(Outgoing{request}.add("X-Forwarded-Proto", "https")).status == 200);
    CHECK(behind.stage.upstream.requests().size() == 1);
    behind.stage.finish();
}

TEST_CASE("a connection begins with a PROXY header, and is its client's") {
    Behind behind{std::string{trusting_us} + "\n    proxy_protocol: required"};
    Outgoing const request{"GET", "/open/a"};
    auto const first = behind.send_behind(v1("192.0.2.1"), request);
    REQUIRE(first.status == 200);
    CHECK(behind.logged(first) == "192.0.2.1 127.0.0.1");
    CHECK(behind.at_upstream(0, "X-Forwarded-For") == "192.0.2.1");
    CHECK(behind.at_upstream(0, "X-Forwarded-Proto") == "http");
    // TLS that the proxy has ended, and its own check.
    auto const tls = behind.send_behind(v2("\x20\0\x05\x01\0\0\0\0"s), request);
    CHECK(behind.logged(tls) == "192.0.2.7 127.0.0.1");
    CHECK(behind.at_upstream(1, "X-Forwarded-Proto") == "https");
    auto const local = behind.send_behind("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"s, request);
    CHECK(behind.logged(local) == "127.0.0.1 null");
    // Nothing says who has sent its fields.
    for (auto const& header : {"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"s, "PROXY UNKNOWN\r\n"s}) {
        auto const own = behind.send_behind(header, request_of("203.0.113.1"));
        CHECK(behind.logged(own) == "127.0.0.1 null");
        CHECK(behind.stage.upstream.requests().back().fields.one("X-Forwarded-For") == "127.0.0.1");
    }
    // The fields of a client that is no proxy do not count; those of one that is do.
    auto const forged = behind.send_behind(v1("192.0.2.1"), request_of("203.0.113.1"));
    CHECK(behind.logged(forged) == "192.0.2.1 127.0.0.1");
    auto const chain = behind.send_behind(v1("10.5.5.5"), request_of("203.0.113.1"));
    CHECK(behind.logged(chain) == "203.0.113.1 127.0.0.1");
    // In pieces, with requests behind it.
    RawClient client{behind.port(), without_tls()};
    client.send_in_pieces(v1("192.0.2.3") + request.text() + request.text(), 7);
    CHECK(behind.logged(client.read_final_response()) == "192.0.2.3 127.0.0.1");
    CHECK(behind.logged(client.read_final_response()) == "192.0.2.3 127.0.0.1");
    behind.stage.finish();
}

TEST_CASE("a request for another host than the authority of a PROXY header gets 421") {
    Behind behind{std::string{trusting_us} + "\n    proxy_protocol: required"};
    auto const header = v2("\x02\0\x0b"s + "Api.example");
    auto const request = [](std::string const& host) {
        return "GET /open/a HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    };
    RawClient client{behind.port(), without_tls()};
    CHECK(client.exchange(header + request("API.example:443")).status == 200);
    auto const refused = client.exchange(request("other.example"));
    CHECK(refused.status == 421);
    CHECK(behind.stage.log_of(refused).text("reason") == "misdirected");
    // Also after a reload.
    behind.stage.gateway.replace("sallyport.yaml",
                                 read_file(behind.stage.gateway.folder() / "sallyport.yaml")
                                     + "\n# changed\n");
    behind.stage.gateway.wait_for_reloads(1);
    CHECK(client.exchange(request("other.example")).status == 421);
    CHECK(client.exchange(request("api.example")).status == 200);
    CHECK(behind.stage.upstream.requests().size() == 2);
    behind.stage.finish();
}

TEST_CASE("without a valid PROXY header nothing is served") {
    Behind behind{
        std::string{trusting_us} + "\n    proxy_protocol: required", {}, "  handshake: 400ms\n"};
    auto const request = Outgoing{"GET", "/open/a"}.text();
    CHECK(behind.is_refused(request));
    CHECK(behind.is_refused("PROXY TCP4 192.0.2.1 10.0.0.1 1 99999\r\n" + request));
    CHECK(behind.is_refused(v2("\x03\0\x04\0\0\0\0"s) + request));
    CHECK(behind.is_refused(v2("\x01\0\x02h2"s) + request));
    CHECK(behind.is_refused("PROXY TCP4 ")); // and nothing more in time
    behind.wait_for_reason("bad_proxy_header", "127.0.0.1");
    for (auto const* const problem :
         {"the connection does not begin with one", "an address or a port in it is malformed",
          "its checksum is wrong", "its ALPN is of another protocol", "it did not come in time"}) {
        CAPTURE(problem);
        behind.stage.gateway.wait_for_error_output(
            [problem](std::string const& text) { return text.find(problem) != std::string::npos; });
    }
    // A load balancer that looks whether the port is open is no failure.
    static_cast<void>(connect_tcp(behind.port()));
    CHECK(metrics_of(behind.stage.gateway)["sallyport_proxy_headers_failed_total"] == 5);
    CHECK(behind.stage.upstream.requests().empty());
    behind.stage.finish();
}

TEST_CASE("only trusted proxies may send a PROXY header") {
    Behind behind{"trusted_proxies: [10.0.0.0/8]\n    proxy_protocol: required"};
    CHECK(behind.is_refused(v1("192.0.2.1") + Outgoing{"GET", "/open/a"}.text()));
    behind.wait_for_reason("address_denied", "127.0.0.1");
    // It is guessed nowhere.
    auto const guessed = fetch(behind.stage.gateway.port("direct"),
                               v1("192.0.2.1") + Outgoing{"GET", "/open/a"}.text(), without_tls());
    CHECK(guessed.status == 400);
    CHECK(behind.stage.upstream.requests().empty());
    behind.stage.finish();
}

TEST_CASE("limits of connections by address count the clients of a PROXY header") {
    Behind behind{std::string{trusting_us}
                      + "\n    proxy_protocol: required\n    deny_addresses: [192.0.2.66]",
                  {},
                  "  connections_per_address: 2\n"};
    Outgoing const request{"GET", "/open/a"};
    auto const begun = [&](std::string_view client) {
        RawClient connection{behind.port(), without_tls()};
        // Half a head: it is not idle, and cannot be closed for another.
        connection.send(v1(client) + request.text());
        CHECK(connection.read_final_response().status == 200);
        connection.send("GET /open/b HTTP/1.1\r\n");
        return connection;
    };
    auto const one = begun("192.0.2.1");
    auto const two = begun("192.0.2.1");
    CHECK(behind.is_refused(v1("192.0.2.1") + request.text()));
    behind.wait_for_reason("too_many_connections", "192.0.2.1");
    // The proxy's other clients are not concerned.
    auto const other = begun("192.0.2.2");
    CHECK(behind.send_behind(v1("192.0.2.3"), request).status == 200);
    CHECK(behind.is_refused(v1("192.0.2.66") + request.text()));
    behind.wait_for_reason("address_denied", "192.0.2.66");
}

TEST_CASE("at its limit, a client's connection that is idle gives way to a new one") {
    Behind behind{std::string{trusting_us} + "\n    proxy_protocol: required",
                  {},
                  "  connections_per_address: 1\n"};
    Outgoing const request{"GET", "/open/a"};
    RawClient idle{behind.port(), without_tls()};
    idle.send(v1("192.0.2.1") + request.text());
    CHECK(idle.read_final_response().status == 200);
    for (int i = 0; i < 3; ++i) {
        RawClient next{behind.port(), without_tls()};
        next.send(v1("192.0.2.1") + request.text());
        CHECK(next.read_final_response().status == 200);
        static_cast<void>(idle.read_to_end());
        idle = std::move(next);
    }
    behind.stage.finish();
}

TEST_CASE("connections of a trusted proxy have no limit by its address") {
    Behind behind{std::string{trusting_us}, {}, "  connections_per_address: 1\n"};
    RawClient first{behind.port(), without_tls()};
    first.send("GET /open/a HTTP/1.1\r\n");
    CHECK(behind.send(request_of("192.0.2.1")).status == 200);
    CHECK(behind.send(request_of("192.0.2.1")).status == 200);
}

TEST_CASE("a reload changes whom open connections trust") {
    Behind behind{std::string{trusting_us}};
    RawClient client{behind.port(), without_tls()};
    CHECK(behind.logged(client.exchange(request_of("192.0.2.1").text())) == "192.0.2.1 127.0.0.1");
    auto text = read_file(behind.stage.gateway.folder() / "sallyport.yaml");
    text.replace(text.find("127.0.0.0/8"), 11, "192.0.2.0/24");
    behind.stage.gateway.replace("sallyport.yaml", text);
    behind.stage.gateway.wait_for_reloads(1);
    CHECK(behind.logged(client.exchange(request_of("192.0.2.1").text())) == "127.0.0.1 null");
    behind.stage.finish();
}

TEST_CASE("HAProxy stands in front: its fields, and both versions of its header") {
    if (!has_program("haproxy")) return;
    Behind behind{std::string{trusting_us} + "\n    proxy_protocol: required"};
    Behind fields{std::string{trusting_us}};
    TemporaryFolder const folder;
    auto const socket = [&](char const* name) { return (folder / name).string(); };
    auto const server = [](Behind const& to, std::string const& options) {
        return "server s 127.0.0.1:" + std::to_string(to.port()) + options + "\n";
    };
    auto const proxy = [&](char const* name, std::string const& rest) {
        return "listen "s + name + "\nbind unix@" + socket(name) + " accept-proxy\n" + rest;
    };
    auto const configuration = folder.write(
        "haproxy.cfg", "global\nmaxconn 50\ndefaults\ntimeout connect 20s\ntimeout client "
                       "20s\ntimeout server 20s\n"
                           + proxy("one", "mode tcp\n" + server(behind, " send-proxy"))
                           + proxy("two", "mode tcp\n"
                                              + server(behind, " send-proxy-v2 proxy-v2-options "
                                                               "crc32c,unique-id,authority"))
                           + proxy("http", "mode http\noption forwardfor\n" + server(fields, "")));
    Process haproxy{Command{{"haproxy", "-db", "-f", configuration.string()}},
                    {"/dev/null", folder / "out", folder / "err"}};
    TimeLimit const limit;
    FileWatch watch{folder.path()};
    auto const is_there = [&] { return std::filesystem::exists(folder / "http"); };
    while (!is_there())
        REQUIRE(watch.wait(haproxy.descriptor(), limit) == Waited::happened);
    auto const ask = [&](char const* name, std::string_view client) {
        auto const request = Outgoing{"GET", "/open/a"}.add("Connection", "close").text();
        RawClient connection{connect_unix(folder / name)};
        return connection.exchange(v1(client) + request);
    };
    auto const one = ask("one", "192.0.2.1");
    CHECK(one.status == 200);
    CHECK(behind.logged(one) == "192.0.2.1 127.0.0.1");
    auto const two = ask("two", "192.0.2.2");
    CHECK(two.status == 200);
    CHECK(behind.logged(two) == "192.0.2.2 127.0.0.1");
    auto const http = ask("http", "192.0.2.3");
    CHECK(http.status == 200);
    CHECK(fields.logged(http) == "192.0.2.3 127.0.0.1");
    behind.stage.finish();
    fields.stage.finish();
}

} // namespace e41_behind_proxies
