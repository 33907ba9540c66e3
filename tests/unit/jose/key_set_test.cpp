// Key sets: which keys are used, for which algorithm, and what is refused.
#include "gateway/jose/key_set.h"

#include "tests/unit/jose/signer.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace key_set_test {

using namespace sallyport::jose;
using sallyport::jose::test::encode_base64url;
using sallyport::jose::test::key_set;
using sallyport::jose::test::Signer;

namespace {

std::vector<Algorithm> const both{Algorithm::rs256, Algorithm::es256};

ReadKeySet read(std::string_view text, std::vector<Algorithm> const& algorithms,
                KeySetOrigin origin = KeySetOrigin::file) {
    return read_key_set(text, algorithms, origin);
}

// The only problem; empty where there is none.
std::string problem(std::string_view text, std::vector<Algorithm> const& algorithms) {
    auto const out = read(text, algorithms);
    CHECK((out.keys == nullptr) == !out.problems.empty());
    CHECK(out.problems.size() <= 1);
    return out.problems.empty() ? std::string{} : out.problems.front();
}

std::string with(std::string jwk, std::string const& members) {
    return jwk.insert(1, members + ',');
}

} // namespace

TEST_CASE("text that is no key set is refused") {
    for (std::string_view const text :
         {"x", "[]", "null", "{", "<html>", "{\"keys\":{}}", "{}", "{\"keys\":[],\"keys\":[]}"}) {
        CAPTURE(text);
        CHECK_FALSE(problem(text, {Algorithm::rs256}).empty());
    }
    CHECK(problem("{\"keys\":[1]}", {Algorithm::rs256}) == "its key 1 is no JSON object");
    std::string many = "{\"keys\":[";
    for (int i = 0; i < 65; ++i)
        many += i == 0 ? "{}" : ",{}";
    CHECK(problem(many + "]}", {Algorithm::rs256}) == "has more than 64 keys");
    CHECK(problem(std::string(longest_key_set + 1, ' '), {Algorithm::rs256})
          == "is larger than 256 KiB");
}

TEST_CASE("a file may have lost its last key, and a set that was fetched may not") {
    for (std::string_view const text : {"", " \n", "{\"keys\":[]}"}) {
        CAPTURE(text);
        auto const read = read_key_set(text, std::array{Algorithm::rs256});
        REQUIRE(read.keys != nullptr);
        CHECK(read.keys->all().empty());
        auto const fetched =
            read_key_set(text, std::array{Algorithm::rs256}, KeySetOrigin::fetched);
        CHECK(fetched.problems == std::vector<std::string>{"has no key that can be used"});
    }
}

TEST_CASE("a key without `alg` is of the only algorithm that fits it, or it is refused") {
    Signer const rsa{Algorithm::rs256};
    CHECK(read(rsa.jwk(""), {Algorithm::ps256}).keys->all()[0].algorithm() == Algorithm::ps256);
    CHECK(read(rsa.jwk(""), {Algorithm::es256, Algorithm::rs256}).keys->all()[0].algorithm()
          == Algorithm::rs256);
    CHECK(problem(rsa.jwk(""), {Algorithm::rs256, Algorithm::ps256})
          == "its key 1 has no `alg`, and two of `algorithms` fit it");
    CHECK(read(rsa.jwk("PS256"), {Algorithm::rs256, Algorithm::ps256}).keys->all()[0].algorithm()
          == Algorithm::ps256);
}

TEST_CASE("keys for something else are ignored, and the others used") {
    Signer const rsa{Algorithm::rs256, "a"};
    Signer const ec{Algorithm::es256, "b"};
    for (auto const& other :
         {with(rsa.jwk(""), R"("use":"enc")"), with(rsa.jwk(""), R"("key_ops":["encrypt"])"),
          rsa.jwk("RSA-OAEP"), rsa.jwk("RS512"), rsa.jwk("none"), rsa.jwk("rs256"),
          std::string{R"({"kty":"AKP","alg":"ML-DSA-44","pub":"AA"})"},
          Signer{Algorithm::hs256, "c"}.jwk(), Signer{Algorithm::eddsa, "d"}.jwk("")}) {
        CAPTURE(other);
        auto const out = read(key_set({other, ec.jwk()}), {Algorithm::rs256, Algorithm::es256});
        REQUIRE(out.keys);
        CHECK(out.keys->all().size() == 1);
        CHECK(out.ignored.size() == 1);
        CHECK(problem(key_set({other}), {Algorithm::rs256, Algorithm::es256})
              == "has no key that can be used");
    }
    CHECK(read(with(rsa.jwk(), R"("use":"sig","key_ops":["sign","verify"])"), {Algorithm::rs256})
              .keys->all()
              .size()
          == 1);
}

TEST_CASE("keys of a curve that is not supported are left out, of a file too") {
    Signer const ec{Algorithm::es256, "b"};
    std::vector<Algorithm> const all{Algorithm::rs256, Algorithm::es256, Algorithm::eddsa};
    auto const point = encode_base64url(std::string(66, '\x01'));
    auto const of_curve = [&point](std::string const& type, std::string const& curve) {
        return R"({"kty":")" + type + R"(","crv":")" + curve + R"(","x":")" + point + R"(","y":")"
               + point + "\"}";
    };
    for (auto const& other :
         {of_curve("EC", "P-521"), of_curve("EC", "secp256k1"), of_curve("OKP", "X25519"),
          of_curve("OKP", "Ed448"), with(of_curve("OKP", "Ed448"), R"("alg":"EdDSA","kid":"b")")}) {
        CAPTURE(other);
        for (auto const origin : {KeySetOrigin::file, KeySetOrigin::fetched}) {
            auto const out = read(key_set({other, ec.jwk()}), all, origin);
            REQUIRE(out.keys);
            CHECK(out.keys->all().size() == 1);
            CHECK(out.not_understood
                  == std::vector<std::string>{"its key 1 is of a curve that is not supported"});
        }
        CHECK(problem(key_set({other}), all) == "has no key that can be used");
    }
}

TEST_CASE("a key that is unusable refuses a file, and is left out of a set that was fetched") {
    Signer const ec{Algorithm::es256, "b"};
    auto const without = [&ec](std::string_view member) {
        auto jwk = ec.jwk();
        return jwk.replace(jwk.find(member), member.size(), "\"other\"");
    };
    std::vector<std::pair<std::string, std::string>> const unusable{
        {Signer{Algorithm::rs256, "a", 1024}.jwk(), "is an RSA key of less than 2048 bits"},
        {without("\"kty\""), "has no `kty`"},
        {without("\"crv\""), "is no valid key of its type"},
        {without("\"y\""), "is no valid key of its type"},
        {Signer{Algorithm::es256, ""}.jwk(), "has a `kid` that is no text of 1 to 256 bytes"},
        {Signer{Algorithm::es256, std::string(257, 'k')}.jwk(),
         "has a `kid` that is no text of 1 to 256 bytes"},
        {R"({"kty":"OKP","crv":"Ed25519","x":"AA"})", "is no valid key of its type"},
        {Signer{Algorithm::es384}.jwk("ES256"), "is of another type or curve than its algorithm's"},
        {"1", "is no JSON object"}};
    for (auto const& [other, why] : unusable) {
        CAPTURE(other);
        auto const text = key_set({ec.jwk(), other});
        CHECK(problem(text, both) == "its key 2 " + why);
        auto const out = read(text, both, KeySetOrigin::fetched);
        REQUIRE(out.keys);
        CHECK(out.problems.empty());
        REQUIRE(out.keys->all().size() == 1);
        CHECK(out.keys->all().front().kid() == "b");
        CHECK(out.not_understood == std::vector<std::string>{"its key 2 " + why});
        auto const alone = read(key_set({other}), both, KeySetOrigin::fetched);
        CHECK(alone.keys == nullptr);
        CHECK(alone.problems == std::vector<std::string>{"has no key that can be used"});
    }
    // Which of two algorithms an RSA key without `alg` is for, is not said.
    std::vector<Algorithm> const rsa{Algorithm::rs256, Algorithm::ps256, Algorithm::es256};
    auto const out =
        read(key_set({Signer{Algorithm::rs256}.jwk(""), ec.jwk()}), rsa, KeySetOrigin::fetched);
    REQUIRE(out.keys);
    CHECK(out.not_understood
          == std::vector<std::string>{"its key 1 has no `alg`, and two of `algorithms` fit it"});
}

TEST_CASE("what endangers all keys refuses a set that was fetched too") {
    Signer const ec{Algorithm::es256, "b"};
    Signer const rsa{Algorithm::rs256, "a"};
    Signer const other{Algorithm::rs256, "a"};
    auto const fetched = [](std::initializer_list<std::string> keys) {
        auto const out = read(key_set(keys), {Algorithm::rs256, Algorithm::ps256, Algorithm::es256},
                              KeySetOrigin::fetched);
        CHECK((out.keys == nullptr) == (out.problems.size() == 1));
        return out.problems.empty() ? std::string{} : out.problems.front();
    };
    auto const is_private = "its key 2 has the private key in it, which only its issuer may have";
    auto const secret = std::string{R"("d":"AAAA")"};
    CHECK(fetched({ec.jwk(), with(rsa.jwk(), secret)}) == is_private);
    // Also of a key that would be left out.
    CHECK(fetched({ec.jwk(), with(R"({"kty":"EC","crv":"P-521"})", secret)}) == is_private);
    CHECK(fetched({ec.jwk(), with(Signer{Algorithm::rs256, ""}.jwk(), secret)}) == is_private);
    CHECK(fetched({ec.jwk(), with(R"({"x":"AA"})", secret)}) == is_private);
    CHECK(fetched({rsa.jwk("RS256"), rsa.jwk("PS256")}) == "has one key for two algorithms");
    CHECK(fetched({rsa.jwk(), other.jwk()}) == "has two keys of one algorithm with the same `kid`");
    auto const mac = Signer{Algorithm::hs256}.jwk("ES256");
    CHECK(
        read(key_set({ec.jwk(), mac}), {Algorithm::es256, Algorithm::hs256}, KeySetOrigin::fetched)
            .problems
        == std::vector<std::string>{"its key 2 is a secret, and its `alg` is not HS256"});
}

TEST_CASE("no key serves two algorithms, and no two keys of one have the same `kid`") {
    Signer const rsa{Algorithm::rs256, "a"};
    Signer const other{Algorithm::rs256, "a"};
    auto const twice = key_set({rsa.jwk("RS256"), rsa.jwk("PS256")});
    CHECK(problem(twice, {Algorithm::rs256, Algorithm::ps256}) == "has one key for two algorithms");
    CHECK(problem(key_set({rsa.jwk(), other.jwk()}), {Algorithm::rs256})
          == "has two keys of one algorithm with the same `kid`");
    Signer const ec{Algorithm::es256, "a"};
    CHECK(read(key_set({rsa.jwk(), ec.jwk()}), {Algorithm::rs256, Algorithm::es256})
              .keys->all()
              .size()
          == 2);
}

TEST_CASE("a private key is refused wherever it is, and nothing of a file is repeated") {
    Signer const ec{Algorithm::es256};
    CHECK(problem(with(ec.jwk(), R"("d":"hunter2")"), {Algorithm::es256})
          == "its key 1 has the private key in it, which only its issuer may have");
    CHECK(problem(ec.private_pem(), {Algorithm::es256})
          == "holds a private key, which only the issuer may have");
    Signer const secret{Algorithm::hs256, "hunter2"};
    CHECK(problem(secret.jwk("RS256"), {Algorithm::rs256, Algorithm::hs256})
          == "its key 1 is a secret, and its `alg` is not HS256");
}

TEST_CASE("PEM has the key for the only algorithm that fits") {
    Signer const rsa{Algorithm::rs256};
    Signer const ec{Algorithm::es384};
    auto const out = read(rsa.pem() + ec.pem(), {Algorithm::rs256, Algorithm::es384});
    REQUIRE(out.keys);
    CHECK(out.keys->all()[0].algorithm() == Algorithm::rs256);
    CHECK(out.keys->all()[1].algorithm() == Algorithm::es384);
    CHECK(problem(rsa.pem(), {Algorithm::rs256, Algorithm::ps256})
          == "its key 1 fits none of `algorithms`, or two of them");
    CHECK(problem(rsa.pem(), {Algorithm::es256})
          == "its key 1 fits none of `algorithms`, or two of them");
    CHECK(problem(Signer{Algorithm::rs256, "k", 1024}.pem(), {Algorithm::rs256})
          == "its key 1 is an RSA key of less than 2048 bits");
    auto broken = rsa.pem();
    broken.erase(broken.size() / 2, 10);
    CHECK_FALSE(problem(broken, {Algorithm::rs256}).empty());
    CHECK(
        problem("-----BEGIN PARAMETERS-----\nAAAA\n-----END PARAMETERS-----\n", {Algorithm::rs256})
        == "holds a block that is no PUBLIC KEY and no CERTIFICATE");
    CHECK_FALSE(problem("-----BEGIN ", {Algorithm::rs256}).empty());
    auto const pem = ec.pem();
    CHECK(problem(pem + pem + pem + pem + pem, {Algorithm::es384})
          == "has more than 4 keys: more of them need a `kid`, in a key set");
}

TEST_CASE("a token finds the keys of its algorithm: by its `kid`, else those without any") {
    Signer const first{Algorithm::es256, "a"};
    Signer const second{Algorithm::es256, "b"};
    auto const set = read(key_set({first.jwk(), second.jwk()}), {Algorithm::es256}).keys;
    CHECK(set->find(Algorithm::es256, "a").count == 1);
    CHECK(set->find(Algorithm::es256, "a").keys[0]->kid() == "a");
    CHECK(set->find(Algorithm::es256, "c").count == 0);
    CHECK(set->find(Algorithm::es256, "").count == 0);
    CHECK(set->find(Algorithm::rs256, "a").count == 0);
    CHECK(set->has("a"));
    CHECK_FALSE(set->has("c"));
    CHECK(set->find(Algorithm::es256, std::nullopt).count == 2);
    auto const pem = read(first.pem() + second.pem(), {Algorithm::es256}).keys;
    CHECK(pem->find(Algorithm::es256, "anything").count == 2);
}

TEST_CASE("a token without `kid` is tried with four keys at most") {
    std::string all = "{\"keys\":[";
    for (int i = 0; i < 6; ++i)
        all += (i == 0 ? "" : ",") + Signer{Algorithm::eddsa, "k" + std::to_string(i)}.jwk();
    auto const set = read(all + "]}", {Algorithm::eddsa}).keys;
    REQUIRE(set);
    CHECK(set->all().size() == 6);
    CHECK(set->find(Algorithm::eddsa, std::nullopt).count == most_tries);
    CHECK(set->find(Algorithm::eddsa, "k5").count == 1);
}

} // namespace key_set_test
