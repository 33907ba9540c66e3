// Runs of ordinary characters are found to the byte, wherever they end.
#include "gateway/http/scan.h"

#include "gateway/http/characters.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace scan {

using namespace sallyport::http;

namespace {

// More than two blocks of sixteen, so that each position in a block, and a rest, occurs.
constexpr std::size_t longest = 40;

// Puts each byte at each position of a text of `filler`, of each length.
template <class Prefix, class OfClass>
void check_prefix(Prefix prefix, OfClass is_of_class, char filler) {
    std::size_t wrong = 0;
    for (std::size_t size = 0; size <= longest; ++size) {
        std::string text(size, filler);
        wrong += prefix(text) == size ? 0U : 1U;
        for (std::size_t at = 0; at < size; ++at) {
            for (unsigned byte = 0; byte < 256; ++byte) {
                text[at] = static_cast<char>(byte);
                wrong += prefix(text) == (is_of_class(text[at]) ? size : at) ? 0U : 1U;
            }
            text[at] = filler;
        }
    }
    CHECK(wrong == 0);
}

bool is_letter_or_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

} // namespace

TEST_CASE("printable text ends at the first byte that is not printable ASCII") {
    check_prefix(
        printable_prefix, [](char c) { return c >= 0x20 && c != 0x7f; }, 'a');
}

TEST_CASE("each line feed is reported, in order, up to the wanted one") {
    auto const first = [](std::string_view text) {
        std::size_t found = text.size();
        any_line_feed(text, [&](std::size_t at) {
            found = at;
            return true;
        });
        return found;
    };
    check_prefix(
        first, [](char c) { return c != '\n'; }, 'a');
    check_prefix(
        first, [](char c) { return c != '\n'; }, '\0');
    std::string text(longest, 'a');
    std::vector<std::size_t> const feeds{0, 1, 15, 16, 31, 35, longest - 1};
    for (auto const at : feeds)
        text[at] = '\n';
    std::vector<std::size_t> told;
    auto const tell_until = [&](std::size_t last) {
        told.clear();
        return any_line_feed(text, [&](std::size_t at) {
            told.push_back(at);
            return at == last;
        });
    };
    CHECK_FALSE(tell_until(longest));
    CHECK(told == feeds);
    CHECK(tell_until(16));
    CHECK(told == std::vector<std::size_t>{0, 1, 15, 16});
}

TEST_CASE("an ordinary name ends at the first byte that is no letter, digit or hyphen") {
    check_prefix(
        name_prefix, [](char c) { return is_letter_or_digit(c) || c == '-'; }, 'Z');
}

TEST_CASE("a path with anything but letters, digits, hyphens, low lines and slashes is not "
          "ordinary") {
    std::size_t wrong = 0;
    for (std::size_t size = 17; size <= longest; ++size) {
        std::string path = "/" + std::string(size - 1, 'a');
        wrong += is_ordinary_path(path) ? 0U : 1U;
        for (std::size_t at = 1; at < size; ++at) {
            for (unsigned byte = 0; byte < 256; ++byte) {
                char const c = static_cast<char>(byte);
                path[at] = c;
                // After the slash at the front another one is an empty segment.
                bool const is_ordinary =
                    is_letter_or_digit(c) || c == '-' || c == '_' || (c == '/' && at != 1);
                wrong += is_ordinary_path(path) == is_ordinary ? 0U : 1U;
            }
            path[at] = 'a';
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("a path with two slashes in a row is not ordinary, wherever they stand") {
    for (std::size_t size = 18; size <= longest; ++size) {
        for (std::size_t at = 1; at + 1 < size; ++at) {
            std::string path = "/" + std::string(size - 1, 'a');
            path[at] = path[at + 1] = '/';
            INFO(path);
            CHECK(!is_ordinary_path(path));
        }
    }
}

TEST_CASE("a path that does not begin with a slash, or is too short, is not ordinary") {
    CHECK(!is_ordinary_path(""));
    CHECK(!is_ordinary_path("/a"));
    CHECK(!is_ordinary_path("a/aaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    CHECK(is_ordinary_path("/v1/organizations/11111111-2222-4333-8444-555555555555/a_b"));
}

} // namespace scan
