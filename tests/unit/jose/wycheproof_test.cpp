// The cases of Project Wycheproof for JSON Web Signatures, from a copy of the project that
// SALLYPORT_WYCHEPROOF_FOLDER names; skipped without it.
#include "gateway/jose/jws.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace wycheproof_test {

using namespace sallyport::jose;

namespace {

constexpr std::array all{Algorithm::rs256, Algorithm::ps256, Algorithm::es256,
                         Algorithm::es384, Algorithm::eddsa, Algorithm::hs256};

// The cases that are judged otherwise here.
std::optional<bool> own_verdict(std::int64_t number) {
    switch (number) {
    // A token of PS384 with a key whose `alg` is PS256: that key is for PS256 alone.
    case 346:
    case 350: return false;
    // Byte for byte the token of case 357, which is valid.
    case 367:
    case 370: return true;
    // A question mark inside of base64url (RFC 7515, 2: without any additional characters).
    case 372:
    case 373: return false;
    default: return std::nullopt;
    }
}

std::shared_ptr<KeySet const> keys_of(simdjson::dom::element group) {
    simdjson::dom::element jwk;
    // A secret is there as the private key.
    if (group["public"].get(jwk) != simdjson::SUCCESS) jwk = group["private"].value();
    return read_key_set(simdjson::minify(jwk), all).keys;
}

} // namespace

TEST_CASE("the cases of Project Wycheproof have their results") {
    auto const* const folder = std::getenv("SALLYPORT_WYCHEPROOF_FOLDER");
    if (folder == nullptr) {
        WARN("skipped: SALLYPORT_WYCHEPROOF_FOLDER does not name a copy of Project Wycheproof");
        return;
    }
    std::ifstream file{std::string{folder} + "/testvectors_v1/json_web_signature_test.json"};
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    simdjson::dom::parser parser;
    JwsReader reader;
    std::size_t verified = 0;
    std::size_t refused = 0;
    simdjson::dom::array const groups = parser.parse(text)["testGroups"].get_array();
    for (auto const group : groups) {
        auto const keys = keys_of(group);
        simdjson::dom::array const cases = group["tests"].get_array();
        for (auto const one : cases) {
            std::int64_t const number = one["tcId"].get_int64();
            std::string_view const comment = one["comment"].get_string();
            std::string_view const result = one["result"].get_string();
            std::string_view token;
            if (one["jws"].get_string().get(token) != simdjson::SUCCESS) continue; // in JSON
            CAPTURE(number, comment);
            auto const parsed = reader.parse(token);
            bool const is_verified = keys != nullptr && parsed.refusal.fault == Fault::none
                                     && verify(parsed, *keys).fault == Fault::none;
            ++(is_verified ? verified : refused);
            // Keys of other algorithms are not used.
            bool const is_right = result == "valid" && keys != nullptr;
            CHECK(is_verified == own_verdict(number).value_or(is_right));
        }
    }
    CHECK(verified > 20);
    CHECK(refused > 250);
}

} // namespace wycheproof_test
