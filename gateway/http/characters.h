// The character classes of the grammars of HTTP and URIs.
#pragma once

#include "gateway/text/ascii.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace sallyport::http {

enum CharacterClass : std::uint8_t {
    token_character = 1,       // RFC 9110, 5.6.2: tchar
    value_character = 2,       // RFC 9110, 5.5: VCHAR, obs-text, SP and HTAB
    path_character = 4,        // RFC 3986, 3.3: pchar without pct-encoded, and "/"
    unreserved_character = 8,  // RFC 3986, 2.3
    token68_character = 16,    // RFC 9110, 11.2: token68 without its padding
    plain_path_character = 32, // path_character that is neither "/" nor "." nor ";"
};

namespace detail {

[[nodiscard]] constexpr std::uint8_t classes_of(unsigned char c) {
    auto const among = [c](std::string_view set) {
        return c != 0 && set.find(static_cast<char>(c)) != std::string_view::npos;
    };
    bool const alnum = text::is_letter_or_digit(static_cast<char>(c));
    std::uint8_t classes = 0;
    if (text::is_token_character(static_cast<char>(c))) classes |= token_character;
    if (c == '\t' || (c >= 0x20 && c != 0x7f)) classes |= value_character;
    if (alnum || among("-._~!$&'()*+,;=:@/")) classes |= path_character;
    if (alnum || among("-._~")) classes |= unreserved_character;
    if (alnum || among("-._~+/")) classes |= token68_character;
    if (alnum || among("-_~!$&'()*+,=:@")) classes |= plain_path_character;
    return classes;
}

[[nodiscard]] constexpr std::array<std::uint8_t, 256> make_character_table() {
    std::array<std::uint8_t, 256> table{};
    for (unsigned c = 0; c < 256; ++c)
        table[c] = classes_of(static_cast<unsigned char>(c));
    return table;
}

inline constexpr std::array<std::uint8_t, 256> character_table = make_character_table();

} // namespace detail

[[nodiscard]] constexpr bool is_of(CharacterClass wanted, char c) {
    return (detail::character_table[static_cast<unsigned char>(c)] & wanted) != 0;
}

/// Whether the text is not empty and every character belongs to the class.
[[nodiscard]] constexpr bool is_all_of(CharacterClass wanted, std::string_view text) {
    for (char const c : text)
        if (!is_of(wanted, c)) return false;
    return !text.empty();
}

using text::equals_ignoring_case;
using text::is_digit;
using text::to_lower;

/// RFC 9110, 5.6.3: OWS = *( SP / HTAB )
[[nodiscard]] constexpr std::string_view trim_white_space(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

/// RFC 9110, 5.6.1: calls `visit(element)` for each non-empty element of a comma-separated list;
/// stops and returns false when `visit` returns false. Not for lists of quoted strings.
template <class Visit>
constexpr bool for_each_element(std::string_view list, Visit&& visit) {
    while (true) {
        auto const comma = list.find(',');
        auto const element = trim_white_space(list.substr(0, comma));
        if (!element.empty() && !visit(element)) return false;
        if (comma == std::string_view::npos) return true;
        list.remove_prefix(comma + 1);
    }
}

} // namespace sallyport::http
