// A WebSocket ends when what it was opened with would not open it any more: certificates, tokens,
// passwords and rules, one after the other.
#include "tests/end_to_end/issuer_server.h"
#include "tests/end_to_end/websocket_stage.h"
#include "tests/support/authority.h"
#include "tests/support/encodings.h"
#include "tests/support/text.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace e61_websocket_proofs {

using namespace sallyport::test;
using namespace sallyport::test::websocket;
using namespace std::chrono_literals;

namespace {

IssuingAuthority const& clients() {
    static IssuingAuthority const made{"Clients"};
    return made;
}
IssuedCertificate const& alice() {
    static IssuedCertificate const made = clients().issue({.subject = {{"CN", "alice"}}});
    return made;
}

// Much less than the idle time.
constexpr std::chrono::seconds soon{90};

constexpr std::string_view opaque = "token-that-only-its-issuer-can-read";

std::string active(std::string_view more = {}) {
    return R"({"active":true,"sub":"alice")" + std::string{more} + '}';
}

// "correct horse", of the user `ann`.
constexpr std::string_view slow_hash =
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$REiRt35dHGtMWJ/p+5b5FBn+NMuLR8SFnoCU9BlDUHE";
constexpr std::string_view other_hash =
    "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"; // the same password
std::string ann_with(std::string_view hash) {
    return "credentials:\n  - name: ann\n    basic: { key_id: ann, secrets: [\""
           + std::string{hash} + "\"] }\n    allow: all\n";
}

constexpr std::string_view certificate_entry =
    "roles: { all: { allow: all } }\ncredentials:\n"
    "  - { name: alice, client_certificate: { subject: \"CN=alice\" }, allow: all }\n";

/// A gateway that opens WebSockets for all of these proofs.
struct Proven : Tunnelled {
    struct Setup {
        std::string authenticate;
        std::string verify = {}; // of certificates; empty: none are asked for
        std::string credentials{certificate_entry};
        std::function<void(Server&)> goes_on;
    };

    Proven(Setup const& setup, IssuerServer const& issuer, TokenSigner const& signer)
        : Tunnelled{setup.goes_on,
                    {},
                    [&](Configuration& configuration) {
                        configuration.listeners = listener(setup.verify);
                        configuration.credentials += ", denied: denied.txt";
                        configuration.apis = api(setup.authenticate, issuer);
                    },
                    {.credentials = setup.credentials,
                     .files = {{"own.yaml", std::string{document}},
                               {"issuer.pem", read_file(certificates().authority)},
                               {"keys.json", key_set({signer.jwk()})},
                               {"denied.txt", ""},
                               {"ca.pem", clients().certificate()},
                               {"crl.pem", clients().list()}}}} {}

    static std::string listener(std::string const& verify) {
        return tls_listener({certificates().server},
                            verify.empty() ? std::string{}
                                           : "      client_certificates: { verify: " + verify
                                                 + ", ca: ca.pem, crl: crl.pem }\n");
    }
    static std::string api(std::string const& authenticate, IssuerServer const& issuer) {
        return "  own: { contract: own.yaml, upstream: management, authenticate: " + authenticate
               + (authenticate.find("jwt") == std::string::npos
                      ? ""
                      : ", jwt: { issuer: \"https://issuer.example\", audience: own, keys: { file: "
                        "keys.json }, algorithms: [ES256], roles: { always: [all] } }")
               + (authenticate.find("introspection") == std::string::npos
                      ? ""
                      : ", introspection: { url: \"" + issuer.url("/introspect")
                            + "\", client: { id: gateway, secret: a-secret-of-the-gateway }, ca: "
                              "issuer.pem, cache: { positive: 1s, negative: 1s }, roles: { always: "
                              "[all] } }")
               + " }\n";
    }
    // With what proves its caller: a field, a certificate, or both.
    int open_with(std::string const& authorization, IssuedCertificate const* own = nullptr) {
        ClientOptions options;
        if (own != nullptr) options.tls.own = folder.write("own.pem", own->with()).string();
        client = RawClient{stage.port(), options};
        auto request = handshake("/v1/socket?room=5");
        request.add("Origin", "https://app.example.com");
        if (!authorization.empty()) request.add("Authorization", authorization);
        client.send(request.text());
        auto const status = client.read_response().status;
        if (status == 101) wait_for_tunnels(1);
        return status;
    }
    [[nodiscard]] std::string configuration() const {
        return read_file(stage.gateway.folder() / "sallyport.yaml");
    }
    void configure_again(std::string const& from, std::string const& to) {
        stage.gateway.replace("sallyport.yaml", replaced(configuration(), from, to));
    }

    TemporaryFolder folder;
};

/// Both ends of a WebSocket, its issuers, and what they have signed.
struct Scene {
    IssuerServer issuer;
    TokenSigner signer{"ES256", "k1"};
    std::string at_server;
    Event seen;

    Scene() { say(active()); }

    void say(std::string const& json) { issuer.set("/introspect", response_text(json)); }
    [[nodiscard]] std::string jwt(std::string const& more = {}) const {
        return signer.token(R"({"iss":"https://issuer.example","aud":"own","sub":"alice","exp":)"
                            + std::to_string(std::time(nullptr) + 3600) + more + '}');
    }
    // A token that is good with the certificate of alice alone (RFC 8705, 3.1).
    [[nodiscard]] std::string bound_jwt() const {
        auto const hex = fingerprint_of(alice().certificate).substr(7);
        std::string bytes;
        for (std::size_t i = 0; i < hex.size(); i += 2)
            bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
        return jwt(R"(,"cnf":{"x5t#S256":")" + encode_base64url(bytes) + "\"}");
    }
};

struct Row {
    char const* what;
    std::string authenticate;
    std::string verify; // of certificates
    std::function<std::string(Scene&)> authorization;
    std::function<void(Proven&, Scene&)> take_away;
    char const* reason = "unauthenticated";
    std::string credentials{certificate_entry};
};

std::string nothing(Scene&) {
    return {};
}
std::string ann(Scene&) {
    return basic_of("ann:correct horse");
}
std::string opaque_token(Scene&) {
    return bearer(opaque);
}
std::string signed_token(Scene& scene) {
    return bearer(scene.jwt());
}
std::string bound_token(Scene& scene) {
    return bearer(scene.bound_jwt());
}

std::function<void(Proven&, Scene&)> replace(std::string const& name, std::string const& content) {
    return [=](Proven& proven, Scene&) { proven.stage.gateway.replace(name, content); };
}
std::function<void(Proven&, Scene&)> configure(std::string const& from, std::string const& to) {
    return [=](Proven& proven, Scene&) { proven.configure_again(from, to); };
}
std::function<void(Proven&, Scene&)> deny(std::string const& secret) {
    return replace("denied.txt", "sha256:" + sha256_hex(secret) + "\n");
}
std::function<void(Proven&, Scene&)> say(std::string const& json) {
    return [=](Proven&, Scene& scene) { scene.say(json); };
}

std::vector<Row> rows_of_certificates() {
    auto const revoked = clients().list({alice().serial});
    std::string const asked =
        "      client_certificates: { verify: optional, ca: ca.pem, crl: crl.pem }\n";
    return {
        {"its certificate is revoked", "[client_certificate]", "required", nothing,
         replace("crl.pem", revoked)},
        {"its authority is not trusted any more", "[client_certificate]", "required", nothing,
         [](Proven& proven, Scene&) {
             IssuingAuthority const another{"Others"};
             proven.stage.gateway.replace("crl.pem", another.list());
             proven.stage.gateway.replace("ca.pem", another.certificate());
         }},
        {"the list of revoked certificates ends", "[client_certificate]", "optional", nothing,
         replace("crl.pem", clients().list({}, 4))},
        {"its entry is gone", "[client_certificate]", "required", nothing,
         replace("credentials.yaml", replaced(std::string{certificate_entry}, "CN=alice", "CN=bob"))},
        {"its certificate is revoked, beside a password", "[basic]", "optional", ann,
         replace("crl.pem", revoked), "unauthenticated", ann_with(slow_hash)},
        {"its token is bound to a certificate that is revoked", "[jwt]", "optional", bound_token,
         replace("crl.pem", revoked)},
        {"its token is bound to a certificate, and none are asked for any more", "[jwt]",
         "optional", bound_token, configure(asked, "")},
    };
}

std::vector<Row> rows_of_secrets() {
    return {
        {"its slow password is denied", "[basic]", "", ann, deny("correct horse"), "unauthenticated",
         ann_with(slow_hash)},
        {"its slow password is another", "[basic]", "", ann,
         replace("credentials.yaml",
                 ann_with(replaced(std::string{slow_hash}, "$REiRt35", "$SEiRt35"))),
         "unauthenticated", ann_with(slow_hash)},
        {"the user of its slow password is gone", "[basic]", "", ann,
         replace("credentials.yaml", replaced(ann_with(slow_hash), "key_id: ann", "key_id: bob")),
         "unauthenticated", ann_with(slow_hash)},
        {"its token is denied", "[introspection]", "", opaque_token,
         deny(std::string{opaque})},
        {"its issuer takes its token back", "[introspection]", "", opaque_token,
         say(R"({"active":false})")},
        {"its issuer takes its token back, and it has a certificate besides", "[introspection]",
         "required", opaque_token, say(R"({"active":false})")},
        {"its issuer says that its token has ended", "[introspection]", "", opaque_token,
         say(active(R"(,"exp":1000000000)"))},
        {"its token is of an issuer that has another key", "[jwt]", "", signed_token,
         [](Proven& proven, Scene&) {
             TokenSigner const other{"ES256", "k1"};
             proven.stage.gateway.replace("keys.json", key_set({other.jwk()}));
         }},
        {"its token is for another audience", "[jwt]", "", signed_token,
         configure("audience: own", "audience: others")},
    };
}

std::vector<Row> rows_of_rules() {
    std::string const contract{document};
    return {
        {"certificates are required, and it has none", "[basic]", "optional", ann,
         configure("verify: optional", "verify: required"), "unauthenticated",
         ann_with(slow_hash)},
        {"the listener takes no such address", "[basic]", "", ann,
         configure("name: public\n",
                   "name: public\n    deny_addresses: [\"127.0.0.0/8\", \"::1\"]\n"),
         "address_denied", ann_with(slow_hash)},
        {"a parameter of its request", "[basic]", "", ann,
         replace("own.yaml", replaced(contract, "type: integer", "type: integer, minimum: 6")),
         "bad_parameter", ann_with(slow_hash)},
    };
}

void check_rows(std::vector<Row> const& rows) {
    for (auto const& row : rows) {
        CAPTURE(row.what);
        Scene scene;
        Proven proven{{row.authenticate, row.verify, row.credentials,
                       answer_close(scene.at_server, scene.seen)},
                      scene.issuer,
                      scene.signer};
        bool const shows_none =
            row.verify.empty() || std::string_view{row.what}.find("has none") < 100;
        REQUIRE(proven.open_with(row.authorization(scene), shows_none ? nullptr : &alice()) == 101);
        row.take_away(proven, scene);
        check_close(proven, scene.at_server, scene.seen, 1008, row.reason, soon);
        proven.finish();
    }
}

} // namespace

TEST_CASE("a WebSocket ends when its client's certificate would not open it any more") {
    check_rows(rows_of_certificates());
}

TEST_CASE("a WebSocket ends when its password or token would not open it any more") {
    check_rows(rows_of_secrets());
}

TEST_CASE("a WebSocket ends when the rules would not let it open any more") {
    check_rows(rows_of_rules());
}

TEST_CASE("a WebSocket ends when its client's certificate does") {
    for (auto const length : {4L, 15L, 60L}) {
        Scene scene;
        Proven proven{{"[client_certificate]", "required", std::string{certificate_entry},
                       answer_close(scene.at_server, scene.seen)},
                      scene.issuer,
                      scene.signer};
        auto const own = clients().issue({.subject = {{"CN", "alice"}}, .ends = length});
        auto const end = std::time(nullptr) + length;
        try {
            REQUIRE(proven.open_with({}, &own) == 101);
        } catch (std::runtime_error const&) {
            proven.finish();
            continue; // it has ended before
        }
        check_close(proven, scene.at_server, scene.seen, 1008, "unauthenticated", soon);
        CHECK(std::time(nullptr) >= end - 1);
        return proven.finish();
    }
    FAIL("a handshake takes a minute");
}

TEST_CASE("a WebSocket stays open while its proofs hold, however often they are looked at again") {
    auto const slow = ann_with(slow_hash);
    struct Kept {
        char const* what;
        Row row;
        std::function<void(Proven&, Scene&)> until_judged;
    };
    auto const reloads = [](Proven& proven, Scene&) { proven.stage.gateway.wait_for_reloads(1); };
    // The first answer was for the handshake.
    auto const asked_again = [](Proven&, Scene& scene) {
        TimeLimit const limit;
        while (scene.issuer.fetches("/introspect") < 3)
            if (limit.has_passed()) throw std::runtime_error{"the issuer is not asked again"};
    };
    std::vector<Kept> const all{
        {"another list", {"", "[client_certificate]", "required", nothing,
                          replace("crl.pem", clients().list({12345}))},
         reloads},
        {"another hash of the same password",
         {"", "[basic]", "", ann, replace("credentials.yaml", ann_with(slow_hash) + "    labels: { a: b }\n"),
          "", slow},
         reloads},
        {"an issuer that calls its token active", {"", "[introspection]", "", opaque_token, {}},
         asked_again},
        {"an issuer that fails",
         {"", "[introspection]", "", opaque_token,
          [](Proven&, Scene& scene) {
              scene.issuer.set("/introspect", response_text("{}", 500));
          }},
         [](Proven& proven, Scene& scene) {
             TimeLimit const limit;
             auto const before = scene.issuer.fetches("/introspect");
             while (scene.issuer.fetches("/introspect") == before)
                 if (limit.has_passed()) throw std::runtime_error{"it is not asked"};
             static_cast<void>(proven);
         }},
    };
    for (auto const& kept : all) {
        CAPTURE(kept.what);
        Scene scene;
        Proven proven{{kept.row.authenticate, kept.row.verify, kept.row.credentials,
                       [](Server& server) { echo_until_close(server); }},
                      scene.issuer,
                      scene.signer};
        REQUIRE(proven.open_with(kept.row.authorization(scene),
                                 kept.row.verify.empty() ? nullptr : &alice())
                == 101);
        if (kept.row.take_away) kept.row.take_away(proven, scene);
        kept.until_judged(proven, scene);
        proven.client.send(frame(From::client, text, "hello"));
        CHECK(proven.client.read_bytes(7) == frame(From::server, text, "HELLO"));
        proven.client.send(closing(From::client, 1000));
        proven.client.read_to_end();
        CHECK(proven.line()["reason"].is_null());
        proven.finish();
    }
}

} // namespace e61_websocket_proofs
