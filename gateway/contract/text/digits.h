// Digits: of numbers sixteen at a time, since a number may be as long as a body; and of escapes.
#pragma once

#include "gateway/simd/blocks.h"

#include <cstddef>
#include <string_view>

namespace sallyport::contract {

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

// Where, from `at` on, the first byte is that is no digit; the size: there is none.
[[nodiscard]] inline std::size_t digits_from(std::string_view text, std::size_t at) noexcept {
    using simd::Block;
    while (at + sizeof(Block) <= text.size()) {
        Block const block = simd::load_block(text.data() + at);
        Block const is_other = (block < '0') | (block > '9');
        if (simd::mask_of(is_other) != 0) break;
        at += sizeof(Block);
    }
    while (at < text.size() && is_digit(text[at]))
        ++at;
    return at;
}

// -1: it is no hexadecimal digit.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The byte of the escape at `at` (RFC 3986, 2.1: "%" and two digits), 0 to 255; -1: none is there.
[[nodiscard]] constexpr int escaped_byte(std::string_view text, std::size_t at) noexcept {
    if (at + 2 >= text.size() || text[at] != '%') return -1;
    int const high = hex_value(text[at + 1]);
    int const low = hex_value(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

} // namespace sallyport::contract
