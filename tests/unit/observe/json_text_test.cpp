// JSON strings from untrusted bytes.
#include "gateway/observe/json_text.h"

#include "gateway/text/digits.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace json_text_test {

using namespace sallyport;
using namespace sallyport::observe;
using namespace std::string_literals;

namespace {

std::string string_of(std::string_view text, std::size_t limit = 1000) {
    std::array<char, 8192> memory;
    JsonText out{memory.data(), memory.data() + memory.size()};
    out.string(text, limit);
    return std::string{out.text()};
}

} // namespace

TEST_CASE("control characters, quotes and backslashes are escaped") {
    CHECK(string_of("\"\\\n\r\t") == R"("\"\\\n\r\t")");
    CHECK(string_of("\0\x01\b\f\x1F\x7F"s) == R"("\u0000\u0001\u0008\u000c\u001f\u007f")");
    // C1 controls, which terminals interpret, and the first character after them.
    CHECK(string_of("\u0080\u009B\u009F\u00A0") == "\"\\u0080\\u009b\\u009f\u00A0\"");
}

TEST_CASE("well-formed UTF-8 stays as it is") {
    for (std::string const text : {"\u00e9", "\u07FF", "\u0800", "\u2028\u2029", "\uD7FF", "\uE000",
                                   "\uFFFF", "\U00010000", "\U0010FFFF"}) {
        CHECK(string_of(text) == "\"" + text + "\"");
    }
}

TEST_CASE("invalid UTF-8 becomes the replacement character") {
    auto const replaced = "\"a\uFFFD"s;
    CHECK(string_of("a\x80") == replaced + "\"");
    CHECK(string_of("a\xFFz") == replaced + "z\"");
    CHECK(string_of("a\xC3") == replaced + "\"");
    CHECK(string_of("a\xC3\"") == replaced + "\\\"\"");
    for (std::string const text :
         {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xE2\x82",
          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF0\x9F\x98"}) {
        CHECK(string_of("a" + text).rfind(replaced, 0) == 0);
    }
}

TEST_CASE("a special byte is found at every position of a machine word") {
    for (std::string const special : {"\n", "\"", "\\", "\x7F", "\xFF", "\x1F", "\x80"}) {
        for (std::size_t at = 0; at < 24; ++at) {
            auto text = std::string(24, ' ');
            text.replace(at, 1, special);
            CHECK(plain_prefix(text) == at);
        }
    }
    CHECK(plain_prefix(std::string(24, '~')) == 24);
    // The bytes next to the special ones.
    CHECK(plain_prefix(" !#[]~ !#[]~ !#[]~") == 18);
}

TEST_CASE(
    "a text of any length is written completely, with special bytes escaped at any position") {
    std::string const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (std::size_t size = 1; size <= alphabet.size(); ++size) {
        auto const plain = alphabet.substr(0, size);
        CHECK(string_of(plain) == "\"" + plain + "\"");
        for (std::size_t at = 0; at < size; ++at) {
            auto text = plain;
            text[at] = '\n';
            auto const escaped = plain.substr(0, at) + "\\n" + plain.substr(at + 1);
            CHECK(string_of(text) == "\"" + escaped + "\"");
        }
    }
}

TEST_CASE("a long text is cut between characters, and marked") {
    CHECK(string_of("abcd", 4) == R"("abcd")");
    CHECK(string_of("abcde", 4) == R"("abcd[...]")");
    CHECK(string_of("abc\n", 4) == R"("abc[...]")");
    CHECK(string_of("abc\n", 5) == R"("abc\n")");
    CHECK(string_of("abc\U0001F600", 6) == R"("abc[...]")");
    CHECK(string_of("\x01\x01", 11) == R"("\u0001[...]")");
    CHECK(string_of("a", 0) == R"("[...]")");
    CHECK(string_of("", 0) == R"("")");
}

TEST_CASE("text that does not fit into the memory is omitted and reported") {
    std::array<char, 8> memory;
    memory.fill('#');
    JsonText out{memory.data(), memory.data() + 7};
    out.raw("abc");
    CHECK_FALSE(out.is_full());
    out.raw("12345");
    CHECK(out.is_full());
    CHECK(out.text() == "abc");
    CHECK(memory[7] == '#');
}

TEST_CASE("numbers need the room of the longest") {
    std::array<char, text::most_digits + 1> memory;
    memory.fill('#');
    JsonText out{memory.data(), memory.data() + text::most_digits};
    out.raw(12U);
    CHECK_FALSE(out.is_full());
    out.raw(3U);
    CHECK(out.is_full());
    CHECK(out.text() == "12");
    JsonText longest{memory.data(), memory.data() + text::most_digits};
    longest.raw(UINT64_MAX);
    CHECK(longest.text() == "18446744073709551615");
    CHECK(memory.back() == '#');
}

TEST_CASE("texts and numbers are written together, or not at all") {
    std::array<char, 128> memory;
    JsonText out{memory.data(), memory.data() + memory.size()};
    out.raw("[", 0U, ",", 9U, ",", 10U, ",", std::uint16_t{65535}, ",");
    out.raw(observe::NumberOrNull{-1}, ",", observe::NumberOrNull{0}, "]");
    CHECK(out.text() == "[0,9,10,65535,null,0]");
    CHECK_FALSE(out.is_full());
    auto const before = out.text().size();
    out.raw("x", std::string(memory.size() - before, 'y'));
    CHECK(out.is_full());
    CHECK(out.text().size() == before);
}

TEST_CASE("an empty text can be null") {
    std::array<char, 32> memory;
    JsonText out{memory.data(), memory.data() + memory.size()};
    out.string_or_null("", 10);
    out.raw(",");
    out.string_or_null("x", 10);
    CHECK(out.text() == R"(null,"x")");
}

} // namespace json_text_test
