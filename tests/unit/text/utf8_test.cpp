// UTF-8 by RFC 3629: every invalid form, for each of the functions that check it.
#include "gateway/text/utf8.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace utf8_test {

using namespace sallyport::text;
using namespace std::string_literals;

namespace {

// Only the invalid sequence, as the checker of single bytes sees it.
bool passes_checker(std::string_view text) {
    Utf8Checker checker;
    for (char const c : text)
        if (!checker.take(static_cast<std::uint8_t>(c))) return false;
    return checker.is_complete();
}

std::string encoded(char32_t code_point) {
    std::string out;
    append_utf8(out, code_point);
    return out;
}

} // namespace

TEST_CASE("overlong forms, surrogates, values beyond U+10FFFF, and stray or truncated bytes are "
          "invalid") {
    for (std::string const& text : {"\x80"s,
                                    "\xBF"s,
                                    "\xC0\x80"s,
                                    "\xC0\xAF"s,
                                    "\xC1\xBF"s,
                                    "\xC3"s,
                                    "\xC3("s,
                                    "\xE0\x80\xAF"s,
                                    "\xE0\x9F\xBF"s,
                                    "\xED\xA0\x80"s,
                                    "\xED\xBF\xBF"s,
                                    "\xE2\x82"s,
                                    "\xE2\x28\xA1"s,
                                    "\xE2\x82("s,
                                    "\xF0\x80\x80\xAF"s,
                                    "\xF0\x8F\xBF\xBF"s,
                                    "\xF0\x9F\x98"s,
                                    "\xF0\x9F\x98("s,
                                    "\xF4\x90\x80\x80"s,
                                    "\xF5\x80\x80\x80"s,
                                    "\xFE"s,
                                    "\xFF"s}) {
        CHECK(utf8_length(text) == 0);
        CHECK_FALSE(is_utf8(text));
        CHECK_FALSE(passes_checker(text));
        CHECK(first_invalid_utf8("ab" + text) == 2);
    }
    CHECK(utf8_length("") == 0);
    CHECK(first_invalid_utf8("x\xE2\x82") == 1);
    CHECK(first_invalid_utf8("\xF0\x9F\x98\x80\xFF") == 4);
}

TEST_CASE("each code point at a boundary of lengths is encoded and decoded") {
    constexpr std::array<char32_t, 11> borders{0x00,   0x7F,   0x80,   0x7FF,   0x800,   0xD7FF,
                                               0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF};
    for (char32_t const code_point : borders) {
        auto const text = encoded(code_point);
        INFO(static_cast<std::uint32_t>(code_point));
        CHECK(utf8_length(text + "x") == text.size());
        CHECK(first_code_point(text + "x") == code_point);
        CHECK(is_utf8(text));
        CHECK(passes_checker(text));
        CHECK(count_code_points(text) == 1);
    }
    CHECK(encoded(0x20AC) == "\xE2\x82\xAC");
    CHECK(is_utf8(""));
}

TEST_CASE("code points are counted whatever the length of the text is") {
    std::string text;
    for (std::size_t count = 0; count < 3000; ++count) {
        if (count % 97 == 0) REQUIRE(count_code_points(text) == count);
        constexpr std::array<char32_t, 4> each_length{0x10348, 0x20AC, 0xE9, U'a'};
        text += encoded(each_length[count % each_length.size()]);
    }
    CHECK(count_code_points(text) == 3000);
}

} // namespace utf8_test
