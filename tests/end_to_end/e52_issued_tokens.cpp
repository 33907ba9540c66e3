// Upstreams that get a token which an authorization server issues to the gateway itself.
#include "tests/end_to_end/issuer_server.h"
#include "tests/end_to_end/prepared.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <csignal>

namespace e52_issued_tokens {

using namespace sallyport::test;

namespace {

std::string answer(std::string const& token, int lifetime) {
    return response_text(R"({"access_token":")" + token + R"(","token_type":"bearer","expires_in":)"
                         + std::to_string(lifetime) + '}');
}

/// A gateway whose upstreams get the tokens of an issuer.
struct Gate {
    explicit Gate(IssuerServer const& issuer, std::string const& more = {},
                  RecordingUpstream::Script script = {})
        : stage{std::move(script),
                with_upstream("credential: { client_credentials: { token_url: \""
                              + issuer.url("/token")
                              + "\", client_id: \"of:ours\", client_secret: \"${env:OURS}\", "
                                "ca: issuer.pem"
                              + more + " } }"),
                {.environment = {{"OURS", "hidden from all"}},
                 .files = {{"issuer.pem", read_file(certificates().authority)}}}} {}

    Response send() const { return stage.send(request_for("getPipe")); }
    // What the upstream gets for a request that passes.
    std::string sent() const {
        auto const before = stage.upstream.requests().size();
        REQUIRE(send().status == 200);
        return stage.upstream.request(before).fields.one("Authorization");
    }
    bool becomes(std::string const& wanted) const {
        TimeLimit const limit;
        while (!limit.has_passed())
            if (sent() == wanted) return true;
        return false;
    }
    bool becomes(int wanted) const {
        TimeLimit const limit;
        while (!limit.has_passed())
            if (send().status == wanted) return true;
        return false;
    }
    void wait_for(std::string const& words) const {
        stage.gateway.wait_for_error_output([&words](std::string const& output) {
            return output.find(words) != std::string::npos;
        });
    }

    Stage stage;
};

} // namespace

TEST_CASE("a token is asked for once, by Basic, and sent in place of the client's credential") {
    IssuerServer issuer;
    issuer.set("/token", answer("first.token", 3600));
    Gate gate{issuer, ", scope: \"reports.read reports.write\""};
    CHECK(gate.sent() == "Bearer first.token");
    CHECK(gate.sent() == "Bearer first.token");
    CHECK(issuer.fetches("/token") == 1); // of both upstreams, since they have the same settings
    auto const request = issuer.server.request(0);
    CHECK(request.method == "POST");
    CHECK(request.fields.one("Content-Type") == "application/x-www-form-urlencoded");
    // RFC 6749, 2.3.1: as in a form.
    CHECK(request.fields.one("Authorization") == basic_of("of%3Aours:hidden%20from%20all"));
    CHECK(request.body == "grant_type=client_credentials&scope=reports.read%20reports.write");
    CHECK(issuer.server.protocol_errors().empty());
    auto const written = gate.stage.gateway.every_written_byte();
    CHECK(written.find("first.token") == std::string::npos);
    CHECK(written.find("hidden") == std::string::npos);
    gate.stage.finish();
}

TEST_CASE("the next token is there before the last one expires, without a refused request") {
    IssuerServer issuer;
    issuer.set("/token", answer("first", 4));
    Gate gate{issuer, ", authentication: post"};
    CHECK(gate.sent() == "Bearer first");
    CHECK(issuer.server.request(0).body
          == "grant_type=client_credentials&client_id=of%3Aours&client_secret=hidden%20from%20all");
    CHECK_FALSE(issuer.server.request(0).fields.find("Authorization"));
    issuer.set("/token", answer("second", 3600));
    CHECK(gate.becomes("Bearer second"));
    CHECK(issuer.fetches("/token") == 2);
    gate.stage.finish();
}

TEST_CASE("without a token nothing is sent, and each lie of the issuer is reported") {
    IssuerServer issuer;
    issuer.set("/token", response_text("<html>", 200, {}, "text/html"));
    Gate gate{issuer};
    auto const refused = gate.send();
    CHECK(refused.status == 502);
    CHECK(refused.fields.one("Retry-After") == "1");
    CHECK(gate.stage.log_of(refused).text("reason") == "upstream_failed");
    gate.wait_for("its issuer gives no token for it");
    gate.wait_for("cause=media_type");
    for (auto const& lie :
         {response_text(std::string(std::size_t{1} << 20, ' ')),
          std::string{"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n"
                      "Content-Length: 0\r\n\r\n"},
          response_text(R"({"error":"invalid_client"})", 401),
          response_text(R"({"access_token":"t","token_type":"mac","expires_in":60})")}) {
        CAPTURE(lie.substr(0, 100));
        auto const before = issuer.fetches("/token");
        issuer.set("/token", lie);
        TimeLimit const limit;
        while (issuer.fetches("/token") == before && !limit.has_passed())
            CHECK(gate.send().status == 502);
        CHECK(issuer.fetches("/token") > before);
        CHECK(gate.send().status == 502);
    }
    CHECK(gate.stage.upstream.requests().empty());
    issuer.set("/token", answer("at.last", 3600));
    CHECK(gate.becomes(200));
    gate.wait_for("fetch_recovered");
    CHECK(gate.sent() == "Bearer at.last");
    gate.stage.finish();
}

TEST_CASE("a token is used until it expires while its issuer is down, and not longer") {
    IssuerServer issuer;
    issuer.set("/token", answer("only", 3));
    Gate gate{issuer};
    CHECK(gate.sent() == "Bearer only");
    issuer.set("/token", response_text("{}", 503));
    CHECK(gate.becomes(502));
    CHECK(issuer.fetches("/token") > 1);
    gate.wait_for("fetch_expired");
    gate.stage.finish();
}

TEST_CASE("a token that the upstream refuses is replaced for later requests") {
    IssuerServer issuer;
    issuer.set("/token", answer("revoked", 3600));
    Gate gate{issuer, {}, [](UpstreamExchange& exchange) {
                  auto const is_old =
                      exchange.request.fields.one("Authorization") == "Bearer revoked";
                  exchange.send(response_text("{}", is_old ? 401 : 200));
              }};
    CHECK(gate.send().status == 401); // the upstream's own
    issuer.set("/token", answer("another", 3600));
    CHECK(gate.becomes(200));
    // However many were refused.
    CHECK(issuer.fetches("/token") == 2);
    gate.stage.finish();
}

TEST_CASE("a reload goes on with the token, unless another one is configured") {
    IssuerServer issuer;
    issuer.set("/token", answer("first", 3600));
    Gate gate{issuer, ", scope: narrow"};
    CHECK(gate.sent() == "Bearer first");
    issuer.set("/token", answer("second", 3600));
    auto text = read_file(gate.stage.gateway.folder() / "sallyport.yaml");
    gate.stage.gateway.replace("sallyport.yaml", text + "drain: 29s\n");
    gate.stage.gateway.wait_for_reloads(1);
    CHECK(gate.sent() == "Bearer first");
    CHECK(issuer.fetches("/token") == 1);
    for (auto at = text.find("narrow"); at != std::string::npos; at = text.find("narrow", at))
        text.replace(at, 6, "broad");
    gate.stage.gateway.replace("sallyport.yaml", text);
    gate.stage.gateway.wait_for_reloads(2);
    CHECK(gate.sent() == "Bearer second");
    gate.stage.finish();
}

TEST_CASE("check asks for no token, and finds what prevents one") {
    IssuerServer issuer;
    auto const check = [&](std::string const& keys) {
        Prepared prepared;
        prepared.configuration.upstreams = upstream_yaml(
            "management", "http://127.0.0.1:9",
            "credential: { client_credentials: { client_id: a, client_secret: b, " + keys + " } }");
        prepared.configuration.upstreams +=
            upstream_yaml("observability", "http://127.0.0.1:9", "credential: none");
        prepared.write();
        auto const checked = prepared.check();
        return checked.output + checked.error;
    };
    CHECK(check("token_url: \"" + issuer.url("/token") + "\"").find("error") == std::string::npos);
    CHECK(check("token_url: \"https://a/../t\"").find("client_credentials.token_url: ")
          != std::string::npos);
    CHECK(check("token_url: \"https://a/t\", ca: missing.pem").find("client_credentials.ca: ")
          != std::string::npos);
    CHECK(issuer.server.connections() == 0);
}

} // namespace e52_issued_tokens
