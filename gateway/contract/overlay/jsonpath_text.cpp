// Parses the strings and numbers of JSONPath (RFC 9535, 2.3.1, 2.3.3 and 2.3.5.1).
#include "gateway/contract/overlay/jsonpath_parser.h"

#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"
#include "gateway/text/utf8.h"

#include <charconv>
#include <cstdlib>

namespace sallyport::contract::jsonpath {

bool Parser::read_string(std::string& out) {
    std::size_t const begin = at_;
    char const quote = text_[at_++];
    while (!at_end()) {
        char const c = peek();
        if (c == quote) {
            ++at_;
            return true;
        }
        if (static_cast<unsigned char>(c) < 0x20) {
            return fail("a control character in a string", "write it as an escape");
        }
        if (c == '\\') {
            if (!read_escape(out, quote)) return false;
        } else {
            out += c;
            ++at_;
        }
    }
    return fail_at(begin, "a quote that is never closed", "close it");
}

bool Parser::read_escape(std::string& out, char quote) {
    std::size_t const begin = at_++;
    char const c = peek();
    switch (c) {
    case 'b': out += '\b'; break;
    case 'f': out += '\f'; break;
    case 'n': out += '\n'; break;
    case 'r': out += '\r'; break;
    case 't': out += '\t'; break;
    case '/':
    case '\\': out += c; break;
    case 'u': return read_unicode_escape(out);
    default:
        // Only the quote that encloses the string is escaped.
        if (c != quote) {
            return fail_at(begin, "a backslash that begins no escape", "write two backslashes");
        }
        out += c;
    }
    ++at_;
    return true;
}

bool Parser::read_unicode_escape(std::string& out) {
    std::size_t const begin = at_ - 1;
    std::uint32_t point = 0;
    if (!read_hex_unit(point)) return false;
    bool const is_low = point >= 0xDC00 && point <= 0xDFFF;
    if (point >= 0xD800 && point <= 0xDBFF) {
        std::uint32_t second = 0;
        if (!take("\\") || peek() != 'u' || !read_hex_unit(second) || second < 0xDC00
            || second > 0xDFFF) {
            return fail_at(begin, "half of a surrogate pair", "write both halves");
        }
        point = 0x10000 + ((point - 0xD800) << 10U) + (second - 0xDC00);
    } else if (is_low) {
        return fail_at(begin, "half of a surrogate pair", "write both halves");
    }
    text::append_utf8(out, point);
    return true;
}

// At the `u` of an escape.
bool Parser::read_hex_unit(std::uint32_t& out) {
    ++at_;
    for (int i = 0; i < 4; ++i) {
        int const digit = text::hex_value(peek());
        if (digit < 0) return fail("\\u needs four hexadecimal digits");
        out = out * 16 + static_cast<std::uint32_t>(digit);
        ++at_;
    }
    return true;
}

// RFC 9535, 2.1: `int`, within the range of exact integers of I-JSON.
bool Parser::read_integer(std::int64_t& out) {
    constexpr std::int64_t most = (std::int64_t{1} << 53) - 1;
    std::size_t const begin = at_;
    (void)take("-");
    std::size_t const digits = at_;
    while (text::is_digit(peek()))
        ++at_;
    std::string_view const word = text_.substr(begin, at_ - begin);
    if (at_ == digits) return fail("digits are missing");
    if (word == "-0") return fail_at(begin, "-0 is no index", "write 0");
    if (text_[digits] == '0' && at_ - digits > 1) {
        return fail_at(begin, "a number with a zero in front", "remove the zero");
    }
    auto const result = std::from_chars(word.data(), word.data() + word.size(), out);
    if (result.ec != std::errc{} || out > most || out < -most) {
        return fail_at(begin, "a number beyond 2^53 - 1");
    }
    return true;
}

// RFC 9535, 2.3.5.1: number = (int / "-0") [ frac ] [ exp ].
bool Parser::read_number(Literal& out) {
    std::size_t const begin = at_;
    (void)take("-");
    std::size_t const digits = at_;
    auto const skip_digits = [this] {
        std::size_t const from = at_;
        while (text::is_digit(peek()))
            ++at_;
        return at_ > from;
    };
    if (!skip_digits()) return fail("digits are missing");
    if (text_[digits] == '0' && at_ - digits > 1) {
        return fail_at(begin, "a number with a zero in front", "remove the zero");
    }
    bool is_integer = true;
    if (take(".")) {
        is_integer = false;
        if (!skip_digits()) return fail("digits are missing");
    }
    if (take("e") || take("E")) {
        is_integer = false;
        if (!take("-")) (void)take("+");
        if (!skip_digits()) return fail("digits are missing");
    }
    std::string const word{text_.substr(begin, at_ - begin)};
    out.kind = Literal::Kind::number;
    // The program keeps the "C" locale.
    out.number = std::strtod(word.c_str(), nullptr);
    auto const end = word.data() + word.size();
    if (is_integer && std::from_chars(word.data(), end, out.integer).ec == std::errc{}) {
        out.kind = Literal::Kind::integer;
    }
    return true;
}

} // namespace sallyport::contract::jsonpath
