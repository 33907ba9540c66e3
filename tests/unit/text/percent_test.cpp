// Percent-encoding is decoded once, as a whole or not at all.
#include "gateway/text/percent.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>

namespace percent_test {

using namespace sallyport::text;

TEST_CASE("an invalid escape, or too small a storage, has no result") {
    std::array<char, 5> storage{};
    CHECK(!percent_decode("%", storage));
    CHECK(!percent_decode("%4", storage));
    CHECK(!percent_decode("a%4g", storage));
    CHECK(!percent_decode("%41bcdef", storage));
    CHECK(!percent_decode("abcde%41", storage));
    CHECK(!percent_decoded("a%zz"));
}

TEST_CASE("percent-decoding happens once, and only as a whole") {
    std::array<char, 5> storage{};
    CHECK(percent_decode("%41bcde", storage) == "Abcde");
    CHECK(percent_decode("%2541", storage) == "%41");
    CHECK(percent_decode("%00", storage) == std::string_view{"\0", 1});
    CHECK(percent_decode("%fF+", storage) == "\xff+");
    CHECK(percent_decode("longer than storage, but nothing to do", storage)
          == "longer than storage, but nothing to do");
    CHECK(percent_decode("", storage) == "");
    CHECK(percent_decoded("a%20%62") == std::string{"a b"});
    CHECK(percent_decoded("") == std::string{});
}

TEST_CASE("an escape is found where it begins, and nowhere beyond the text") {
    CHECK(escaped_byte("%41", 0) == 0x41);
    CHECK(escaped_byte("x%7F", 1) == 0x7F);
    CHECK(escaped_byte("%41", 1) == -1);
    CHECK(escaped_byte("%4", 0) == -1);
    CHECK(escaped_byte("", 0) == -1);
    CHECK(escaped_byte("%41", 3) == -1);
}

} // namespace percent_test
