// Reads the content of JSON strings: runs of ordinary bytes, and escapes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::observe {

/// One escape of a JSON string (RFC 8259, 7).
struct Escape {
    std::size_t size = 0; // in the text; 0: not a valid escape
    std::uint32_t code_point = 0;
};

/// Reads the escape at the beginning of `text`, which starts with the backslash. A surrogate must
/// be part of a pair, otherwise it has no UTF-8 form.
[[nodiscard]] Escape read_escape(std::string_view text) noexcept;

/// Whether the byte is content of a JSON string: neither its end, nor the begin of an escape, nor
/// forbidden.
[[nodiscard]] constexpr bool is_ordinary(char byte) noexcept {
    return byte != '"' && byte != '\\' && static_cast<unsigned char>(byte) >= 0x20;
}

/// The number of leading bytes of `text` that are ordinary.
[[nodiscard]] inline std::size_t ordinary_prefix(std::string_view text) noexcept {
    constexpr std::uint64_t each = 0x0101010101010101ULL;
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + at, sizeof word);
        auto const quote = word ^ (each * '"');
        auto const backslash = word ^ (each * '\\');
        // The high bit of each byte that is below 0x20, or zero in one of the two; false positives
        // are possible only above the lowest one.
        auto const found =
            ((word - each * 0x20) | (quote - each) | (backslash - each)) & ~word & (each * 0x80);
        if (found == 0) continue;
        if constexpr (std::endian::native == std::endian::little) {
            return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
        }
        break;
    }
    while (at < text.size() && is_ordinary(text[at]))
        ++at;
    return at;
}

} // namespace sallyport::observe
