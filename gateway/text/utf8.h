// UTF-8, strictly to RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include "gateway/simd/blocks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace sallyport::text {

/// Whether the byte is a continuation byte of a character.
[[nodiscard]] constexpr bool is_continuation(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The length of the well-formed sequence at the beginning of `text`; 0 if there is none.
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    auto const at = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint8_t{0};
    };
    auto const continues = [text](std::size_t i) {
        return i < text.size() && is_continuation(text[i]);
    };
    unsigned char const first = at(0);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4 || !continues(1)) return 0;
    if (first < 0xE0) return 2;
    // RFC 3629, 4: the first byte gives the range of the second.
    unsigned char const second = at(1);
    if (!continues(2)) return 0;
    if (first < 0xF0) {
        bool const is_bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F);
        return is_bad ? 0 : 3;
    }
    bool const is_bad = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return is_bad || !continues(3) ? 0 : 4;
}

/// Behind the blocks from `at` on in which every byte is ASCII.
[[nodiscard]] inline std::size_t skip_ascii_blocks(std::string_view text, std::size_t at) noexcept {
    while (at + sizeof(simd::Block) <= text.size()
           && simd::mask_of(simd::load_block(text.data() + at) < 0) == 0) {
        at += sizeof(simd::Block);
    }
    return at;
}

[[nodiscard]] inline bool is_ascii(std::string_view text) noexcept {
    text.remove_prefix(skip_ascii_blocks(text, 0));
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The offset of the first byte that is not part of a valid character, if there is one.
[[nodiscard]] constexpr std::optional<std::size_t>
first_invalid_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        if (!std::is_constant_evaluated()) at = skip_ascii_blocks(text, at);
        if (at == text.size()) break;
        auto const length = utf8_length(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return std::nullopt;
}

[[nodiscard]] constexpr bool is_utf8(std::string_view text) noexcept {
    return !first_invalid_utf8(text);
}

/// The number of characters; `text` must be well-formed.
[[nodiscard]] inline std::size_t count_code_points(std::string_view text) noexcept {
    std::size_t count = text.size();
    std::size_t at = 0;
    // The sum of so many comparisons does not overflow a byte.
    constexpr std::size_t most_blocks = 127;
    while (at + sizeof(simd::Block) <= text.size()) {
        std::size_t const blocks = std::min(most_blocks, (text.size() - at) / sizeof(simd::Block));
        simd::Block continuations{};
        for (std::size_t i = 0; i < blocks; ++i, at += sizeof(simd::Block)) {
            // As signed numbers 0x80 to 0xBF are those below -64; a true comparison is -1.
            continuations -= simd::load_block(text.data() + at) < -64;
        }
        for (std::size_t i = 0; i < sizeof(simd::Block); ++i)
            count -= static_cast<unsigned char>(continuations[i]);
    }
    for (; at < text.size(); ++at)
        count -= is_continuation(text[at]) ? 1U : 0U;
    return count;
}

/// The first character of `text`, which must be well-formed and not empty.
[[nodiscard]] constexpr char32_t first_code_point(std::string_view text) noexcept {
    auto const at = [text](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
    };
    switch (utf8_length(text)) {
    case 2: return (at(0) & 0x1F) << 6 | (at(1) & 0x3F);
    case 3: return (at(0) & 0x0F) << 12 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F);
    case 4:
        return (at(0) & 0x07) << 18 | (at(1) & 0x3F) << 12 | (at(2) & 0x3F) << 6 | (at(3) & 0x3F);
    default: return at(0);
    }
}

inline void append_utf8(std::string& out, char32_t code_point) {
    auto const push = [&out](char32_t byte) { out += static_cast<char>(byte); };
    if (code_point < 0x80) {
        push(code_point);
    } else if (code_point < 0x800) {
        push(0xC0 | code_point >> 6);
        push(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        push(0xE0 | code_point >> 12);
        push(0x80 | (code_point >> 6 & 0x3F));
        push(0x80 | (code_point & 0x3F));
    } else {
        push(0xF0 | code_point >> 18);
        push(0x80 | (code_point >> 12 & 0x3F));
        push(0x80 | (code_point >> 6 & 0x3F));
        push(0x80 | (code_point & 0x3F));
    }
}

/// Takes bytes in order and checks that they are UTF-8: for texts that arrive in
/// pieces.
class Utf8Checker {
public:
    /// False: the byte is invalid here.
    constexpr bool take(std::uint8_t byte) noexcept {
        if (left_ == 0) return begin(byte);
        // RFC 3629, 4: only the second byte has a range narrower than 80-BF.
        if (byte < low_ || byte > high_) return false;
        low_ = 0x80;
        high_ = 0xbf;
        --left_;
        return true;
    }

    /// Whether the last character is complete.
    [[nodiscard]] constexpr bool is_complete() const noexcept { return left_ == 0; }

private:
    constexpr bool begin(std::uint8_t byte) noexcept {
        if (byte < 0x80) return true;
        if (byte < 0xc2 || byte > 0xf4) return false;
        left_ = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        low_ = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
        high_ = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
        return true;
    }

    std::uint8_t left_ = 0;
    std::uint8_t low_ = 0x80;
    std::uint8_t high_ = 0xbf;
};

} // namespace sallyport::text
