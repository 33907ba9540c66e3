// Keys that sign: what is read, what others can verify, and when each is published and signs.
#include "gateway/jose/signing_key.h"

#include <catch2/catch.hpp>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace signing_key_test {

using namespace sallyport::jose;
using namespace std::chrono_literals;

namespace {

enum class Form : std::uint8_t { pkcs8, sec1, encrypted, public_half };

// A PEM text of the key; it is freed.
std::string pem(EVP_PKEY* key, Form form = Form::pkcs8, bool keep = false) {
    BIO* const bio = BIO_new(BIO_s_mem());
    switch (form) {
    case Form::pkcs8:
        PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
        break;
    case Form::sec1:
        PEM_write_bio_PrivateKey_traditional(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
        break;
    case Form::encrypted:
        PEM_write_bio_PKCS8PrivateKey(bio, key, EVP_aes_128_cbc(), "abcd", 4, nullptr, nullptr);
        break;
    case Form::public_half: PEM_write_bio_PUBKEY(bio, key); break;
    }
    char* data = nullptr;
    auto const size = BIO_get_mem_data(bio, &data);
    std::string text{data, static_cast<std::size_t>(size)};
    BIO_free(bio);
    if (!keep) EVP_PKEY_free(key);
    return text;
}

std::string decode(std::string text) {
    for (auto& c : text)
        c = c == '-' ? '+' : c == '_' ? '/' : c;
    auto const padding = (4 - text.size() % 4) % 4;
    text.append(padding, '=');
    std::string bytes(text.size(), '\0');
    auto const size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                      reinterpret_cast<unsigned char const*>(text.data()),
                                      static_cast<int>(text.size()));
    REQUIRE(size >= 0);
    bytes.resize(static_cast<std::size_t>(size) - padding);
    return bytes;
}

std::string member(std::string const& json, std::string const& name) {
    auto const begin = json.find('"' + name + "\":\"");
    REQUIRE(begin != std::string::npos);
    auto const from = begin + name.size() + 4;
    return json.substr(from, json.find('"', from) - from);
}

// With nothing but the public key as it is published.
bool is_right(std::string const& token, std::string const& jwk) {
    auto const point = '\x04' + decode(member(jwk, "x")) + decode(member(jwk, "y")); // SEC 1, 2.3.3
    REQUIRE(point.size() == 65);
    auto* const build = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
    auto* const parameters = OSSL_PARAM_BLD_to_param(build);
    auto* const maker = EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr);
    EVP_PKEY* key = nullptr;
    REQUIRE(EVP_PKEY_fromdata_init(maker) == 1);
    REQUIRE(EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, parameters) == 1);

    auto const last = token.rfind('.');
    auto const raw = decode(token.substr(last + 1));
    REQUIRE(raw.size() == 64);
    auto const* const bytes = reinterpret_cast<unsigned char const*>(raw.data());
    auto* const signature = ECDSA_SIG_new();
    ECDSA_SIG_set0(signature, BN_bin2bn(bytes, 32, nullptr), BN_bin2bn(bytes + 32, 32, nullptr));
    unsigned char* der = nullptr;
    auto const size = i2d_ECDSA_SIG(signature, &der);
    auto* const context = EVP_MD_CTX_new();
    bool const verified =
        EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key) == 1
        && EVP_DigestVerify(context, der, static_cast<std::size_t>(size),
                            reinterpret_cast<unsigned char const*>(token.data()), last)
               == 1;
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    ECDSA_SIG_free(signature);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(build);
    return verified;
}

std::vector<std::string> ids(std::vector<SigningKeys::Key> const& keys) {
    std::vector<std::string> made;
    for (auto const& key : keys)
        made.push_back(key->id());
    return made;
}

using Ids = std::vector<std::string>;

SigningKeys::Time const start{1000h};

} // namespace

TEST_CASE("a token has three parts, and the published key verifies it") {
    auto const key = SigningKey::make();
    // Signatures whose numbers begin with zeros too.
    for (int i = 0; i < 600; ++i) {
        auto const token = key->sign("{\"n\":" + std::to_string(i) + "}");
        auto const first = token.find('.');
        auto const second = token.find('.', first + 1);
        CHECK(decode(token.substr(0, first))
              == R"({"alg":"ES256","typ":"JWT","kid":")" + key->id() + "\"}");
        CHECK(decode(token.substr(first + 1, second - first - 1))
              == "{\"n\":" + std::to_string(i) + "}");
        CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789-_.")
              == std::string::npos);
        CHECK(is_right(token, key->public_jwk()));
        auto wrong = token;
        wrong[first + 1] = wrong[first + 1] == 'A' ? 'B' : 'A';
        CHECK_FALSE(is_right(wrong, key->public_jwk()));
    }
    CHECK_FALSE(is_right(key->sign("{}"), SigningKey::make()->public_jwk()));
}

TEST_CASE("a published key has its public half alone, and its thumbprint") {
    auto const key = SigningKey::make();
    auto const& jwk = key->public_jwk();
    CHECK(member(jwk, "kty") == "EC");
    CHECK(member(jwk, "crv") == "P-256");
    CHECK(member(jwk, "alg") == "ES256");
    CHECK(member(jwk, "use") == "sig");
    CHECK(member(jwk, "kid") == key->id());
    CHECK(jwk.find("\"d\"") == std::string::npos);
    // RFC 7638, 3.
    std::string const members = R"({"crv":"P-256","kty":"EC","x":")" + member(jwk, "x")
                                + R"(","y":")" + member(jwk, "y") + "\"}";
    std::array<unsigned char, 32> digest{};
    EVP_Digest(members.data(), members.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
    CHECK(decode(key->id())
          == std::string{reinterpret_cast<char const*>(digest.data()), digest.size()});
}

TEST_CASE("a key file has an EC key on P-256, without a pass phrase") {
    auto const problem = [](std::string_view text) { return SigningKey::load(text).problem; };
    auto* const key = EVP_EC_gen("P-256");
    auto const pkcs8 = pem(key, Form::pkcs8, true);
    auto const loaded = SigningKey::load(pkcs8);
    REQUIRE(loaded.key);
    CHECK(loaded.problem.empty());
    CHECK(is_right(loaded.key->sign("{}"), loaded.key->public_jwk()));
    CHECK(SigningKey::load(pkcs8).key->id() == loaded.key->id());
    auto const older = SigningKey::load(pem(key, Form::sec1, true));
    REQUIRE(older.key);
    CHECK(older.key->id() == loaded.key->id());

    CHECK(problem("") == "holds no private key in PEM");
    CHECK(problem("hunter2") == "holds no private key in PEM");
    CHECK(problem(pkcs8.substr(0, 100)) == "holds no private key in PEM");
    CHECK(problem(pem(key, Form::public_half, true)) == "holds no private key in PEM");
    CHECK(problem(pem(key, Form::encrypted)) == "the private key has a pass phrase");
    std::string const other = "the private key is not one for ES256: an EC key on the curve P-256";
    CHECK(problem(pem(EVP_EC_gen("P-384"))) == other);
    CHECK(problem(pem(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"))) == other);
    CHECK(problem(pem(EVP_RSA_gen(2048))) == other);
}

TEST_CASE("a new key is published before it signs, and an old one until its tokens have expired") {
    SigningKeys keys;
    SigningKeys::Settings const settings{60s, 10min, {}};
    CHECK(keys.current(start) == nullptr);
    CHECK(keys.published(start).empty());
    auto const one = SigningKey::make();
    auto const two = SigningKey::make();
    CHECK(keys.adopt(settings, one, start)); // at once: there is no other
    CHECK(keys.current(start) == one);
    CHECK_FALSE(keys.adopt(settings, one, start + 1min));
    CHECK(keys.adopt(settings, two, start + 1h));
    CHECK(keys.newest() == two);
    CHECK_FALSE(keys.adopt(settings, two, start + 1h + 1min)); // another reload
    CHECK(ids(keys.published(start + 1h)) == Ids{one->id(), two->id()});
    CHECK(keys.current(start + 1h + 10min - 1ms) == one);
    auto const changes = start + 1h + 10min;
    CHECK(keys.current(changes) == two);
    CHECK(ids(keys.published(changes + 60s)) == Ids{two->id(), one->id()});
    CHECK(ids(keys.published(changes + 60s + 5min - 1ms)) == Ids{two->id(), one->id()});
    CHECK(ids(keys.published(changes + 60s + 5min)) == Ids{two->id()});
}

TEST_CASE("a key that has not signed yet gives way, and the one before can come back") {
    SigningKeys keys;
    SigningKeys::Settings const settings{60s, 10min, {}};
    auto const one = SigningKey::make();
    auto const two = SigningKey::make();
    auto const three = SigningKey::make();
    keys.adopt(settings, one, start);
    CHECK(keys.adopt(settings, two, start + 1min));
    CHECK(keys.adopt(settings, three, start + 2min));
    CHECK(ids(keys.published(start + 2min)) == Ids{one->id(), three->id()});
    CHECK(keys.adopt(settings, one, start + 3min));
    CHECK(ids(keys.published(start + 1h)) == Ids{one->id()});
    // One that is still published as an old one.
    keys.adopt(settings, two, start + 2h);
    CHECK(keys.current(start + 3h) == two);
    keys.adopt(settings, one, start + 3h + 1min);
    CHECK(ids(keys.published(start + 3h + 1min)) == Ids{two->id(), one->id(), one->id()});
    CHECK(keys.current(start + 4h) == one);
    CHECK(ids(keys.published(start + 4h)) == Ids{one->id(), two->id()});
}

TEST_CASE("keys of the gateway's own are rotated by themselves") {
    SigningKeys keys;
    SigningKeys::Settings const settings{60s, 10min, 24h};
    CHECK(keys.adopt(settings, nullptr, start));
    auto const first = keys.current(start);
    REQUIRE(first);
    CHECK_FALSE(keys.adopt(settings, nullptr, start + 1h));
    auto const before = start + 24h - 10min;
    CHECK(ids(keys.published(before - 1ms)) == Ids{first->id()});
    auto const published = keys.published(before);
    REQUIRE(published.size() == 2);
    CHECK(keys.current(start + 24h - 1ms) == first);
    CHECK(keys.current(start + 24h) == published[1]);
    CHECK(keys.published(start + 24h).size() == 2);
    CHECK(keys.published(start + 25h).size() == 1);
    // Nobody asked for days: a key is never used that was not published.
    auto const late = keys.current(start + 240h);
    CHECK(late == published[1]);
    CHECK(keys.published(start + 240h).size() == 2);
}

TEST_CASE("the set has the keys of all sources, once each, as long as there may be tokens") {
    KeySources sources;
    SigningKeys::Settings const settings{60s, 0s, {}};
    CHECK(sources.key_set(start) == R"({"keys":[]})");
    auto const one = SigningKey::make();
    auto const two = SigningKey::make();
    auto const a = sources.of("a.pem");
    auto const b = sources.of("b.pem");
    auto const c = sources.of("c.pem");
    CHECK(sources.of("a.pem") == a);
    CHECK(a != b);
    a->adopt(settings, one, start);
    b->adopt(settings, two, start);
    c->adopt(settings, one, start);
    CHECK(sources.key_set(start)
          == R"({"keys":[)" + one->public_jwk() + ',' + two->public_jwk() + "]}");
    sources.keep_only({a, c}, start);
    auto const ends = start + 60s + 5min;
    CHECK(b->current(start + 1s) == two); // for requests that have begun
    CHECK(sources.key_set(ends - 1ms).find(two->id()) != std::string::npos);
    CHECK(sources.key_set(ends) == R"({"keys":[)" + one->public_jwk() + "]}");
    // Another reload without it does not prolong that.
    sources.keep_only({a, c}, start + 1min);
    CHECK(sources.key_set(ends).find(two->id()) == std::string::npos);
    // It is new when it comes back.
    auto const three = SigningKey::make();
    CHECK(b->adopt(settings, three, ends + 1h));
    CHECK(b->current(ends + 1h) == three);
}

} // namespace signing_key_test
