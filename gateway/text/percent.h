// Percent-encoding (RFC 3986, 2.1): "%" and two hexadecimal digits stand for a byte.
#pragma once

#include "gateway/text/hexadecimal.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::text {

/// The byte of the escape at `at`, 0 to 255; -1 if there is no escape.
[[nodiscard]] constexpr int escaped_byte(std::string_view text, std::size_t at) noexcept {
    if (at >= text.size() || text.size() - at < 3 || text[at] != '%') return -1;
    int const high = hex_value(text[at + 1]);
    int const low = hex_value(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// Appends the escape of a byte, its digits in upper case (RFC 3986, 2.1).
inline void append_escape(std::string& to, char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    auto const byte = static_cast<unsigned char>(c);
    to += '%';
    to += digits[byte >> 4U];
    to += digits[byte & 15U];
}

/// Decodes once: returns `text` itself if it has no escape, otherwise a view of `storage`. Empty if
/// an escape is malformed or the storage too small.
[[nodiscard]] constexpr std::optional<std::string_view>
percent_decode(std::string_view text, std::span<char> storage) noexcept {
    if (text.find('%') == std::string_view::npos) return text;
    std::size_t size = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (size == storage.size()) return {};
        if (text[i] != '%') {
            storage[size++] = text[i];
            continue;
        }
        int const byte = escaped_byte(text, i);
        if (byte < 0) return {};
        storage[size++] = static_cast<char>(byte);
        i += 2;
    }
    return std::string_view{storage.data(), size};
}

/// The same into a new string. Empty if an escape is malformed.
[[nodiscard]] inline std::optional<std::string> percent_decoded(std::string_view text) {
    std::string storage(text.size(), '\0');
    auto const decoded = percent_decode(text, storage);
    if (!decoded) return {};
    return std::string{*decoded};
}

} // namespace sallyport::text
