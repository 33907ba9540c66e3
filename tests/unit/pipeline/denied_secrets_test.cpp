// Lists of denied secrets: which lines are read, and which secrets are in them.
#include "gateway/pipeline/denied_secrets.h"

#include <catch2/catch.hpp>

#include <string>

namespace denied_secrets_test {

using namespace sallyport::pipeline;

namespace {

std::string line_of(std::string_view secret) {
    static constexpr std::string_view digits = "0123456789abcdef";
    Sha256 sha256;
    std::string line = "sha256:";
    for (auto const byte : sha256(secret)) {
        line += digits[byte >> 4U];
        line += digits[byte & 0xFU];
    }
    return line;
}

bool has(DeniedSecrets const& list, std::string_view secret) {
    Sha256 sha256;
    return list.contains(sha256(secret));
}

} // namespace

TEST_CASE("a list has the secrets of its lines, without comments and blank lines") {
    auto const read = DeniedSecrets::read("# leaked\n\n  " + line_of("one") + " # May\r\n"
                                          + line_of("two") + "#\n\t\n" + line_of("one") + "\n"
                                          + line_of("three"));
    CHECK(read.wrong_line == 0);
    CHECK(read.list.size() == 3);
    for (auto const* const secret : {"one", "two", "three"})
        CHECK(has(read.list, secret));
    CHECK_FALSE(has(read.list, "four"));
    CHECK_FALSE(has(read.list, ""));
}

TEST_CASE("a list may be empty") {
    for (auto const* const text : {"", "\n", "# none", " \t\r\n"}) {
        auto const read = DeniedSecrets::read(text);
        CHECK(read.wrong_line == 0);
        CHECK(read.list.size() == 0);
        CHECK_FALSE(has(read.list, ""));
    }
}

TEST_CASE("the first line that is no digest is named") {
    auto const good = line_of("one");
    for (std::string const& wrong :
         {good.substr(0, 70), good + "0", "SHA256:" + good.substr(7), good + " " + good,
          std::string{"sha256:"}, std::string{"a secret"}, "sha256:" + std::string(64, 'g'),
          "sha256:" + std::string(64, 'A')}) {
        INFO(wrong);
        CHECK(DeniedSecrets::read(good + "\n\n" + wrong + "\n" + wrong).wrong_line == 3);
    }
}

} // namespace denied_secrets_test
