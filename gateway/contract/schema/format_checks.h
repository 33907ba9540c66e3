// The checks of the formats, grouped by standard: for the format files only.
#pragma once

#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"

#include <cstddef>
#include <string_view>

namespace sallyport::contract::formats {

using text::is_digit;
using text::is_letter;

[[nodiscard]] constexpr bool is_hex(char c) noexcept {
    return text::hex_value(c) >= 0;
}
/// The value of `count` digits at `at`; -1: there are fewer digits.
[[nodiscard]] inline int digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
    if (at + count > text.size()) return -1;
    int value = 0;
    for (char const c : text.substr(at, count)) {
        if (!is_digit(c)) return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

// Defined in format_time.cpp.
[[nodiscard]] bool is_date(std::string_view text) noexcept;
[[nodiscard]] bool is_time(std::string_view text) noexcept;
[[nodiscard]] bool is_date_time(std::string_view text) noexcept;
[[nodiscard]] bool is_duration(std::string_view text) noexcept;

// Defined in format_host.cpp.
[[nodiscard]] bool is_hostname(std::string_view text);
[[nodiscard]] bool is_email(std::string_view text);

// Defined in format_uri.cpp.
[[nodiscard]] bool is_ipv4(std::string_view text) noexcept;
[[nodiscard]] bool is_ipv6(std::string_view text) noexcept;
[[nodiscard]] bool is_uri(std::string_view text) noexcept;
[[nodiscard]] bool is_uri_reference(std::string_view text) noexcept;

} // namespace sallyport::contract::formats
