// UTF-8 (RFC 3629).
#include "gateway/contract/text/utf8.h"

#include "gateway/simd/blocks.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

[[nodiscard]] constexpr bool is_continuation(unsigned char byte) noexcept {
    return (byte & 0xC0U) == 0x80U;
}

} // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    auto const at = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint8_t{0};
    };
    unsigned char const first = at(0);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4 || !is_continuation(at(1))) return 0;
    if (first < 0xE0) return 2;
    // RFC 3629, 4: no overlong forms, no surrogates, nothing above U+10FFFF.
    unsigned char const second = at(1);
    if (!is_continuation(at(2))) return 0;
    if (first < 0xF0) {
        bool const is_bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F);
        return is_bad ? 0 : 3;
    }
    bool const is_bad = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return is_bad || !is_continuation(at(3)) ? 0 : 4;
}

std::size_t count_code_points(std::string_view text) noexcept {
    std::size_t count = text.size();
    std::size_t at = 0;
    // A byte of a sum of so many comparisons does not run over.
    constexpr std::size_t most_blocks = 127;
    while (at + sizeof(simd::Block) <= text.size()) {
        std::size_t const blocks =
            std::min(most_blocks, (text.size() - at) / sizeof(simd::Block));
        simd::Block continuations{};
        for (std::size_t i = 0; i < blocks; ++i, at += sizeof(simd::Block)) {
            // As signed numbers 0x80 to 0xBF are those below -64; what holds is -1.
            continuations -= simd::load_block(text.data() + at) < -64;
        }
        for (std::size_t i = 0; i < sizeof(simd::Block); ++i)
            count -= static_cast<unsigned char>(continuations[i]);
    }
    for (; at < text.size(); ++at)
        count -= is_continuation(static_cast<unsigned char>(text[at])) ? 1U : 0U;
    return count;
}

char32_t first_code_point(std::string_view text) noexcept {
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

void append_utf8(std::string& out, char32_t code_point) {
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

} // namespace sallyport::contract
