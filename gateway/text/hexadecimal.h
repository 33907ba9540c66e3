// Hexadecimal digits.
#pragma once

#include <cstddef>
#include <string_view>

namespace sallyport::text {

/// The value of a hexadecimal digit, 0 to 15; -1 for any other character.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// The value of the four hexadecimal digits from `at` on, 0 to 0xFFFF; -1 if they are not there.
[[nodiscard]] constexpr int four_digits(std::string_view text, std::size_t at) noexcept {
    if (at > text.size() || text.size() - at < 4) return -1;
    int number = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
        int const digit = hex_value(text[i]);
        if (digit < 0) return -1;
        number = number * 16 + digit;
    }
    return number;
}

} // namespace sallyport::text
