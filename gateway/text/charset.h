// Names of charsets, as far as they say how the bytes of a text are read.
#pragma once

#include "gateway/text/ascii.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace sallyport::text {

/// `us_ascii`: a part of UTF-8, as long as the text keeps to it; readers take other bytes for
/// windows-1252 (WHATWG), for question marks, or for an error.
enum class Charset : std::uint8_t { utf_8, us_ascii, other };

/// RFC 2978, 2.3: names have no letter case. `utf8` and `ascii` are not registered, but clients
/// write them, and readers know them by nothing else.
[[nodiscard]] constexpr Charset charset_named(std::string_view name) noexcept {
    if (equals_ignoring_case(name, "utf-8") || equals_ignoring_case(name, "utf8"))
        return Charset::utf_8;
    bool const is_ascii =
        equals_ignoring_case(name, "us-ascii") || equals_ignoring_case(name, "ascii");
    return is_ascii ? Charset::us_ascii : Charset::other;
}

/// Whether `text` contains "charset", which some readers search for anywhere.
[[nodiscard]] constexpr bool mentions_charset(std::string_view text) noexcept {
    constexpr std::string_view word = "charset";
    auto const found = std::search(text.begin(), text.end(), word.begin(), word.end(),
                                   [](char c, char wanted) { return to_lower(c) == wanted; });
    return found != text.end();
}

} // namespace sallyport::text
