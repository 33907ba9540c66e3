// The signed tokens in which upstreams learn who calls, and the keys that verify them.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <algorithm>
#include <csignal>
#include <chrono>
#include <ctime>

namespace e44_upstream_assertions {

using namespace sallyport::test;

namespace {

std::string const asserted = "identity: { assertion: { issuer: \"https://gw.example\", audience: "
                             "orders";

std::string key_pem() {
    auto* const key = EVP_EC_gen("P-256");
    auto* const bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio, &data);
    std::string text{data, static_cast<std::size_t>(size)};
    BIO_free(bio);
    EVP_PKEY_free(key);
    return text;
}

struct Token {
    std::string signed_part;
    Json header;
    Json claims;
    std::string signature;
};

Token token_in(Request const& request, std::string const& field = "X-Sallyport-Assertion") {
    auto const text = request.fields.one(field);
    auto const first = text.find('.');
    auto const second = text.find('.', first + 1);
    REQUIRE(second != std::string::npos);
    return {text.substr(0, second), Json::parse(base64url_decoded(text.substr(0, first))),
            Json::parse(base64url_decoded(text.substr(first + 1, second - first - 1))),
            base64url_decoded(text.substr(second + 1))};
}

struct KeySet {
    explicit KeySet(Gateway const& gateway) {
        auto const page = request_admin(gateway, "/.well-known/jwks.json");
        CHECK(page.status == 200);
        CHECK(page.fields.one("Content-Type") == "application/jwk-set+json");
        CHECK(page.body.find("\"d\"") == std::string::npos);
        keys = Json::parse(page.body)["keys"];
    }
    [[nodiscard]] std::vector<std::string> ids() const {
        std::vector<std::string> made;
        for (auto const& key : keys.items)
            made.push_back(key.text("kid"));
        return made;
    }
    // By OpenSSL alone, with the published key of the token's `kid`.
    [[nodiscard]] bool verifies(Token const& token) const {
        for (auto const& key : keys.items)
            if (key.text("kid") == token.header.text("kid")) return verifies_with(key, token);
        return false;
    }

    Json keys;

private:
    static bool verifies_with(Json const& jwk, Token const& token) {
        REQUIRE(token.signature.size() == 64);
        auto const point =
            '\x04' + base64url_decoded(jwk.text("x")) + base64url_decoded(jwk.text("y"));
        auto* const build = OSSL_PARAM_BLD_new();
        OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                         point.size());
        auto* const parameters = OSSL_PARAM_BLD_to_param(build);
        auto* const maker = EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr);
        EVP_PKEY* key = nullptr;
        REQUIRE(EVP_PKEY_fromdata_init(maker) == 1);
        REQUIRE(EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, parameters) == 1);
        auto const* const raw = reinterpret_cast<unsigned char const*>(token.signature.data());
        auto* const numbers = ECDSA_SIG_new();
        ECDSA_SIG_set0(numbers, BN_bin2bn(raw, 32, nullptr), BN_bin2bn(raw + 32, 32, nullptr));
        unsigned char* der = nullptr;
        auto const size = i2d_ECDSA_SIG(numbers, &der);
        auto* const context = EVP_MD_CTX_new();
        bool const is_right =
            EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key) == 1
            && EVP_DigestVerify(context, der, static_cast<std::size_t>(size),
                                reinterpret_cast<unsigned char const*>(token.signed_part.data()),
                                token.signed_part.size())
                   == 1;
        EVP_MD_CTX_free(context);
        OPENSSL_free(der);
        ECDSA_SIG_free(numbers);
        EVP_PKEY_free(key);
        EVP_PKEY_CTX_free(maker);
        OSSL_PARAM_free(parameters);
        OSSL_PARAM_BLD_free(build);
        return is_right;
    }
};

Stage asserting(std::string const& keys, std::string const& file = {}) {
    Gateway::Options options;
    if (!file.empty()) options.files["key.pem"] = file;
    return Stage{{},
                 [&](Configuration& configuration) {
                     with_upstream(asserted + keys + " } }")(configuration);
                     configuration.apis += "  open: { paths: [\"/open/\"], upstream: management, "
                                           "authenticate: [anonymous] }\n";
                     configuration.rest = std::string{admin_section};
                 },
                 options};
}

Token next_token(Stage const& stage) {
    auto const before = stage.upstream.requests().size();
    CHECK(stage.send(request_for("getPipe").authorization(basic(enterprise))).status == 200);
    return token_in(stage.upstream.request(before));
}

} // namespace

TEST_CASE("an assertion says who calls what, for one minute, and the published key verifies it") {
    auto const keys = GENERATE(std::string{}, std::string{", key: key.pem"});
    Stage stage = asserting(keys, keys.empty() ? "" : key_pem());
    KeySet const published{stage.gateway};
    REQUIRE(published.ids().size() == 1);
    auto const before = std::time(nullptr);
    auto const response = stage.send(request_for("getPipe")
                                         .authorization(basic(enterprise))
                                         .add("X-Sallyport-Assertion", "a.b.c")
                                         .add("X_SALLYPORT_ASSERTION", "a.b.c"));
    REQUIRE(response.status == 200);
    auto const request = stage.upstream.request(0);
    CHECK(request.raw.find("a.b.c") == std::string::npos);
    auto const token = token_in(request);
    CHECK(token.header.text("alg") == "ES256");
    CHECK(token.header.text("typ") == "JWT");
    CHECK(published.verifies(token));

    auto const& claims = token.claims;
    CHECK(claims.text("iss") == "https://gw.example");
    CHECK(claims.text("aud") == "orders");
    CHECK(claims.text("sub") == "enterprise");
    CHECK(claims.text("api") == "management");
    CHECK(claims.text("operation") == "getPipe");
    CHECK(claims.text("request_id") == response.fields.one("X-Request-Id"));
    CHECK(claims["labels"].text("organization_tier") == "ENTERPRISE");
    CHECK(claims["labels"]["paid"].kind == Json::Kind::boolean);
    CHECK(claims["iat"].number >= static_cast<double>(before));
    // Not std::time(), which is late by a tick of the kernel.
    using std::chrono::system_clock;
    auto const after = system_clock::to_time_t(system_clock::now());
    CHECK(claims["iat"].number <= static_cast<double>(after));
    CHECK(claims["exp"].number == claims["iat"].number + 60);
    CHECK(claims.text("jti").size() == 32);
    CHECK(next_token(stage).claims.text("jti") != claims.text("jti"));

    // Another text is not verified, and neither is another gateway's token.
    auto changed = token;
    changed.signed_part.back() = changed.signed_part.back() == 'A' ? 'B' : 'A';
    CHECK_FALSE(published.verifies(changed));
    // Nobody calls: there is none, whatever was sent.
    CHECK(stage.send(Outgoing{"GET", "/open/a"}.add("X-Sallyport-Assertion", "a.b.c")).status
          == 200);
    CHECK(stage.upstream.request(2).raw.find("Assertion") == std::string::npos);
    stage.finish();
}

TEST_CASE("another implementation of JWT accepts an assertion, and no changed one") {
    if (run({{"/usr/bin/python3", "-c", "import jwt"}}).exit_code != 0) {
        WARN("not checked: there is no python3-jwt on this machine");
        return;
    }
    Stage stage = asserting(", lifetime: 30s");
    CHECK(stage.send(request_for("getPipe").authorization(basic(enterprise))).status == 200);
    auto const token = stage.upstream.request(0).fields.one("X-Sallyport-Assertion");
    auto const set = request_admin(stage.gateway, "/.well-known/jwks.json").body;
    std::string const verify = R"(
import json, jwt, sys
token, keys = sys.argv[1], json.loads(sys.argv[2])["keys"]
kid = jwt.get_unverified_header(token)["kid"]
key = jwt.algorithms.ECAlgorithm.from_jwk(json.dumps(next(k for k in keys if k["kid"] == kid)))
def decode(token, audience="orders", issuer="https://gw.example"):
    return jwt.decode(token, key, algorithms=["ES256"], audience=audience, issuer=issuer,
                      options={"require": ["exp", "iat", "iss", "aud", "sub", "jti"]})
print(decode(token)["sub"])
changed = token[:-8] + ("A" if token[-8] != "A" else "B") + token[-7:]
for refused in (lambda: decode(changed), lambda: decode(token, audience="others"),
                lambda: decode(token, issuer="https://others.example")):
    try:
        refused()
    except jwt.InvalidTokenError:
        continue
    sys.exit("accepted")
)";
    auto const result = run({{"/usr/bin/python3", "-c", verify, token, set}});
    CHECK(result.error.empty());
    CHECK(result.output == "enterprise\n");
    stage.finish();
}

TEST_CASE("a new key of the file is published before it signs, and the old one stays published") {
    Stage stage = asserting(", key: key.pem, publish_ahead: 3s", key_pem());
    auto const first = next_token(stage).header.text("kid");
    CHECK(KeySet{stage.gateway}.ids() == std::vector<std::string>{first});

    stage.gateway.replace("key.pem", key_pem());
    stage.gateway.wait_for_reloads(1);
    auto const both = KeySet{stage.gateway}.ids();
    REQUIRE(both.size() == 2);
    CHECK(both[0] == first);
    CHECK(next_token(stage).header.text("kid") == first);
    TimeLimit const limit;
    auto token = next_token(stage);
    while (token.header.text("kid") == first && !limit.has_passed())
        token = next_token(stage);
    CHECK(token.header.text("kid") == both[1]);
    KeySet const after{stage.gateway};
    CHECK(after.verifies(token));
    CHECK(after.ids() == std::vector<std::string>{both[1], first});

    // A file that holds no key changes nothing.
    stage.gateway.replace("key.pem", "hunter2");
    stage.gateway.wait_for_rejected_reloads(1);
    CHECK(next_token(stage).header.text("kid") == both[1]);
    CHECK(stage.gateway.every_written_byte().find("hunter2") == std::string::npos);
    stage.finish();
}

TEST_CASE("keys of the gateway's own follow one another, and survive a reload") {
    Stage stage = asserting(", rotate_every: 2s, publish_ahead: 1s");
    auto const first = next_token(stage).header.text("kid");
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(1);
    auto token = next_token(stage);
    TimeLimit const limit;
    std::vector<std::string> published;
    while (token.header.text("kid") == first && !limit.has_passed()) {
        published = KeySet{stage.gateway}.ids();
        token = next_token(stage);
    }
    // It was there before the first token that it signed.
    auto const second = token.header.text("kid");
    CHECK(second != first);
    CHECK(std::find(published.begin(), published.end(), second) != published.end());
    KeySet const after{stage.gateway};
    CHECK(after.verifies(token));
    auto const ids = after.ids();
    CHECK(std::find(ids.begin(), ids.end(), first) != ids.end());
    stage.finish();
}

} // namespace e44_upstream_assertions
