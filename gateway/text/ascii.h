// Character classes of ASCII, whatever the locale is.
#pragma once

#include <array>
#include <string_view>

namespace sallyport::text {

namespace detail {

[[nodiscard]] consteval std::array<char, 256> make_lower_case_table() {
    std::array<char, 256> table{};
    for (unsigned c = 0; c < 256; ++c)
        table[c] = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    return table;
}

inline constexpr std::array<char, 256> lower_case_table = make_lower_case_table();

} // namespace detail

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

[[nodiscard]] constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] constexpr bool is_letter_or_digit(char c) noexcept {
    return is_letter(c) || is_digit(c);
}

/// RFC 9110, 5.6.2: tchar
[[nodiscard]] constexpr bool is_token_character(char c) noexcept {
    return is_letter_or_digit(c)
           || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

/// C0 and DEL.
[[nodiscard]] constexpr bool is_control(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

[[nodiscard]] constexpr char to_lower(char c) noexcept {
    return detail::lower_case_table[static_cast<unsigned char>(c)];
}

/// Compares ASCII letters without regard to case, all other bytes exactly.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (to_lower(a[i]) != to_lower(b[i])) return false;
    return true;
}

} // namespace sallyport::text
