// The head that an upstream receives.
#include "gateway/jose/signing_key.h"
#include "tests/support/encodings.h"
#include "tests/unit/upstream/forward_harness.h"

namespace request_head_test {

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
    SECTION("its own, which was renewed") {
        auto const secret = std::make_shared<ReplacedSecret>(config::Secret{"Bearer first"});
        settings.renewed = secret;
        secret->set(config::Secret{"Bearer second"});
        send("GET /a", "Authorization: Basic cHJvb2Y=\r\n");
        CHECK(has("Authorization: Bearer second"));
        CHECK_FALSE(mentions("cHJvb2Y="));
        CHECK_FALSE(mentions("first"));
    }
    SECTION("the client's") {
        settings.client_credential = ClientCredential::pass;
        send("GET /a", "Authorization: basic  cHJvb2Y=\r\n");
        CHECK(has("Authorization: Basic cHJvb2Y="));
    }
    SECTION("none") {
        exchange.decision.authorization.issuer = pipeline::Issuer::other;
        settings.client_credential = ClientCredential::drop;
        send("GET /a", "Authorization: Basic cHJvb2Y=\r\n");
        CHECK_FALSE(mentions("Authorization"));
    }
}

TEST_CASE_METHOD(Forwarded, "a credential that the gateway has issued goes no further by itself") {
    exchange.decision.authorization = {"Bearer", "a.b.c"};
    auto const issuer = GENERATE(pipeline::Issuer::gateway, pipeline::Issuer::other);
    exchange.decision.authorization.issuer = issuer;
    send("GET /a", "Authorization: Bearer a.b.c\r\n");
    CHECK(has("Authorization: Bearer a.b.c") == (issuer == pipeline::Issuer::other));
}

namespace {

std::vector<config::ValuePart> label(std::string name) {
    return {{std::move(name), config::Variable::label}};
}

struct Told : Forwarded {
    pipeline::Identity caller;

    Told() {
        caller.name = "nightly";
        caller.labels = {{"organization", std::string{"a b, c"}}, {"paid", true}};
        auto told = std::make_unique<pipeline::UpstreamCallerFields>();
        told->names = {"X-Caller", "X-Org", "X-Paid"};
        told->usual.rules.add_line("X-Caller", std::vector<config::ValuePart>{
                                                   {std::string{}, config::Variable::credential}});
        told->usual.rules.add_line("X-Org", label("organization"));
        told->usual.rules.add_line("X-Paid", label("paid"));
        settings.caller_fields = std::move(told);
    }
};

constexpr std::string_view forged = "X-Caller: root\r\nx-org: theirs\r\nX_ORG: theirs\r\n"
                                    "X.Paid: theirs\r\nX-Callers: kept\r\n";

} // namespace

TEST_CASE_METHOD(Told, "the upstream learns who calls, and never from the client") {
    exchange.decision.caller = &caller;
    send("GET /a", forged);
    CHECK(has("X-Caller: nightly"));
    CHECK(has("X-Org: a%20b%2C%20c"));
    CHECK(has("X-Paid: true"));
    CHECK(has("X-Callers: kept"));
    CHECK_FALSE(mentions("root"));
    CHECK_FALSE(mentions("theirs"));
}

TEST_CASE_METHOD(Told, "without a caller, or a label, there is no field") {
    SECTION("no caller") {
        send("GET /a", forged);
        CHECK_FALSE(mentions("X-Caller:"));
    }
    SECTION("no label") {
        caller.labels.clear();
        exchange.decision.caller = &caller;
        send("GET /a", forged);
        CHECK(has("X-Caller: nightly"));
    }
    CHECK_FALSE(mentions("X-Org"));
    CHECK_FALSE(mentions("X-Paid"));
    CHECK_FALSE(mentions("root"));
    CHECK_FALSE(mentions("theirs"));
    CHECK(has("X-Callers: kept"));
}

TEST_CASE_METHOD(Told, "what an API tells its upstream stands in place of the usual fields") {
    exchange.decision.caller = &caller;
    auto fields = std::make_unique<pipeline::CallerFields>();
    fields->rules.add_line("X-Org", label("organization"));
    api.caller_fields = std::move(fields);
    send("GET /a", forged);
    CHECK(has("X-Org: a%20b%2C%20c"));
    CHECK_FALSE(mentions("X-Caller:"));
    CHECK_FALSE(mentions("theirs"));
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

TEST_CASE_METHOD(
    Told, "an assertion is of one caller and one request, and no other reaches the upstream") {
    auto const keys = std::make_shared<jose::SigningKeys>();
    keys->adopt({}, nullptr, std::chrono::steady_clock::now());
    auto told = std::make_unique<pipeline::UpstreamCallerFields>();
    told->names = {"X-Who"};
    told->usual.assertion = std::make_unique<pipeline::AssertionRules const>(
        pipeline::AssertionRules{"X-Who", "gate\"way", "orders", std::chrono::seconds{90}, keys});
    settings.caller_fields = std::move(told);
    SECTION("of a caller") {
        caller.labels = {{"organization", std::string{"a\"b"}},
                         {"paid", true},
                         {"seats", std::int64_t{-5}},
                         {"share", 0.25}};
        exchange.decision.caller = &caller;
        send("GET /a", "X-Who: a.b.c\r\nx_who: a.b.c\r\n");
        auto const& sent = upstream.sent();
        auto const begin = sent.find("\r\nX-Who: ") + 9;
        auto const token = sent.substr(begin, sent.find("\r\n", begin) - begin);
        auto const dot = token.find('.');
        auto const claims = sallyport::test::base64url_decoded(
            token.substr(dot + 1, token.find('.', dot + 1) - dot - 1));
        CHECK(claims.starts_with(R"({"iss":"gate\"way","aud":"orders","sub":"nightly","iat":)"));
        CHECK(claims.find(R"("request_id":")" + std::string{exchange.request.id.text()}
                          + R"(","api":"")")
              != std::string::npos);
        CHECK(claims.ends_with(
            R"("labels":{"organization":"a\"b","paid":true,"seats":-5,"share":0.25}})"));
        auto const number = [&claims](std::string const& name) {
            return std::stoll(claims.substr(claims.find(name) + name.size()));
        };
        CHECK(number("\"exp\":") == number("\"iat\":") + 90);
    }
    SECTION("of none") {
        send("GET /a", "X-Who: a.b.c\r\nx_who: a.b.c\r\n");
        CHECK_FALSE(mentions("X-Who"));
    }
    CHECK_FALSE(mentions("a.b.c"));
}

} // namespace request_head_test
