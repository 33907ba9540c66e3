// Reads the characters of an ECMA-262 pattern.
#include "gateway/contract/patterns/pattern_reader.h"

#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

using text::is_digit;
using text::is_letter;

} // namespace

char32_t PatternReader::take_code_point() noexcept {
    char32_t const code_point = text::first_code_point(rest_);
    skip(std::max<std::size_t>(1, text::utf8_length(rest_)));
    return code_point;
}

std::string_view PatternReader::take_digits() noexcept {
    auto const end = std::find_if_not(rest_.begin(), rest_.end(), is_digit);
    auto const digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    skip(digits.size());
    return digits;
}

std::optional<char32_t> PatternReader::take_character_escape() noexcept {
    char const c = rest_.front();
    skip(1);
    switch (c) {
    case 't': return U'\t';
    case 'n': return U'\n';
    case 'v': return U'\v';
    case 'f': return U'\f';
    case 'r': return U'\r';
    case '0':
        if (!rest_.empty() && is_digit(rest_.front())) return std::nullopt;
        return U'\0';
    case 'c':
        if (rest_.empty() || !is_letter(rest_.front())) return std::nullopt;
        return take_code_point() % 32;
    case 'x': return take_hex(2);
    case 'u': return take_unicode_escape();
    default: break;
    }
    // Punctuation characters are escaped as themselves.
    bool const is_mark =
        static_cast<unsigned char>(c) < 0x80 && c > ' ' && !is_digit(c) && !is_letter(c);
    return is_mark ? std::optional{static_cast<char32_t>(c)} : std::nullopt;
}

std::optional<char32_t> PatternReader::take_hex(std::size_t count) noexcept {
    if (rest_.size() < count) return std::nullopt;
    char32_t value = 0;
    for (char const c : rest_.substr(0, count)) {
        char const lower = static_cast<char>(c | 0x20);
        if (!is_digit(c) && (lower < 'a' || lower > 'f')) return std::nullopt;
        value = value << 4 | static_cast<char32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    skip(count);
    return value;
}

std::optional<char32_t> PatternReader::take_unicode_escape() noexcept {
    std::optional<char32_t> value;
    if (take("{")) {
        std::size_t const end = rest_.find('}');
        if (end == std::string_view::npos || end == 0 || end > 6) return std::nullopt;
        value = take_hex(end);
        skip(value ? 1 : 0);
    } else {
        value = take_hex(4);
        if (value && *value >= 0xD800 && *value < 0xDC00 && take("\\u")) {
            auto const low = take_hex(4);
            if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
            value = 0x10000 + ((*value - 0xD800) << 10) + (*low - 0xDC00);
        }
    }
    // No accepted text contains half of a surrogate pair.
    if (!value || *value > 0x10FFFF || (*value >= 0xD800 && *value <= 0xDFFF)) return std::nullopt;
    return value;
}

} // namespace sallyport::contract
