// The texts that mean the same token, and those that are written in another way.
#include "gateway/jose/same_token.h"

#include "gateway/jose/base64url.h"
#include "gateway/jose/jws.h"
#include "tests/unit/jose/signer.h"

#include <openssl/bn.h>
#include <openssl/ec.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace same_token_test {

using namespace sallyport::jose;
using sallyport::jose::test::key_set;
using sallyport::jose::test::Signer;

namespace {

constexpr std::string_view payload = R"({"sub":"x"})";

std::vector<std::string> texts_of(std::string_view token) {
    std::vector<std::string> texts;
    CHECK_FALSE(any_text_of_same_token(token, [&texts](std::string_view text) {
        texts.emplace_back(text);
        return false;
    }));
    return texts;
}

bool has(std::vector<std::string> const& texts, std::string_view text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// As who wants to use a denied token makes it: with n - s in place of s.
std::string with_negated_s(std::string const& token, int curve) {
    auto const dot = token.rfind('.');
    auto const signature = decode_base64url(std::string_view{token}.substr(dot + 1)).value();
    auto const size = signature.size() / 2;
    EC_GROUP* const group = EC_GROUP_new_by_curve_name(curve);
    BIGNUM* const s = BN_bin2bn(reinterpret_cast<unsigned char const*>(signature.data()) + size,
                                static_cast<int>(size), nullptr);
    REQUIRE(BN_sub(s, EC_GROUP_get0_order(group), s) == 1);
    std::string other(size, '\0');
    REQUIRE(BN_bn2binpad(s, reinterpret_cast<unsigned char*>(other.data()), static_cast<int>(size))
            == static_cast<int>(size));
    BN_free(s);
    EC_GROUP_free(group);
    return token.substr(0, dot + 1) + encode_base64url(signature.substr(0, size) + other);
}

} // namespace

TEST_CASE("with n - s in place of s a token of ECDSA is valid, and each is a text of the other") {
    struct Case {
        Algorithm algorithm;
        int curve;
    };
    for (auto const& [algorithm, curve] : {Case{Algorithm::es256, NID_X9_62_prime256v1},
                                           Case{Algorithm::es384, NID_secp384r1}}) {
        Signer const signer{algorithm};
        auto const keys = read_key_set(key_set({signer.jwk()}), std::array{algorithm}).keys;
        auto const token = signer.token(payload);
        auto const other = with_negated_s(token, curve);
        REQUIRE(other != token);
        JwsReader reader;
        REQUIRE(verify(reader.parse(other), *keys).fault == Fault::none);
        CHECK(has(texts_of(token), other));
        CHECK(has(texts_of(other), token));
    }
}

TEST_CASE("what is signed is a text of a token, whatever signs it, and no other token is") {
    for (auto const algorithm :
         {Algorithm::rs256, Algorithm::es256, Algorithm::eddsa, Algorithm::hs256}) {
        Signer const signer{algorithm};
        auto const token = signer.token(payload);
        auto const texts = texts_of(token);
        CHECK(has(texts, token));
        CHECK(has(texts, token.substr(0, token.rfind('.'))));
        CHECK(texts.size() == (algorithm == Algorithm::es256 ? 3 : 2));
    }
    // No signature of its curve.
    CHECK(texts_of(encode_base64url(R"({"alg":"ES256"})") + "..AAAA").size() == 2);
    auto const beyond = encode_base64url(R"({"alg":"ES256"})") + "..";
    CHECK(texts_of(beyond + encode_base64url(std::string(64, '\xff'))).size() == 2);
    CHECK(texts_of(beyond + encode_base64url(std::string(64, '\x01'))).size() == 3);
}

TEST_CASE("an opaque token has texts in other letter case and with other padding") {
    auto const texts = texts_of("aB1=");
    for (std::string_view const text : {"aB1=", "aB1", "aB1==", "ab1", "ab1=", "AB1", "AB1=="})
        CHECK(has(texts, text));
    CHECK_FALSE(has(texts, "aB"));
    CHECK(any_text_of_same_token("aB1=", [](auto const text) { return text == "aB1"; }));
}

TEST_CASE("a signed or encrypted token has one spelling, and others are told") {
    auto const token = Signer{Algorithm::es256}.token(payload);
    CHECK(spelling_of(token) == Spelling::canonical);
    auto const header = encode_base64url(R"({"alg":"RSA-OAEP","enc":"A256GCM"})");
    CHECK(spelling_of(header + ".AA.AA.AA.AA") == Spelling::canonical);
    auto cut = token.substr(0, token.size() - 1);
    // 64 bytes are 86 characters, the last of which has four bits that are not used.
    for (char const last : {'B', 'P', 'h', 'x'})
        CHECK(spelling_of(cut + last) == Spelling::other);
    for (auto const& other : {token + "=", token + "==", token + ".", token + ".AA", token + "AA=",
                              header + ".AA.AA.AA", header + ".AB.AA.AA.AA"})
        CHECK(spelling_of(other) == Spelling::other);
    for (std::string_view const opaque :
         {"", "token", "a.b.c", "ey", "eyJ.x.y", "e30.AA.AA", "eyJhIjoxfQ.AA.AB", "1.2.3.4"})
        CHECK(spelling_of(opaque) == Spelling::opaque);
}

} // namespace same_token_test
