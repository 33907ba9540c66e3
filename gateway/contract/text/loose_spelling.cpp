// Removes letter case, and white space and dots at the ends of a segment.
#include "gateway/contract/text/loose_spelling.h"

#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// The byte at `at` after one decoding, or -1 for an invalid escape. Moves `at` after it.
[[nodiscard]] int take_byte(std::string_view segment, std::size_t& at) noexcept {
    if (segment[at] != '%') return static_cast<unsigned char>(segment[at++]);
    int const byte = text::escaped_byte(segment, at);
    at += 3;
    return byte;
}

constexpr char32_t no_code_point = 0xFFFF'FFFF;

// A code point; an invalid byte is returned as a number above all code points.
[[nodiscard]] char32_t take_code_point(std::string_view segment, std::size_t& at) noexcept {
    int const first = take_byte(segment, at);
    if (first < 0) return no_code_point;
    if (first < 0x80) return static_cast<char32_t>(first);
    std::array<char, 4> bytes{static_cast<char>(first)};
    std::array<std::size_t, 4> ends{at};
    std::size_t count = 1;
    for (std::size_t next = at; count < bytes.size() && next < segment.size(); ++count) {
        int const byte = take_byte(segment, next);
        if (byte < 0x80) break;
        bytes[count] = static_cast<char>(byte);
        ends[count] = next;
    }
    auto const length = text::utf8_length({bytes.data(), count});
    if (length == 0) return 0x110000 + static_cast<char32_t>(first);
    at = ends[length - 1];
    return text::first_code_point({bytes.data(), length});
}

// Unicode's simple case folding for the alphabets of letters in literals: Latin, Greek and
// Cyrillic. Includes the four characters that become ASCII letters in the other case.
[[nodiscard]] constexpr char32_t fold(char32_t c) noexcept {
    auto const is_in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
    if (c < 0x80) return is_in('A', 'Z') ? c + 0x20 : c;
    if (c == 0x212A) return 'k';              // KELVIN SIGN
    if (c == 0x17F) return 's';               // LATIN SMALL LETTER LONG S
    if (c == 0x130 || c == 0x131) return 'i'; // I with a dot, i without one
    if (is_in(0xC0, 0xDE) && c != 0xD7) return c + 0x20;
    if (is_in(0x100, 0x137) || is_in(0x14A, 0x177)) return c | 1U;
    if (is_in(0x139, 0x148) || is_in(0x179, 0x17E)) return c + (c & 1U);
    if (c == 0x178) return 0xFF;
    if (c == 0x3C2) return 0x3C3; // the final sigma
    if (is_in(0x391, 0x3A9)) return c + 0x20;
    if (is_in(0x410, 0x42F)) return c + 0x20;
    if (is_in(0x400, 0x40F)) return c + 0x50;
    return c;
}

// Characters that the trim() function of a language removes.
[[nodiscard]] constexpr bool is_blank(char32_t c) noexcept {
    if (c <= 0x20 || (c >= 0x7F && c <= 0xA0)) return true;
    return c == 0x1680 || (c >= 0x2000 && c <= 0x200B) || c == 0x2028 || c == 0x2029 || c == 0x202F
           || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

// One function for each Trim: whole segments of requests must not pay for the parts of templates.
template <Trim trim>
[[nodiscard]] std::optional<std::size_t> spell(std::string_view segment,
                                               std::span<char> out) noexcept {
    // Up to `size` is the result; dots and white space written after it may be removed at the end.
    std::size_t size = 0;
    std::size_t written = 0;
    bool is_full = false;
    for (std::size_t at = 0; at < segment.size();) {
        char32_t const c = take_code_point(segment, at);
        if (c == no_code_point) return std::nullopt;
        if (written == 0 && trim == Trim::yes && is_blank(c)) continue;
        char32_t const folded = fold(c);
        std::size_t const width = folded < 0x80 ? 1 : 4;
        // Windows removes dots and spaces at the end of names.
        bool const may_be_left_off = trim == Trim::yes && (c == '.' || is_blank(c));
        is_full = is_full || written + width > out.size();
        if (is_full && !may_be_left_off) return std::nullopt;
        if (is_full) continue;
        if (width == 1) {
            out[written++] = static_cast<char>(folded);
        } else {
            // The first byte occurs in no UTF-8 text and in no place but this.
            out[written++] = static_cast<char>(0xF8U | folded >> 18U);
            for (unsigned const shift : {12U, 6U, 0U})
                out[written++] = static_cast<char>(0x80U | (folded >> shift & 0x3FU));
        }
        if (!may_be_left_off) size = written;
    }
    return size;
}

} // namespace

std::optional<std::size_t> spell_loosely(std::string_view segment, std::span<char> out,
                                         Trim trim) noexcept {
    return trim == Trim::yes ? spell<Trim::yes>(segment, out) : spell<Trim::no>(segment, out);
}

} // namespace sallyport::contract
