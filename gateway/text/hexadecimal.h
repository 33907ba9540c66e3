// Hexadecimal digits, and the escapes of URIs that are made of them: for everything that reads one.
#pragma once

#include <cstddef>
#include <string_view>

namespace sallyport::text {

/// The value of a hexadecimal digit, 0 to 15; -1 for everything else.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// The byte of the escape at `at` (RFC 3986, 2.1: "%" and two digits), 0 to 255; -1: none is there.
[[nodiscard]] constexpr int escaped_byte(std::string_view text, std::size_t at) noexcept {
    if (at >= text.size() || text.size() - at < 3 || text[at] != '%') return -1;
    int const high = hex_value(text[at + 1]);
    int const low = hex_value(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// The number that four digits make from `at` on, 0 to 0xFFFF; -1: they are not there.
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
