// Vectors of each kind of hash, from its specification or made by another program, and secrets
// that are refused.
#include "gateway/secrets/verify.h"

#include <catch2/catch.hpp>

#include <string>

namespace verify_test {

using namespace sallyport::secrets;

namespace {

StoredHash stored(std::string_view text) {
    auto parsed = parse_hash(text, From::htpasswd);
    INFO(text << ": " << parsed.problem.what);
    REQUIRE(parsed.hash);
    return *parsed.hash;
}

Verified ask(std::string_view hash, std::string_view secret) {
    return verify(stored(hash), secret);
}

struct Vector {
    std::string_view hash;
    std::string_view secret;
};

constexpr std::string_view bcrypt_of_72 =
    "$2b$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe";

} // namespace

TEST_CASE("a secret is right for the hash that another program has made of it, and no other is") {
    for (auto const& [hash, secret] : {
             // SHA-256 of "abc": FIPS 180-2, B.1.
             Vector{"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                    "abc"},
             // The tests of the reference implementation of RFC 9106.
             Vector{"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$"
                    "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                    "password"},
             // argon2(1), with several lanes.
             Vector{"$argon2id$v=19$m=64,t=1,p=4$c29tZXNhbHQ$"
                    "5HTnDZkYtAyEjjHRgXXKW87ZRoqWkrlwE+V0ZjspFtc",
                    "correct horse"},
             // The tests of crypt_blowfish.
             Vector{"$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"},
             // htpasswd(1) -B.
             Vector{"$2y$04$NBOyMXe78Z54HDlln5/z8u/c8xv3ejS9sjbeoFOGVjEJADbZy9oNu", "myPassword"},
             Vector{"$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
                    "correct horse"},
             // mkpasswd(1).
             Vector{"$y$j75$25oWXZkBHWWfZpjByNw/8/$bbzMcnUeXQ4fIEopth.TEBFid8Xw6I.0VkQN/lPkUc7",
                    "secret12"},
             // "Unix crypt using SHA-256 and SHA-512" (Drepper), its tests.
             Vector{"$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/"
                    "O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
                    "Hello world!"},
             // Python's crypt.
             Vector{"$6$rounds=1000$saltsaltsalt$Dt0JGUnDdc4DdUjlyySCHRPx7U2pABqWbPrinz5ntgKXqDPoc"
                    "xu0xlsHum4.yrEVleQdkaDZxTsKnM8ZF88Lz1",
                    "correct horse"},
             // "Password Formats" of Apache.
             Vector{"$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/", "myPassword"},
             Vector{"{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=", "myPassword"},
             // openssl passwd -apr1: a secret of several blocks, a short salt.
             Vector{"$apr1$ab$bGy6siZwvCq4Aqpkar.qm/",
                    "a longer password than sixteen bytes, with more"},
         }) {
        INFO(hash);
        CHECK(ask(hash, secret) == Verified::right);
        CHECK(ask(hash, std::string{secret} + "x") == Verified::wrong);
        CHECK(ask(hash, secret.substr(1)) == Verified::wrong);
        CHECK(ask(hash, "") == Verified::wrong);
    }
}

TEST_CASE("a secret that is longer than bcrypt can tell is wrong, not cut off") {
    CHECK(ask(bcrypt_of_72, std::string(72, 'a')) == Verified::right);
    CHECK(ask(bcrypt_of_72, std::string(73, 'a')) == Verified::wrong);
    CHECK(longest_secret(Kind::bcrypt) == 72);
}

TEST_CASE("a secret that is longer than libcrypt takes is wrong, after the same work") {
    constexpr std::string_view of_511 =
        "$6$rounds=1000$saltsalt$nC35Rjw1qm7lwdxVgg3IU9qZMEaqucKnRYCtC7UyfTbgqAQUZjWQxjc2xeWwMzOTjO"
        "EqyGG.T4MAGPm1ptmEK/";
    CHECK(ask(of_511, std::string(511, 'x')) == Verified::right);
    CHECK(ask(of_511, std::string(512, 'x')) == Verified::wrong);
    CHECK(ask(of_511, std::string(8'000, 'x')) == Verified::wrong);
}

TEST_CASE("a secret with U+0000 is wrong, though its beginning is right") {
    using namespace std::string_view_literals;
    CHECK(ask("$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e", "correct horse\0"sv)
          == Verified::wrong);
    CHECK(ask("$argon2id$v=19$m=64,t=1,p=4$c29tZXNhbHQ$5HTnDZkYtAyEjjHRgXXKW87ZRoqWkrlwE+V0Zjsp"
              "Ftc",
              "correct horse\0more"sv)
          == Verified::wrong);
}

} // namespace verify_test
