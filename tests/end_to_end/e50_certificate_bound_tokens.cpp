// Tokens that only the client with a certificate may use (RFC 8705, 3), over TLS with certificates.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/issuer_server.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/authority.h"
#include "tests/support/encodings.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <ctime>

namespace e50_certificate_bound_tokens {

using namespace sallyport::test;

namespace {

IssuingAuthority const& authority() {
    static IssuingAuthority const made{"Clients"};
    return made;
}

// `x5t#S256` of a certificate (RFC 8705, 3.1).
std::string thumbprint_of(IssuedCertificate const& certificate) {
    auto const hex = fingerprint_of(certificate.certificate).substr(7);
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return encode_base64url(bytes);
}

struct Bound {
    explicit Bound(std::string const& more = {}, std::string const& verify = "optional")
        : stage{{},
                [&](Configuration& configuration) {
                    configuration.listeners = tls_listener(
                        {certificates().server},
                        "      client_certificates: { verify: " + verify + ", ca: ca.pem }\n");
                    configuration.apis =
                        "  api: { paths: [\"/api/\"], upstream: management, authenticate: [jwt], "
                        "jwt: { issuer: \"https://issuer.example\", audience: api, algorithms: "
                        "[ES256], keys: { file: keys.json }, roles: { always: [all] }"
                        + more + " } }\n";
                },
                {.credentials = "roles: { all: { allow: all } }\n",
                 .files = {{"ca.pem", authority().certificate()},
                           {"keys.json", key_set({signer.jwk()})}}}} {}

    [[nodiscard]] std::string token(std::string const& confirmation) const {
        return signer.token(R"({"iss":"https://issuer.example","aud":"api","sub":"alice","exp":)"
                            + std::to_string(std::time(nullptr) + 600)
                            + (confirmation.empty() ? "" : ",\"cnf\":" + confirmation) + '}');
    }
    ClientOptions with(IssuedCertificate const& own) {
        ClientOptions options;
        options.tls.own =
            folder.write("own" + std::to_string(++files) + ".pem", own.with()).string();
        return options;
    }
    // The caller of the log, or why there is none.
    std::string ask(ClientOptions const& options, std::string const& token) {
        auto const response = fetch(
            stage.port(), Outgoing{"GET", "/api/a"}.authorization(bearer(token)).text(), options);
        auto const line = stage.log_of(response);
        bool const is_refused = line["credential"].is_null();
        CHECK(response.status == (is_refused ? 401 : 200));
        return is_refused ? line.text("auth_failure") : line.text("credential");
    }

    TokenSigner signer{"ES256", "k1"};
    TemporaryFolder folder;
    int files = 0;
    Stage stage;
};

std::string confirmation(IssuedCertificate const& certificate) {
    return R"({"x5t#S256":")" + thumbprint_of(certificate) + "\"}";
}

} // namespace

TEST_CASE("a bound token is refused without its certificate, also once it is remembered") {
    Bound bound;
    auto const own = authority().issue({.subject = {{"CN", "own"}}});
    auto const other = authority().issue({.subject = {{"CN", "other"}}});
    auto const token = bound.token(confirmation(own));
    CHECK(bound.ask({}, token) == "binding");
    CHECK(bound.ask(bound.with(other), token) == "binding");
    for (int i = 0; i < 2; ++i) { // verified, and known
        CHECK(bound.ask(bound.with(own), token) == "jwt:alice");
        CHECK(bound.ask(bound.with(other), token) == "binding");
        CHECK(bound.ask({}, token) == "binding");
    }
    CHECK(bound.stage.upstream.requests().size() == 2);
    bound.stage.gateway.wait_for_error_output([](std::string const& output) {
        return output.find("bound to a certificate that the client has not shown")
               != std::string::npos;
    });
    bound.stage.finish();
}

TEST_CASE("a token that is bound to something else is refused, and one that is not bound is good") {
    Bound bound;
    auto const own = authority().issue();
    auto const shows = bound.with(own);
    auto const print = thumbprint_of(own);
    for (std::string const& wrong :
         {std::string{R"({"jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"})"},
          R"({"x5t#S256":")" + print + R"(","jkt":"a"})", std::string{R"({"kid":"a"})"},
          std::string{"{}"}, std::string{"null"}, std::string{"\"" + print + "\""},
          R"({"x5t#S256":")" + print + "=\"}", R"({"x5t#S256":")" + print.substr(1) + "\"}",
          std::string{R"({"x5t#S256":1})"}, std::string{R"({"x5t":"AAAA"})"}}) {
        CAPTURE(wrong);
        CHECK(bound.ask(shows, bound.token(wrong)) == "binding");
    }
    CHECK(bound.ask(shows, bound.token({})) == "jwt:alice");
    CHECK(bound.ask({}, bound.token({})) == "jwt:alice");
    bound.stage.finish();
}

TEST_CASE("certificate_bound: required refuses tokens that are not bound") {
    Bound bound{", certificate_bound: required", "required"};
    auto const own = authority().issue();
    auto const shows = bound.with(own);
    CHECK(bound.ask(shows, bound.token({})) == "binding");
    CHECK(bound.ask(shows, bound.token(confirmation(own))) == "jwt:alice");
    bound.stage.finish();
}

TEST_CASE("an opaque token is bound by what its issuer says of it") {
    auto const own = authority().issue({.subject = {{"CN", "own"}}});
    auto const other = authority().issue({.subject = {{"CN", "other"}}});
    IssuerServer issuer;
    auto const say = [&issuer](std::string const& more) {
        issuer.set("/introspect", response_text(R"({"active":true,"sub":"alice")" + more + "}"));
    };
    Stage stage{{},
                [&](Configuration& configuration) {
                    configuration.listeners = tls_listener(
                        {certificates().server},
                        "      client_certificates: { verify: optional, ca: ca.pem }\n");
                    configuration.apis =
                        "  api: { paths: [\"/api/\"], upstream: management, authenticate: "
                        "[introspection], introspection: { url: \""
                        + issuer.url("/introspect")
                        + "\", client: { id: a, secret: \"${env:OURS}\" }, ca: issuer.pem, "
                          "certificate_bound: required, roles: { always: [all] } } }\n";
                },
                {.credentials = "roles: { all: { allow: all } }\n",
                 .environment = {{"OURS", "hidden"}},
                 .files = {{"ca.pem", authority().certificate()},
                           {"issuer.pem", read_file(certificates().authority)}}}};
    TemporaryFolder const folder;
    auto const ask = [&](IssuedCertificate const& shown, std::string const& token) {
        ClientOptions options;
        options.tls.own = folder.write(thumbprint_of(shown) + ".pem", shown.with()).string();
        auto const response = fetch(
            stage.port(), Outgoing{"GET", "/api/a"}.authorization(bearer(token)).text(), options);
        auto const line = stage.log_of(response);
        return line["credential"].is_null() ? line.text("auth_failure") : line.text("credential");
    };
    say(",\"cnf\":" + confirmation(own));
    for (int i = 0; i < 2; ++i) { // asked about, and known
        CHECK(ask(other, "bound") == "binding");
        CHECK(ask(own, "bound") == "introspection:alice");
    }
    say({});
    CHECK(ask(own, "free") == "binding");
    CHECK(stage.upstream.requests().size() == 2);
    stage.finish();
}

TEST_CASE("check refuses certificate_bound: required where no listener asks for certificates") {
    TemporaryFolder const folder;
    TokenSigner const signer{"ES256", "k1"};
    folder.write("credentials.yaml", "roles: { all: { allow: all } }\n");
    folder.write("keys.json", key_set({signer.jwk()}));
    auto const config = folder.write(
        "sallyport.yaml",
        "listeners: [ { name: plain, address: \"127.0.0.1:0\", tls: off } ]\n"
        "credentials: { file: credentials.yaml }\n"
        "upstreams: { up: { endpoints: [\"http://127.0.0.1:9\"] } }\n"
        "apis: { api: { paths: [\"/api/\"], upstream: up, authenticate: [jwt], jwt: { issuer: "
        "\"https://issuer.example\", audience: api, algorithms: [ES256], keys: { file: keys.json "
        "}, roles: { always: [all] }, certificate_bound: required } } }\n");
    auto const refused = run_gateway({"check", "-c", config.string()});
    CHECK(refused.exit_code != 0);
    CHECK((refused.output + refused.error)
              .find("no listener asks clients for certificates: no client could use "
                    "certificate_bound: required")
          != std::string::npos);
}

} // namespace e50_certificate_bound_tokens
