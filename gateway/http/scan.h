// Finds the end of a run of ordinary characters, sixteen at a time.
#pragma once

#include "gateway/simd/blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace sallyport::http {

namespace detail {

using simd::Block;
using simd::load_block;
using simd::mask_of;

// Character classes: for each byte of a block, whether it belongs to the class.

/// RFC 5234, B.1: VCHAR and SP.
struct Printable {
    Block operator()(Block block) const noexcept { return (block >= 0x20) & (block != 0x7f); }
};

struct NameCharacter {
    Block operator()(Block block) const noexcept {
        // For all byte values, setting the bit 0x20 produces letters only from letters.
        Block const lower = block | 0x20;
        return ((lower >= 'a') & (lower <= 'z')) | ((block >= '0') & (block <= '9'))
               | (block == '-');
    }
};

// RFC 9113, 8.2.1: names of HTTP/2 have no capitals.
struct LowerNameCharacter {
    Block operator()(Block block) const noexcept {
        return ((block >= 'a') & (block <= 'z')) | ((block >= '0') & (block <= '9'))
               | (block == '-');
    }
};

/// For less than a block.
template <class Class>
[[nodiscard]] [[gnu::noinline]] std::size_t prefix_of_short(std::string_view text,
                                                            Class of_class) noexcept {
    std::array<char, sizeof(Block)> bytes{};
    std::memcpy(bytes.data(), text.data(), text.size());
    unsigned const is_so = mask_of(of_class(load_block(bytes.data())));
    // The padding of the block may belong to the class too.
    return std::min(text.size(), static_cast<std::size_t>(std::countr_one(is_so)));
}

/// How many bytes at the front of `text` belong to a class.
template <class Class>
[[nodiscard]] std::size_t prefix_of(std::string_view text, Class of_class) noexcept {
    constexpr unsigned all = 0xffff;
    std::size_t at = 0;
    for (; text.size() - at >= sizeof(Block); at += sizeof(Block)) {
        unsigned const others = mask_of(of_class(load_block(text.data() + at))) ^ all;
        if (others != 0) return at + static_cast<std::size_t>(std::countr_zero(others));
    }
    if (at == text.size()) return at;
    if (at == 0) return prefix_of_short(text, of_class);
    // The last block overlaps the one before it, whose bytes belong to the class.
    at = text.size() - sizeof(Block);
    unsigned const others = mask_of(of_class(load_block(text.data() + at))) ^ all;
    return others == 0 ? text.size() : at + static_cast<std::size_t>(std::countr_zero(others));
}

} // namespace detail

/// How many bytes at the front of `text` are printable ASCII: spaces too, no tabs.
[[nodiscard]] inline std::size_t printable_prefix(std::string_view text) noexcept {
    return detail::prefix_of(text, detail::Printable{});
}

/// How many bytes at the front of `text` are letters, digits and hyphens, the usual characters of
/// field names (RFC 9110, 5.6.2: tchar has more).
[[nodiscard]] inline std::size_t name_prefix(std::string_view text) noexcept {
    return detail::prefix_of(text, detail::NameCharacter{});
}

/// The same without capitals.
[[nodiscard]] inline std::size_t lower_name_prefix(std::string_view text) noexcept {
    return detail::prefix_of(text, detail::LowerNameCharacter{});
}

/// Calls `is_wanted` with the offset of each line feed, in order, until it returns true; returns
/// whether it did.
template <class IsWanted>
bool any_line_feed(std::string_view text, IsWanted is_wanted) noexcept {
    using detail::Block;
    auto const test = [&is_wanted](std::size_t at, unsigned feeds) {
        for (; feeds != 0; feeds &= feeds - 1)
            if (is_wanted(at + static_cast<std::size_t>(std::countr_zero(feeds)))) return true;
        return false;
    };
    std::size_t at = 0;
    for (; text.size() - at >= sizeof(Block); at += sizeof(Block)) {
        unsigned const feeds = detail::mask_of(detail::load_block(text.data() + at) == '\n');
        if (feeds != 0 && test(at, feeds)) return true;
    }
    if (at == text.size()) return false;
    // Less than a block, filled up with bytes that are not line feeds.
    std::array<char, sizeof(Block)> rest{};
    std::memcpy(rest.data(), text.data() + at, text.size() - at);
    return test(at, detail::mask_of(detail::load_block(rest.data()) == '\n'));
}

/// Whether `path` begins with a slash, consists of letters, digits, `-`, `_` and
/// slashes only, and has no two slashes in a row: such a path is unambiguous (RFC 3986,
/// 3.3).
[[nodiscard]] inline bool is_ordinary_path(std::string_view path) noexcept {
    using detail::Block;
    if (path.size() < sizeof(Block) || path.front() != '/') return false;
    unsigned slash_before = 0;
    for (std::size_t at = 0;;) {
        Block const block = detail::load_block(path.data() + at);
        Block const is_slash = block == '/';
        Block const is_plain = detail::NameCharacter{}(block) | (block == '_') | is_slash;
        unsigned const slashes = detail::mask_of(is_slash);
        if (detail::mask_of(is_plain) != 0xffff || (slashes & (slashes << 1 | slash_before)) != 0)
            return false;
        if (at + sizeof(Block) == path.size()) return true;
        at += sizeof(Block);
        slash_before = slashes >> (sizeof(Block) - 1);
        if (path.size() - at < sizeof(Block)) {
            // The last block overlaps the one before it, and checks its slashes again.
            at = path.size() - sizeof(Block);
            slash_before = 0;
        }
    }
}

} // namespace sallyport::http
