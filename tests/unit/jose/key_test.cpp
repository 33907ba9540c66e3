// One key of each algorithm: what it verifies, and which keys are refused.
#include "gateway/jose/key.h"

#include "gateway/jose/jws.h"
#include "gateway/jose/key_set.h"
#include "tests/unit/jose/signer.h"

#include <catch2/catch.hpp>

namespace key_test {

using namespace sallyport::jose;
using sallyport::jose::test::encode_base64url;
using sallyport::jose::test::Signer;

namespace {

constexpr std::array<Algorithm, 6> all{Algorithm::rs256, Algorithm::ps256, Algorithm::es256,
                                       Algorithm::es384, Algorithm::eddsa, Algorithm::hs256};

std::shared_ptr<KeySet const> set_of(Signer const& signer) {
    std::array<Algorithm, 1> const algorithms{signer.algorithm()};
    auto const read = read_key_set(signer.jwk(), algorithms);
    for (auto const& problem : read.problems)
        UNSCOPED_INFO(problem);
    REQUIRE(read.keys);
    return read.keys;
}

// Of a JWK: the problem; or "" where it can be used.
std::string problem_of(std::string const& jwk, Algorithm algorithm) {
    std::array<Algorithm, 1> const algorithms{algorithm};
    auto const read = read_key_set(jwk, algorithms);
    return read.problems.empty() ? std::string{} : read.problems.front();
}

// r and s of a signature with other bytes in their place.
std::string with_part(std::string signature, std::size_t part, std::string const& bytes) {
    return signature.replace(part * bytes.size(), bytes.size(), bytes);
}

// The order of P-256 (SEC 2, 2.4.2).
std::string const order = [] {
    std::string_view const hex = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551";
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string{hex.substr(i, 2)}, nullptr, 16));
    return bytes;
}();

} // namespace

TEST_CASE("a key verifies what it has signed, and nothing else") {
    for (auto const algorithm : all) {
        CAPTURE(to_string(algorithm));
        Signer const signer{algorithm};
        Signer const other{algorithm};
        auto const keys = set_of(signer);
        auto const& key = keys->all().front();
        auto const signature = signer.sign("text");
        CHECK(key.verifies("text", signature));
        CHECK_FALSE(key.verifies("Text", signature));
        CHECK_FALSE(key.verifies("", signature));
        CHECK_FALSE(key.verifies("text", other.sign("text")));
        CHECK_FALSE(key.verifies("text", ""));
        CHECK_FALSE(key.verifies("text", signature.substr(1)));
        CHECK_FALSE(key.verifies("text", signature + '\0'));
        CHECK_FALSE(key.verifies("text", std::string(signature.size(), '\0')));
        for (std::size_t at = 0; at < signature.size(); at += 5) {
            auto changed = signature;
            changed[at] = static_cast<char>(changed[at] ^ 0x10);
            CHECK_FALSE(key.verifies("text", changed));
        }
    }
}

TEST_CASE("Ed25519 is another name of EdDSA (RFC 9864), of tokens and of keys") {
    CHECK(find_algorithm("Ed25519") == Algorithm::eddsa);
    CHECK_FALSE(find_algorithm("ed25519"));
    CHECK_FALSE(find_algorithm("Ed448"));
    Signer const signer{Algorithm::eddsa};
    auto const read = read_key_set(test::key_set({signer.TokenSigner::jwk("Ed25519")}),
                                   std::array{Algorithm::eddsa});
    REQUIRE(read.keys != nullptr);
    for (std::string const name : {"EdDSA", "Ed25519"}) {
        JwsReader reader;
        auto const token = signer.token(R"({"alg":")" + name + R"(","kid":"k1"})", "{}");
        CHECK(verify(reader.parse(token), *read.keys).fault == Fault::none);
    }
}

TEST_CASE("an ECDSA signature with r or s of zero, of the order or beyond is refused") {
    Signer const signer{Algorithm::es256};
    auto const keys = set_of(signer);
    auto const& key = keys->all().front();
    auto const signature = signer.sign("text");
    std::string const zero(32, '\0');
    std::string const beyond(32, '\xff');
    for (std::size_t part = 0; part < 2; ++part) {
        CHECK_FALSE(key.verifies("text", with_part(signature, part, zero)));
        CHECK_FALSE(key.verifies("text", with_part(signature, part, order)));
        CHECK_FALSE(key.verifies("text", with_part(signature, part, beyond)));
    }
    CHECK_FALSE(key.verifies("text", zero + zero));
    CHECK_FALSE(key.verifies("text", order + order));
}

TEST_CASE("an ECDSA signature in DER is refused: it has another form than RFC 7518, 3.4 says") {
    // 0x30, the size, 0x02 0x20 and r: what libraries for TLS write.
    Signer const signer{Algorithm::es256};
    auto const raw = signer.sign("text");
    std::string const der = "\x30\x44\x02\x20" + raw.substr(0, 32) + "\x02\x20" + raw.substr(32);
    CHECK_FALSE(set_of(signer)->all().front().verifies("text", der));
}

TEST_CASE("RSA keys of less than 2048 bits are refused, and of more than 8192") {
    CHECK(problem_of(Signer{Algorithm::rs256, "k", 1024}.jwk(), Algorithm::rs256)
              .find("less than 2048 bits")
          != std::string::npos);
    CHECK(problem_of(Signer{Algorithm::ps256, "k", 2040}.jwk(), Algorithm::ps256)
              .find("less than 2048 bits")
          != std::string::npos);
    auto const of_modulus = [](std::size_t bytes) {
        std::string modulus(bytes, '\xd3');
        return R"({"kty":"RSA","alg":"RS256","e":"AQAB","n":")" + encode_base64url(modulus) + "\"}";
    };
    CHECK_FALSE(problem_of(of_modulus(1025), Algorithm::rs256).empty());
}

TEST_CASE("an RSA key with an exponent that proves nothing is refused") {
    auto const jwk = Signer{Algorithm::rs256}.jwk();
    for (std::string_view const exponent :
         {"AQ", "Ag", "AQAA", "AA", "AAEAAQ", "", "AQABAQABAQABAQAB"}) {
        CAPTURE(exponent);
        auto changed = jwk;
        changed.replace(changed.find("AQAB"), 4, exponent);
        CHECK_FALSE(problem_of(changed, Algorithm::rs256).empty());
    }
}

TEST_CASE("a point that is not on its curve is no key, nor one of another size or curve") {
    auto const jwk = Signer{Algorithm::es256}.jwk();
    auto const x = jwk.find("\"x\":\"") + 5;
    auto changed = jwk;
    changed[x] = changed[x] == 'A' ? 'B' : 'A';
    CHECK(problem_of(changed, Algorithm::es256).find("no valid key") != std::string::npos);
    auto short_one = jwk;
    short_one.replace(x, 43, encode_base64url(std::string(31, '\x01')));
    CHECK_FALSE(problem_of(short_one, Algorithm::es256).empty());
    auto zero = jwk;
    zero.replace(x, 43, encode_base64url(std::string(32, '\0')));
    zero.replace(zero.find("\"y\":\"") + 5, 43, encode_base64url(std::string(32, '\0')));
    CHECK_FALSE(problem_of(zero, Algorithm::es256).empty());
    auto other = jwk;
    other.replace(other.find("P-256"), 5, "P-384");
    CHECK_FALSE(problem_of(other, Algorithm::es256).empty());
    other.replace(other.find("P-384"), 5, "secp256k1");
    CHECK_FALSE(problem_of(other, Algorithm::es256).empty());
}

TEST_CASE("a point of Ed25519 that takes one signature for all texts is no key") {
    std::string const of_order_8 = "\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67"
                                   "\x0f\x2a\x20\x53\xfa\x2c\x39\xcc"
                                   "\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a";
    auto const with_sign = [](std::string point) {
        point.back() = static_cast<char>(point.back() | '\x80');
        return point;
    };
    std::string const zero(32, '\0');
    std::string const one = '\x01' + std::string(31, '\0');
    for (auto const& point : {zero, one, of_order_8, with_sign(of_order_8), with_sign(zero)}) {
        auto const jwk = R"({"kty":"OKP","crv":"Ed25519","x":")" + encode_base64url(point) + "\"}";
        CAPTURE(jwk);
        CHECK(problem_of(jwk, Algorithm::eddsa) == "its key 1 is no valid key of its type");
    }
}

TEST_CASE("a key of one curve is refused for the algorithm of another") {
    Signer const signer{Algorithm::es384};
    CHECK(problem_of(signer.jwk("ES256"), Algorithm::es256).find("another type or curve")
          != std::string::npos);
    CHECK(problem_of(Signer{Algorithm::es256}.jwk("RS256"), Algorithm::rs256)
              .find("another type or curve")
          != std::string::npos);
}

TEST_CASE("a secret of less than 32 bytes is refused") {
    auto const of_size = [](std::size_t size) {
        return R"({"kty":"oct","k":")" + encode_base64url(std::string(size, 'x')) + "\"}";
    };
    CHECK(problem_of(of_size(31), Algorithm::hs256).find("shorter than 32 bytes")
          != std::string::npos);
    CHECK(problem_of(of_size(32), Algorithm::hs256).empty());
}

} // namespace key_test
