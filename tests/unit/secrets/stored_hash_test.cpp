// Which hashes are taken, the bounds of their parameters, and what is said of others.
#include "gateway/secrets/stored_hash.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace stored_hash_test {

using namespace sallyport::secrets;

namespace {

std::string problem(std::string_view text, From from = From::credentials) {
    auto const parsed = parse_hash(text, from);
    CHECK(parsed.problem.what.empty() == parsed.hash.has_value());
    CHECK(parsed.problem.hint.empty() == parsed.hash.has_value());
    return parsed.problem.what;
}

std::string argon2id(std::string_view parameters, std::string_view salt = "c29tZXNhbHQ",
                     std::string_view hash = "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4") {
    return "$argon2id$v=19$" + std::string{parameters} + '$' + std::string{salt} + '$'
           + std::string{hash};
}

std::string bcrypt(std::string_view cost) {
    return "$2b$" + std::string{cost} + "$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
}

std::string yescrypt(std::string_view parameters) {
    return "$y$" + std::string{parameters}
           + "$abcdefgh$Jakf0CHhzdQOivqISxvBXCIRIaxY0Fs1wJGsJSurry/";
}

std::string sha512(std::string_view parameters) {
    return "$6$" + std::string{parameters}
           + "saltsalt$"
             "hRM5XZ86KXEw9UOmjigeVqFgULtFB2sgpC9lXQDfMib3Zgw7mEiUvBJI2EplzfAqxL5Vvwp2scFtv/"
             "uamSo5z0";
}

} // namespace

TEST_CASE("parameters of a hash are bounded, each of them") {
    CHECK(problem(argon2id("m=256,t=2,p=1")).empty());
    CHECK(problem(argon2id("m=128,t=1,p=16")).empty());
    CHECK(problem(argon2id("m=136,t=1,p=17")) == "a hash of argon2id with p of more than 16");
    CHECK(problem(argon2id("m=7,t=1,p=1"))
          == "a hash of argon2id with m that is not 8 x p to 262144 (256 MiB)");
    CHECK(problem(argon2id("m=31,t=1,p=4")).find("8 x p") != std::string::npos);
    CHECK(problem(argon2id("m=262144,t=8,p=1")).empty());
    CHECK(problem(argon2id("m=262145,t=1,p=1")).find("256 MiB") != std::string::npos);
    CHECK(problem(argon2id("m=262144,t=9,p=1"))
          == "a hash of argon2id with m x t of more than 2097152");
    CHECK(problem(argon2id("m=8,t=4294967295,p=1")).find("m x t") != std::string::npos);
    CHECK(problem(argon2id("m=256,t=2,p=1", "c29tZQ"))
          == "a hash of argon2id with a salt that is not 8 to 64 bytes");
    CHECK(problem(argon2id("m=256,t=2,p=1", std::string(88, 'A'))).find("a salt")
          != std::string::npos);
    CHECK(problem(argon2id("m=256,t=2,p=1", "c29tZXNhbHQ", "c29tZXNhbHQ"))
          == "a hash of argon2id with a hash that is not 16 to 64 bytes");

    CHECK(problem(bcrypt("04")).empty());
    CHECK(problem(bcrypt("15")).empty());
    CHECK(problem(bcrypt("03")) == "a hash of bcrypt with a cost that is not 4 to 15");
    CHECK(problem(bcrypt("16")) == "a hash of bcrypt with a cost that is not 4 to 15");
    CHECK(problem(bcrypt("31")) == "a hash of bcrypt with a cost that is not 4 to 15");

    CHECK(problem(yescrypt("j75")).empty());
    CHECK(problem(yescrypt("jDT")).empty()); // rounds=9: 256 MiB
    for (auto const* const parameters : {"jET", "jFT", "j9zz", "j9T.", "/9T", "j9", "jzz"})
        CHECK(problem(yescrypt(parameters))
              == "a hash of yescrypt with parameters beyond those of rounds 1 to 9");

    CHECK(problem(sha512("")).empty());
    CHECK(problem(sha512("rounds=1000$")).empty());
    CHECK(problem(sha512("rounds=5000000$")).empty());
    CHECK(problem(sha512("rounds=999$"))
          == "a hash of sha512 with rounds that are not 1000 to 5000000");
    CHECK(problem(sha512("rounds=5000001$")).find("1000 to 5000000") != std::string::npos);
}

TEST_CASE("what begins like a hash and is none is refused as that") {
    using namespace std::string_literals;
    for (
        auto const& text : {
            argon2id("m=256,t=2"),
            argon2id("t=2,m=256,p=1"),
            argon2id("m=0256,t=2,p=1"),
            argon2id("m=0,t=2,p=1"),
            argon2id("m=-1,t=2,p=1"),
            argon2id("m=256,t=2,p=1,data=x"),
            argon2id("m=99999999999,t=2,p=1"),
            argon2id("m=256,t=2,p=1", "c29tZXNhbH"),
            argon2id("m=256,t=2,p=1", "c29tZXNhbHR"), // bits behind the last byte
            argon2id("m=256,t=2,p=1", "c29t ZXNhbHQ"),
            argon2id("m=256,t=2,p=1", "c29tZXNhbHQ="),
            argon2id("m=256,t=2,p=1", ""),
            argon2id("m=256,t=2,p=1", "c29tZXNhbHQ", ""),
            "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"s,
            "$argon2id$"s,
            bcrypt("04") + "a",
            bcrypt("4x"),
            bcrypt("04").substr(0, 59),
            "$2b$04$abcdefghijklmnopqrstuvjydOTSfIH/d5oUHpsygqV5X9xJLQc6e"s, // bits, too
            "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6f"s,
            "$2b$"s,
            "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6:"s,
            yescrypt("j75").substr(0, 50),
            yescrypt("j7:"),
            yescrypt(""),
            "$y$j75$$"s,
            "$y$"s,
            sha512("").substr(0, 90),
            sha512("rounds=x$"),
            sha512("rounds=05000$"),
            sha512("rounds=$"),
            sha512("123456789"),
            sha512("a$"),
            "$6$"s,
            "$6$$"s,
        }) {
        INFO(text);
        CHECK(problem(text).find("and is none") != std::string::npos);
    }
}

TEST_CASE("hashes of other kinds are refused, and what is none at all") {
    for (auto const* const text :
         {"$1$salt$hash", "$5$salt$hash", "$argon2i$v=19$m=256,t=2,p=1$x$y", "$2x$05$abc", "$7$x",
          "$pbkdf2$x", "{SSHA}x", "$2$05$x"}) {
        INFO(text);
        CHECK(problem(text) == "a hash of a kind that is not taken");
        CHECK(problem(text, From::htpasswd) == "a hash of a kind that is not taken");
    }
    CHECK(problem("hunter2") == "not a hash: a secret never stands here itself");
    CHECK(problem("") == "not a hash: a secret never stands here itself");
    // DES of crypt(3), or a plain password: htpasswd -d, -p.
    CHECK(problem("rqXexS6ZhobKA", From::htpasswd).starts_with("no hash that is known"));
    CHECK(problem("sha256:" + std::string(63, 'a')).starts_with("sha256: must be followed by"));
    CHECK(problem("sha256:" + std::string(64, 'A')).starts_with("sha256: must be followed by"));
    CHECK(problem("$6$" + std::string(1'100, 'a')) == "longer than any hash");
}

TEST_CASE("fast hashes of passwords are read from htpasswd files alone") {
    for (auto const* const text :
         {"$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/", "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE="}) {
        CHECK(problem(text)
              == "too fast a hash for a password: it is read from htpasswd files only");
        CHECK(problem(text, From::htpasswd).empty());
        CHECK(parse_hash(text, From::htpasswd).hash->strength() == Strength::little);
    }
    for (auto const* const text :
         {"$apr1$r31.....$HqJZimcKQFAMYayBlzkrA", "$apr1$$HqJZimcKQFAMYayBlzkrA/",
          "$apr1$123456789$HqJZimcKQFAMYayBlzkrA/", "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE",
          "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNF=", "{SHA}abcd"}) {
        INFO(text);
        CHECK(problem(text, From::htpasswd).find("and is none") != std::string::npos);
    }
}

TEST_CASE("hashes with low parameters are weak, and the costlier of two is known") {
    auto const of = [](std::string const& text) {
        return *parse_hash(text, From::credentials).hash;
    };
    CHECK(of(argon2id("m=7168,t=5,p=1")).strength() == Strength::enough);
    CHECK(of(argon2id("m=19456,t=2,p=1")).strength() == Strength::enough);
    CHECK(of(argon2id("m=7168,t=4,p=1")).strength() == Strength::little);
    CHECK(of(bcrypt("10")).strength() == Strength::enough);
    CHECK(of(bcrypt("09")).strength() == Strength::little);
    // rounds=5 and 4, and the parameters of rounds=2, which has blocks of another size.
    CHECK(of(yescrypt("j9T")).strength() == Strength::enough);
    CHECK(of(yescrypt("j8T")).strength() == Strength::little);
    CHECK(of(yescrypt("j85")).strength() == Strength::little);
    CHECK(of(sha512("rounds=210000$")).strength() == Strength::enough);
    CHECK(of(sha512("rounds=209999$")).strength() == Strength::little);
    CHECK(of(sha512("")).strength() == Strength::little); // 5,000
    CHECK(of(bcrypt("11")).cost() > of(bcrypt("10")).cost());
    CHECK(of(yescrypt("j9T")).cost() > of(yescrypt("j75")).cost());
    CHECK(of(sha512("rounds=6000$")).cost() > of(sha512("")).cost());
    CHECK(of(argon2id("m=65536,t=3,p=1")).cost() > of(bcrypt("10")).cost());
    CHECK(of(bcrypt("12")).cost() > of(argon2id("m=19456,t=2,p=1")).cost());
}

TEST_CASE("equal hashes have equal fingerprints, and a fast one is its digest") {
    auto const of = [](std::string const& text) {
        return *parse_hash(text, From::credentials).hash;
    };
    CHECK(of(bcrypt("10")) == of(bcrypt("10")));
    CHECK_FALSE(of(bcrypt("10")) == of(bcrypt("11")));
    auto const fast = of("sha256:" + std::string(64, 'a'));
    REQUIRE(fast.sha256() != nullptr);
    CHECK(fast.sha256()->at(31) == 0xaa);
    CHECK(fast.text() == "sha256:" + std::string(64, 'a'));
    CHECK(of(bcrypt("10")).sha256() == nullptr);
    CHECK(of(bcrypt("10")).text() == bcrypt("10"));
}

} // namespace stored_hash_test
