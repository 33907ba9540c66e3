// Hashes that are made here are right for their secret, and taken by files.
#include "gateway/secrets/make_hash.h"
#include "gateway/secrets/verify.h"

#include <catch2/catch.hpp>

#include <string>

namespace make_hash_test {

using namespace sallyport::secrets;

TEST_CASE("a hash of each kind is taken, strong enough, and right for its secret alone") {
    for (auto const kind :
         {Kind::sha256, Kind::argon2id, Kind::bcrypt, Kind::yescrypt, Kind::sha512_crypt}) {
        INFO(to_string(kind));
        auto const made = make_hash(kind, "correct horse");
        REQUIRE(made);
        auto const parsed = parse_hash(*made, From::credentials);
        INFO(parsed.problem.what);
        REQUIRE(parsed.hash);
        CHECK(parsed.hash->kind() == kind);
        CHECK(parsed.hash->strength() == Strength::enough);
        CHECK(parsed.hash->text() == *made);
        CHECK(verify(*parsed.hash, "correct horse") == Verified::right);
        CHECK(verify(*parsed.hash, "correct hors") == Verified::wrong);
        // Each has a salt of its own.
        CHECK((make_hash(kind, "correct horse") == made) == (kind == Kind::sha256));
    }
}

TEST_CASE("no hash is made of a secret that it would cut off, nor one that is too fast") {
    CHECK_FALSE(make_hash(Kind::bcrypt, std::string(73, 'a')));
    CHECK(make_hash(Kind::bcrypt, std::string(72, 'a')));
    CHECK_FALSE(make_hash(Kind::sha512_crypt, std::string(512, 'a')));
    CHECK_FALSE(make_hash(Kind::argon2id, std::string_view{"a\0b", 3}));
    CHECK_FALSE(make_hash(Kind::apr1, "correct horse"));
    CHECK_FALSE(make_hash(Kind::sha1, "correct horse"));
}

} // namespace make_hash_test
