// Keys of an issuer that are fetched over TLS: key sets by URL and by discovery, keys that rotate,
// and an issuer that is down, slow, or lies.
#include "tests/end_to_end/issuer_server.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/recording_upstream.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <ctime>

namespace e43_jwt_keys {

using namespace sallyport::test;

namespace {

std::string token_of(TokenSigner const& signer, std::string const& sub = "alice") {
    return signer.token(R"({"iss":"https://issuer.example","aud":"files","sub":")" + sub
                        + R"(","exp":)" + std::to_string(std::time(nullptr) + 600) + '}');
}

// Of P-521, as an issuer may add it, without `alg`.
std::string key_of_p521() {
    auto const coordinate = encode_base64url(std::string(66, '\x01'));
    return R"({"kty":"EC","crv":"P-521","kid":"k521","x":")" + coordinate + R"(","y":")"
           + coordinate + "\"}";
}

// A discovery document.
std::string document_of(std::string const& issuer, std::string const& keys) {
    return response_text(R"({"issuer":")" + issuer + R"(","jwks_uri":")" + keys + R"("})");
}

// Clients of this machine are blocked too.
constexpr auto three_failures = "failed_authentication: { per_address: 3, first_block: 1h, "
                                "longest_block: 1h, except: [192.0.2.0/24] }\n";

/// A gateway with `keys` of one API, and `more` sections.
struct Gate {
    Gate(std::string const& keys, std::filesystem::path const& authority = certificates().authority,
         std::string const& more = {})
        : stage{{},
                [&](Configuration& configuration) {
                    configuration.apis =
                        "  things: { paths: [/f/], upstream: management, authenticate: [basic, "
                        "jwt], jwt: { issuer: \"https://issuer.example\", audience: files, "
                        "keys: { "
                        + keys
                        + ", ca: issuer.pem }, algorithms: [ES256], roles: { always: [all] } } }\n";
                    configuration.rest += more;
                },
                {.credentials = "roles: { all: { allow: { apis: [things] } } }\n"
                                + administrator_credentials(),
                 .files = {{"issuer.pem", read_file(authority)}}}} {}

    Response send(std::string const& authorization) const {
        return stage.send(request_for("getPipe").target("/f/a").authorization(authorization));
    }
    int status(std::string const& token) const { return send(bearer(token)).status; }
    // Until it has that status; false: it never had.
    bool becomes(int wanted, std::string const& token) const {
        TimeLimit const limit;
        while (!limit.has_passed())
            if (status(token) == wanted) return true;
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

TEST_CASE("keys are fetched once for all workers, and the first request waits for them") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Gate gate{"url: \"" + issuer.url("/keys") + '"'};
    CHECK(gate.status(token_of(signer)) == 200);
    CHECK(gate.status(token_of(signer, "bob")) == 200);
    CHECK(issuer.fetches() == 1);
    gate.wait_for("1 key: k1");
    auto const request = issuer.server.request(0);
    CHECK(request.method == "GET");
    CHECK_FALSE(request.fields.find("Authorization"));
    CHECK(issuer.server.protocol_errors().empty());
    gate.stage.finish();
}

TEST_CASE("a discovery document leads to the keys, if it is of the issuer") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    std::string const path = "/.well-known/openid-configuration";
    issuer.set(path, document_of("https://other.example", issuer.url("/keys")));
    Gate gate{"discovery: \"" + issuer.url(path) + '"'};
    CHECK(gate.status(token_of(signer)) == 503);
    CHECK(issuer.fetches() == 0);
    gate.wait_for("its `issuer` is not that of the configuration");
    issuer.set(path, document_of("https://issuer.example", issuer.url("/keys")));
    CHECK(gate.becomes(200, token_of(signer)));
    CHECK(issuer.fetches() == 1);
    gate.stage.finish();
}

TEST_CASE("a new key works at once for a token that names it, and an old one no more") {
    TokenSigner const first{"ES256", "k1"};
    TokenSigner const second{"ES256", "k2"};
    IssuerServer issuer;
    issuer.set_keys({first.jwk()}, {{"Cache-Control", "max-age=1"}});
    Gate gate{"refresh: 30s, url: \"" + issuer.url("/keys") + '"'};
    auto const old_token = token_of(first);
    CHECK(gate.status(old_token) == 200);
    issuer.set_keys({second.jwk()}, {{"Cache-Control", "max-age=1"}});
    // Asked for at most each ten seconds, however many tokens name an unknown key.
    CHECK(gate.becomes(200, token_of(second)));
    CHECK(issuer.fetches() <= 3);
    CHECK(gate.becomes(401, old_token));
    gate.wait_for("1 key: k2");
    gate.stage.finish();
}

TEST_CASE("tokens with unknown keys cause no more fetches than are allowed") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Gate gate{"url: \"" + issuer.url("/keys") + '"'};
    CHECK(gate.status(token_of(signer)) == 200);
    for (int i = 0; i < 50; ++i) {
        TokenSigner const unknown{"ES256", "unknown-" + std::to_string(i)};
        CHECK(gate.status(token_of(unknown)) == 401);
    }
    CHECK(issuer.fetches() <= 2);
    CHECK(gate.status(token_of(signer)) == 200);
    gate.stage.finish();
}

TEST_CASE("while an issuer lies or is down the last keys are used, and no other token gets in") {
    TokenSigner const signer{"ES256", "k1"};
    TokenSigner const attacker{"ES256", "k9"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Gate gate{"refresh: 1s, url: \"" + issuer.url("/keys") + '"'};
    auto const known = token_of(signer);
    CHECK(gate.status(known) == 200);
    for (auto const& lie :
         {response_text("<html>", 200, {}, "text/html"),
          response_text(std::string(std::size_t{1} << 20, ' ')),
          std::string{"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n"
                      "Content-Length: 0\r\n\r\n"},
          response_text(key_set({attacker.jwk("none")}))}) {
        CAPTURE(lie.substr(0, 100));
        auto const before = issuer.fetches();
        issuer.set("/keys", lie);
        TimeLimit const limit;
        while (issuer.fetches() == before && !limit.has_passed())
            CHECK(gate.status(known) == 200);
        CHECK(issuer.fetches() > before);
        CHECK(gate.status(token_of(signer, "bob")) == 200);
        CHECK(gate.status(token_of(attacker)) == 401);
    }
    gate.wait_for("fetch_failed");
    issuer.server.stop_listening();
    CHECK(gate.status(known) == 200);
    CHECK(gate.status(token_of(attacker)) == 401);
    gate.stage.finish();
}

TEST_CASE("keys that cannot be fetched any more are used for as long as `keep` says") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Gate gate{"refresh: 1s, keep: 2s, url: \"" + issuer.url("/keys") + '"'};
    auto const known = token_of(signer);
    CHECK(gate.status(known) == 200);
    issuer.set("/keys", response_text("{}", 500));
    CHECK(gate.becomes(503, known));
    gate.wait_for("fetch_expired");
    issuer.set_keys({signer.jwk()});
    CHECK(gate.becomes(200, known));
    gate.stage.finish();
}

TEST_CASE("a key that is not understood is left out of a set that was fetched, and said") {
    TokenSigner const first{"ES256", "k1"};
    TokenSigner const second{"ES256", "k2"};
    IssuerServer issuer;
    issuer.set_keys({first.jwk()});
    Gate gate{"refresh: 1s, url: \"" + issuer.url("/keys") + '"'};
    CHECK(gate.status(token_of(first)) == 200);
    issuer.set_keys({first.jwk(), key_of_p521(), TokenSigner{"ES256", ""}.jwk(), second.jwk()});
    CHECK(gate.becomes(200, token_of(second)));
    CHECK(gate.status(token_of(first)) == 200);
    gate.wait_for("2 keys: k1, k2; 2 keys are ignored: its key 2 is of a curve that is not "
                  "supported");
    // But not a set that publishes a private key, and none without a key.
    auto const with_private = [&first] {
        auto jwk = first.jwk();
        return jwk.insert(1, R"("d":"AAAA",)");
    };
    issuer.set_keys({second.jwk(), with_private()});
    gate.wait_for("detail=\"its key 2 has the private key in it");
    CHECK(gate.status(token_of(first)) == 200);
    issuer.set_keys({second.jwk()});
    gate.wait_for("content=\"1 key: k2\"");
    issuer.set_keys({key_of_p521()});
    gate.wait_for("it has no key that can be used; 1 key is ignored: its key 1 is of a curve");
    CHECK(gate.status(token_of(second)) == 200);
    gate.stage.finish();
}

TEST_CASE("without keys a token is no wrong credential, and others get in") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    Gate gate{"url: \"" + issuer.url("/keys") + '"', certificates().authority, three_failures};
    auto const token = token_of(signer);
    for (int i = 0; i < 6; ++i) {
        auto const response = gate.send(bearer(token));
        CHECK(response.status == 503);
        CHECK(response.fields.one("Retry-After") == "1");
        auto const line = gate.stage.log_of(response);
        CHECK(line.text("reason") == "issuer_unavailable");
        CHECK(line.text("auth_failure") == "unavailable");
        CHECK(line["credential"].is_null());
    }
    CHECK(gate.send(basic(administrator)).status == 200);
    // What no key could make right.
    CHECK(gate.status("eyJ.x.y") == 401);
    gate.wait_for("there are no keys of the issuer");
    CHECK(gate.stage.gateway.standard_error().find("client_blocked") == std::string::npos);
    issuer.set_keys({signer.jwk()});
    CHECK(gate.becomes(200, token));
    gate.stage.finish();
}

TEST_CASE("a token whose key could not be fetched is no wrong credential, others are") {
    TokenSigner const signer{"ES256", "k1"};
    TokenSigner const forger{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Gate gate{"refresh: 1s, url: \"" + issuer.url("/keys") + '"', certificates().authority,
              three_failures};
    auto const known = token_of(signer);
    CHECK(gate.status(known) == 200);
    issuer.set("/keys", response_text("{}", 500));
    gate.wait_for("fetch_failed");
    TokenSigner const unknown{"ES256", "k2"};
    for (int i = 0; i < 6; ++i) {
        auto const response = gate.send(bearer(token_of(unknown)));
        CHECK(response.status == 401);
        CHECK(gate.stage.log_of(response).text("auth_failure") == "unavailable");
    }
    for (auto const status : {401, 401, 401, 429}) {
        auto const response = gate.send(bearer(token_of(forger)));
        CHECK(response.status == status);
        CHECK(gate.stage.log_of(response).text("auth_failure") == "signature");
    }
    gate.wait_for("client_blocked");
    CHECK(gate.status(known) == 200);
    gate.stage.finish();
}

TEST_CASE("a token whose key the issuer has not is a wrong credential, as is one of another kind") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    auto const guess = [&](TokenSigner const& forger, std::string_view failure) {
        Gate gate{"url: \"" + issuer.url("/keys") + '"', certificates().authority, three_failures};
        auto const known = token_of(signer);
        CHECK(gate.status(known) == 200);
        for (auto const status : {401, 401, 401, 429}) {
            auto const response = gate.send(bearer(token_of(forger)));
            CHECK(response.status == status);
            CHECK(gate.stage.log_of(response).text("auth_failure") == failure);
        }
        CHECK(gate.status(known) == 200);
        gate.stage.finish();
    };
    guess(TokenSigner{"ES256", "k2"}, "unknown");
    // A key is of one algorithm: no key that is fetched later makes such a token right.
    guess(TokenSigner{"RS256", "k1"}, "signature");
    CHECK(issuer.fetches() == 2);
}

TEST_CASE("a document over https does not lead to keys without TLS") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    RecordingUpstream plain{[&signer](UpstreamExchange& exchange) {
        exchange.send(response_text(key_set({signer.jwk()})));
    }};
    issuer.set("/d", document_of("https://issuer.example", plain.endpoint() + "/keys"));
    Gate gate{"discovery: \"" + issuer.url("/d") + '"'};
    CHECK(gate.status(token_of(signer)) == 503);
    gate.wait_for("cause=insecure detail=\"its `jwks_uri` has no TLS\"");
    CHECK(plain.requests().empty());
    gate.stage.finish();
}

TEST_CASE("an issuer whose certificate is not trusted has no keys") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Gate gate{"url: \"" + issuer.url("/keys") + '"', certificates().other_authority};
    CHECK(gate.status(token_of(signer)) == 503);
    gate.wait_for("cause=certificate");
    CHECK(issuer.fetches() == 0);
    gate.stage.finish();
}

TEST_CASE("a reload goes on with the keys that there are, without a fetch") {
    TokenSigner const signer{"ES256", "k1"};
    IssuerServer issuer;
    issuer.set_keys({signer.jwk()});
    Gate gate{"url: \"" + issuer.url("/keys") + '"'};
    CHECK(gate.status(token_of(signer)) == 200);
    auto const text = read_file(gate.stage.gateway.folder() / "sallyport.yaml");
    gate.stage.gateway.replace("sallyport.yaml", text + "drain: 29s\n");
    gate.stage.gateway.wait_for_reloads(1);
    CHECK(gate.status(token_of(signer, "bob")) == 200);
    CHECK(issuer.fetches() == 1);
    gate.stage.finish();
}

} // namespace e43_jwt_keys
