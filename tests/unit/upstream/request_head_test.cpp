// The head that an upstream receives.
#include "tests/unit/upstream/forward_harness.h"

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;

namespace {

struct Forwarded : ForwardFixture {
    MemoryStream& upstream = pool.add();

    Forwarded() { upstream.receive("HTTP/1.1 204 No Content\r\n\r\n"); }

    // The head that was sent.
    std::string const& send(std::string_view line, std::string_view fields = {},
                            std::string_view body = {}) {
        begin(line, fields, body);
        forward_all();
        REQUIRE(result->status == 204);
        return upstream.sent();
    }
    bool has(std::string_view line) const {
        return upstream.sent().find("\r\n" + std::string{line} + "\r\n") != std::string::npos;
    }
    bool mentions(std::string_view text) const {
        return upstream.sent().find(text) != std::string::npos;
    }
};

} // namespace

TEST_CASE_METHOD(Forwarded, "an upstream gets the client's address, the protocol and the host") {
    send("GET /a/b?c=d", "X-Own: 1\r\nX-Forwarded-For: 203.0.113.9\r\nX-Request-Id: theirs\r\n"
                         "Connection: X-Hop\r\nX-Hop: 2\r\nVia: 1.1 other\r\n");
    CHECK(upstream.sent().starts_with("GET /a/b?c=d HTTP/1.1\r\nHost: upstream.example\r\n"));
    CHECK(has("X-Own: 1"));
    CHECK(has("X-Forwarded-For: 192.0.2.1"));
    CHECK(has("X-Forwarded-Proto: https"));
    CHECK(has("X-Forwarded-Host: api.example"));
    CHECK(has("X-Request-Id: " + std::string{exchange.request.id.text()}));
    CHECK(has("Via: 1.1 sallyport"));
    CHECK_FALSE(mentions("203.0.113.9"));
    CHECK_FALSE(mentions("theirs"));
    CHECK_FALSE(mentions("X-Hop"));
    CHECK_FALSE(mentions("Content-Length"));
    CHECK_FALSE(mentions("Max-Forwards"));
}

TEST_CASE_METHOD(Forwarded, "a client of a unix socket has no address, and one without TLS none") {
    client.address.clear();
    client.is_tls = false;
    send("GET /a");
    CHECK_FALSE(mentions("X-Forwarded-For"));
    CHECK(has("X-Forwarded-Proto: http"));
}

TEST_CASE_METHOD(Forwarded,
                 "the checked credentials are forwarded, unless the upstream has its own") {
    exchange.decision.authorization = {"Basic", "cHJvb2Y="};
    SECTION("its own") {
        settings.authorization = config::Secret{"Bearer of-the-upstream"};
        send("GET /a", "Authorization: Basic cHJvb2Y=\r\n");
        CHECK(has("Authorization: Bearer of-the-upstream"));
        CHECK_FALSE(mentions("cHJvb2Y="));
    }
    SECTION("the client's") {
        send("GET /a", "Authorization: basic  cHJvb2Y=\r\n");
        CHECK(has("Authorization: Basic cHJvb2Y="));
    }
}

TEST_CASE_METHOD(Forwarded, "without checked credentials none are forwarded") {
    send("GET /a", "Authorization: Basic dW5jaGVja2Vk\r\n");
    CHECK_FALSE(mentions("Authorization"));
}

TEST_CASE_METHOD(Forwarded, "cookies are forwarded only if the API enables it") {
    api.forward_cookies = GENERATE(false, true);
    send("GET /a", "Cookie: a=b\r\n");
    CHECK(has("Cookie: a=b") == api.forward_cookies);
}

TEST_CASE_METHOD(Forwarded,
                 "a request whose method gives its body a meaning says that it has none") {
    auto const method = GENERATE(std::string{"PUT"}, std::string{"POST"}, std::string{"GET"});
    send(method + " /a");
    CHECK(has("Content-Length: 0") == (method != "GET"));
}

TEST_CASE_METHOD(Forwarded, "Max-Forwards is decremented") {
    send("OPTIONS /a", "Max-Forwards: 7\r\n");
    CHECK(has("Max-Forwards: 6"));
}

TEST_CASE_METHOD(Forwarded, "a request of HTTP/1.0 has that version in Via") {
    stream.receive("GET /a HTTP/1.0\r\nHost: api.example\r\n\r\n");
    REQUIRE(run(loop, transport.read_head(exchange.request.head)) == http::HeadRead::complete);
    forward_all();
    CHECK(upstream.sent().starts_with("GET /a HTTP/1.1\r\n"));
    CHECK(has("Via: 1.0 sallyport"));
}
