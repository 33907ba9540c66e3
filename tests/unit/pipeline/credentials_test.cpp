// Which credentials are found, by which keys and secrets, and until when.
#include "gateway/pipeline/credentials.h"

#include <catch2/catch.hpp>

namespace credentials_test {

using namespace sallyport::pipeline;
using Now = std::chrono::system_clock;

namespace {

struct Known {
    Sha256 sha256;
    CredentialTable table;
    Now::time_point now = Now::time_point{std::chrono::hours{24 * 365 * 50}};

    void add_basic(std::string key_id, std::string_view first, std::string_view second,
                   std::optional<Now::time_point> expires = std::nullopt) {
        Credential credential;
        credential.identity.name = key_id + "-name";
        credential.digests = {sha256(first), sha256(second)};
        credential.expires = expires;
        table.add("basic", {key_id}, std::move(credential));
    }
    Credential const* basic(std::string_view key_id, std::string_view secret) {
        return table.find("basic", key_id, sha256(secret), now).valid();
    }
};

} // namespace

TEST_CASE("a digest is that of FIPS 180-4") {
    Sha256 sha256;
    auto const digest = sha256("abc");
    CHECK(digest[0] == 0xba);
    CHECK(digest[1] == 0x78);
    CHECK(digest[31] == 0xad);
    CHECK(sha256("abc") == digest); // the context is reused
}

TEST_CASE("an unknown key id, a wrong secret and an empty one identify no caller") {
    Known known;
    known.add_basic("id", "right", "right");
    CHECK(known.basic("other", "right") == nullptr);
    CHECK(known.basic("ID", "right") == nullptr);
    CHECK(known.basic("id", "wrong") == nullptr);
    CHECK(known.basic("id", "") == nullptr);
    CHECK(known.basic("", "") == nullptr);
}

TEST_CASE("each of two secrets is valid during a rotation") {
    Known known;
    known.add_basic("id", "old", "new");
    REQUIRE(known.basic("id", "old") != nullptr);
    CHECK(known.basic("id", "new") == known.basic("id", "old"));
    CHECK(known.basic("id", "newer") == nullptr);
}

TEST_CASE("a credential is valid until it expires, and no longer") {
    Known known;
    known.add_basic("gone", "secret", "secret", known.now);
    known.add_basic("good", "secret", "secret", known.now + std::chrono::milliseconds{1});
    CHECK(known.basic("gone", "secret") == nullptr);
    CHECK(known.basic("good", "secret") != nullptr);
}

TEST_CASE("a credential is valid from its first moment on, and not while it is disabled") {
    Known known;
    Credential credential;
    credential.digests = {known.sha256("secret"), known.sha256("secret")};
    CHECK(credential.is_always_valid());
    credential.not_before = known.now + std::chrono::milliseconds{1};
    known.table.add("basic", {"early"}, credential);
    credential.not_before = known.now;
    CHECK_FALSE(credential.is_always_valid());
    known.table.add("basic", {"begun"}, credential);
    credential.disabled = true;
    known.table.add("basic", {"off"}, credential);
    CHECK(known.basic("early", "secret") == nullptr);
    CHECK(known.basic("begun", "secret") != nullptr);
    CHECK(known.basic("off", "secret") == nullptr);
    credential.not_before.reset();
    CHECK_FALSE(credential.is_always_valid());
}

TEST_CASE("why a credential proves nothing is known to the operator") {
    Known known;
    known.add_basic("gone", "secret", "secret", known.now);
    Credential credential;
    credential.digests = {known.sha256("secret"), known.sha256("secret")};
    credential.not_before = known.now + std::chrono::hours{1};
    known.table.add("basic", {"early"}, credential);
    credential.disabled = true;
    known.table.add("basic", {"off"}, credential);
    auto const find = [&](std::string_view key_id, std::string_view secret) {
        return known.table.find("basic", key_id, known.sha256(secret), known.now);
    };
    CHECK(find("other", "secret").failure == AuthFailure::unknown);
    CHECK(find("other", "secret").credential == nullptr);
    CHECK(find("gone", "wrong").failure == AuthFailure::wrong_secret);
    CHECK(find("gone", "wrong").valid() == nullptr);
    CHECK(find("early", "secret").failure == AuthFailure::not_yet_valid);
    CHECK(find("off", "secret").failure == AuthFailure::disabled);
    auto const proof = find("gone", "secret");
    CHECK(proof.failure == AuthFailure::expired);
    CHECK(proof.valid() == nullptr);
    REQUIRE(proof.credential != nullptr);
    CHECK(proof.credential->identity.name == "gone-name");
}

TEST_CASE("a token is found under each of its digests, and only under them") {
    Known known;
    Credential credential;
    credential.identity.name = "viewer";
    credential.digests = {known.sha256("first"), known.sha256("second")};
    known.table.add(
        "bearer",
        {std::string{as_text(credential.digests[0])}, std::string{as_text(credential.digests[1])}},
        credential);
    auto const find = [&](std::string_view token) {
        auto const digest = known.sha256(token);
        return known.table.find("bearer", as_text(digest), digest, known.now).valid();
    };
    REQUIRE(find("first") != nullptr);
    CHECK(find("second") == find("first"));
    CHECK(find("third") == nullptr);
    CHECK(known.basic("first", "first") == nullptr);
}

TEST_CASE("a key without a secret identifies the credential of its authenticator only") {
    Known known;
    Credential credential;
    credential.identity.name = "device";
    credential.own = sallyport::config::Opaque::of(std::string{"a public key"});
    known.table.add("certificate", {"serial-1", "serial-2"}, credential);
    auto const find = [&](std::string_view authenticator, std::string_view key) {
        return known.table.find(authenticator, key, known.now);
    };
    REQUIRE(find("certificate", "serial-1").valid() != nullptr);
    CHECK(find("certificate", "serial-2").valid() == find("certificate", "serial-1").valid());
    CHECK(*find("certificate", "serial-1").valid()->own.as<std::string>() == "a public key");
    CHECK(find("certificate", "serial-1").valid()->own.as<int>() == nullptr);
    CHECK(find("certificate", "serial-3").valid() == nullptr);
    CHECK(find("basic", "serial-1").valid() == nullptr);
    credential.expires = known.now;
    known.table.add("certificate", {"serial-4"}, credential);
    CHECK(find("certificate", "serial-4").valid() == nullptr);
    CHECK(find("certificate", "serial-4").failure == AuthFailure::expired);
    CHECK(find("certificate", "serial-3").failure == AuthFailure::unknown);
}

TEST_CASE("a uuid is compared case-insensitively, everything else exactly") {
    AllowedValue const uuid{"5F0C8A52-1f3b-4C7E-9d2a-0b6f4e8c1A01"};
    CHECK(uuid.matches("5f0c8a52-1F3B-4c7e-9D2A-0B6F4E8C1a01"));
    CHECK_FALSE(uuid.matches("5f0c8a52-1F3B-4c7e-9D2A-0B6F4E8C1a02"));
    CHECK_FALSE(uuid.matches("5f0c8a52-1F3B-4c7e-9D2A-0B6F4E8C1a0"));
    AllowedValue const word{"Team"};
    CHECK(word.matches("Team"));
    CHECK_FALSE(word.matches("team"));
}

} // namespace credentials_test
