// Listeners that redirect every request to https.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <catch2/catch.hpp>

namespace e37_https_redirect {

using namespace sallyport::test;

namespace {

struct Redirecting {
    explicit Redirecting(std::string const& redirect = "https", std::string const& more = {})
        : stage{{}, [&](Configuration& configuration) {
                    configuration.rest += admin_section;
                    configuration.limits += "  head: 2KiB\n";
                    configuration.apis =
                        api_yaml("management", "security_headers: on") + api_yaml("observability");
                    configuration.listeners +=
                        "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n    redirect: "
                        + redirect + "\n" + more;
                }} {}

    [[nodiscard]] std::uint16_t port() const { return stage.gateway.port("plain"); }
    [[nodiscard]] Response send(std::string const& request) const {
        return fetch(port(), request, without_tls());
    }
    [[nodiscard]] std::string location(std::string const& target, std::string const& host) const {
        auto const response = send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return response.status == 308 ? response.fields.one("Location")
                                      : std::to_string(response.status);
    }

    Stage stage;
};

} // namespace

TEST_CASE("every request is redirected to the same URL with https, to the byte") {
    Redirecting redirecting;
    auto const response = redirecting.send(
        "POST /v1/a%20b/?c=/d&e HTTP/1.1\r\nHost: api.example.com:8080\r\nContent-Length: 0\r\n"
        "Authorization: Basic YTpi\r\n\r\n");
    CHECK(response.head
          == "HTTP/1.1 308 Permanent Redirect\r\nDate: " + response.fields.one("Date")
                 + "\r\nCache-Control: no-store\r\nX-Request-Id: "
                 + response.fields.one("X-Request-Id")
                 + "\r\nLocation: https://api.example.com/v1/a%20b/?c=/d&e\r\n"
                   "Content-Length: 0\r\n\r\n");
    auto const log = redirecting.stage.log_of(response);
    CHECK(log.text("status") == "308");
    CHECK(log.text("listener") == "plain");
    CHECK(log.text("method") == "POST");
    CHECK(log.text("host") == "api.example.com");
    for (auto const* const absent : {"api", "operation", "credential", "reason", "upstream"})
        CHECK(log[absent].is_null());
    CHECK(redirecting.stage.upstream.requests().empty());
    auto const metrics = metrics_of(redirecting.stage.gateway);
    CHECK(metrics[R"(sallyport_requests_total{api="",operation="",status="308",reason=""})"] == 1);
    // The other listener serves.
    CHECK(redirecting.stage.send(request_for("getPipe")).status == 200);
    redirecting.stage.finish();
}

TEST_CASE("the URL has the port of the configuration, and the host of the request") {
    Redirecting redirecting{"{ https: 8443 }"};
    CHECK(redirecting.location("/", "a") == "https://a:8443/");
    CHECK(redirecting.location("/a", "a.example.:80") == "https://a.example.:8443/a");
    CHECK(redirecting.location("/a?b", "[2001:db8::1]:80") == "https://[2001:db8::1]:8443/a?b");
    CHECK(redirecting.location("/a", "192.0.2.1") == "https://192.0.2.1:8443/a");
    CHECK(redirecting.location("http://api.example.com?a=b", "api.example.com")
          == "https://api.example.com:8443/?a=b");
    CHECK(redirecting.location("http://api.example.com/c", "api.example.com")
          == "https://api.example.com:8443/c");
    redirecting.stage.finish();
}

TEST_CASE("a Host or target that cannot stand in a URL safely is refused") {
    Redirecting redirecting;
    for (auto const* const host : {"a b", "a/b", "a@b", "a~b", "a,b", "a\\b", "a?b", "a#b", "[::1",
                                   "a:b", ".a", "a..b", ""}) {
        INFO(host);
        auto const response =
            redirecting.send("GET / HTTP/1.1\r\nHost: " + std::string{host} + "\r\n\r\n");
        CHECK(response.status == 400);
        CHECK(response.fields.count("Location") == 0);
        CHECK(redirecting.stage.log_of(response).text("reason") == "bad_request");
    }
    CHECK(redirecting.send("GET / HTTP/1.1\r\n\r\n").status == 400);
    CHECK(redirecting.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status == 400);
    for (auto const* const target : {"//evil.example/", "/a//b", "/../a", "/a\\b", "http://b/"}) {
        INFO(target);
        CHECK(redirecting.location(target, "a") == "400");
    }
    CHECK(redirecting.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(4000, 'x') + "\r\n\r\n")
              .status
          == 431);
    redirecting.stage.finish();
}

TEST_CASE("a body is not read, and what stands in it is no request") {
    Redirecting redirecting;
    RawClient client{redirecting.port(), without_tls()};
    client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n"
                "Expect: 100-continue\r\n\r\n");
    auto const response = client.read_response("PUT"); // no 100 before it
    CHECK(response.status == 308);
    CHECK(response.fields.one("Connection") == "close");
    (void)client.try_send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    client.channel().half_close();
    (void)client.read_to_end();
    CHECK(client.unread().empty());
    // Nor is it waited for without an expectation.
    RawClient waiting{redirecting.port(), without_tls()};
    waiting.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    CHECK(waiting.read_response("PUT").fields.find("Connection") == "close");
    waiting.channel().half_close();
    // Without a body the connection stays open.
    RawClient other{redirecting.port(), without_tls()};
    CHECK(other.exchange("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").status == 308);
    CHECK(other.exchange("HEAD /b HTTP/1.1\r\nHost: a\r\n\r\n").status == 308);
    redirecting.stage.finish();
}

TEST_CASE("a redirect has no fields of APIs, above all no HSTS") {
    Redirecting redirecting;
    auto const response = redirecting.send(request_for("getPipe").text());
    CHECK(response.status == 308);
    CHECK(response.fields.count("Strict-Transport-Security") == 0);
    CHECK(response.fields.count("X-Frame-Options") == 0);
    redirecting.stage.finish();
}

TEST_CASE("a listener with a redirect takes the addresses that it is told to") {
    Redirecting redirecting{"https", "    deny_addresses: [127.0.0.0/8]\n"};
    CHECK_THROWS(redirecting.location("/", "a"));
    redirecting.stage.finish();
}

TEST_CASE("open connections follow a listener that begins or ceases to redirect") {
    Redirecting redirecting;
    RawClient client{redirecting.port(), without_tls()};
    auto const request = request_for("getPipe").text();
    CHECK(client.exchange(request).status == 308);
    auto const old = read_file(redirecting.stage.gateway.folder() / "sallyport.yaml");
    auto const reload_without = [&](std::string const& from, std::string const& to,
                                    std::size_t count) {
        auto text = old;
        text.replace(text.find(from), from.size(), to);
        redirecting.stage.gateway.replace("sallyport.yaml", text);
        redirecting.stage.gateway.wait_for_reloads(count);
    };
    reload_without("    redirect: https\n", "", 1);
    CHECK(client.exchange(request).status == 200);
    reload_without("redirect: https\n", "redirect: { https: 444 }\n", 2);
    CHECK(client.exchange(request).fields.one("Location").starts_with("https://localhost:444/"));
    redirecting.stage.finish();
}

} // namespace e37_https_redirect
