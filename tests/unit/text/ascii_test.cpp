// Each of the 256 bytes is classified by ASCII, and no byte beyond it is a letter.
#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"

#include <catch2/catch.hpp>

#include <string>

namespace ascii_test {

using namespace sallyport::text;

TEST_CASE("digits, letters and controls are those of ASCII alone") {
    std::string digits;
    std::string letters;
    int controls = 0;
    for (int byte = 0; byte < 256; ++byte) {
        char const c = static_cast<char>(byte);
        if (is_digit(c)) digits += c;
        if (is_letter(c)) letters += c;
        controls += is_control(c) ? 1 : 0;
        CHECK(is_letter_or_digit(c) == (is_letter(c) || is_digit(c)));
    }
    CHECK(digits == "0123456789");
    CHECK(letters == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    CHECK(controls == 33);
    CHECK(is_control('\x7f'));
    CHECK_FALSE(is_control('\x80'));
}

TEST_CASE("the characters of a token are those of RFC 9110, 5.6.2") {
    std::string characters;
    for (int byte = 0; byte < 256; ++byte)
        if (is_token_character(static_cast<char>(byte))) characters += static_cast<char>(byte);
    CHECK(characters
          == "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~");
}

TEST_CASE("only hexadecimal digits have a value, in both letter cases") {
    std::string digits;
    for (int byte = 0; byte < 256; ++byte)
        if (hex_value(static_cast<char>(byte)) >= 0) digits += static_cast<char>(byte);
    CHECK(digits == "0123456789ABCDEFabcdef");
    CHECK(hex_value('a') == 10);
    CHECK(hex_value('F') == 15);
}

TEST_CASE("only the letters of ASCII have another case") {
    CHECK(to_lower('A') == 'a');
    CHECK(to_lower('Z') == 'z');
    for (char const c : {'@', '[', '`', '{', '\xC4', '\0'})
        CHECK(to_lower(c) == c);
    CHECK(equals_ignoring_case("Content-Type", "content-tYPE"));
    CHECK_FALSE(equals_ignoring_case("a", "ab"));
    CHECK_FALSE(equals_ignoring_case("[", "{")); // they differ in the bit of the letter case
    CHECK(equals_ignoring_case("", ""));
}

} // namespace ascii_test
