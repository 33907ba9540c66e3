// Member names: what tells one from others fast, and what is known of all names of an object.
#pragma once

#include "gateway/simd/blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::contract {

[[nodiscard]] inline std::uint64_t first8(char const* from) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    return word;
}

/// All of a name of less than 8 bytes, in one number; names of one length differ if these do.
[[gnu::always_inline]] [[nodiscard]] inline std::uint64_t
short_name(std::string_view name) noexcept {
    std::size_t const size = name.size();
    char const* const data = name.data();
    if (size >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, data, 4);
        std::memcpy(&last, data + size - 4, 4);
        return std::uint64_t{first} << 32 | last;
    }
    if (size == 0) return 0;
    return std::uint64_t{static_cast<unsigned char>(data[0])} << 16
           | std::uint64_t{static_cast<unsigned char>(data[size / 2])} << 8
           | static_cast<unsigned char>(data[size - 1]);
}

/// What a look-up reads of a name: all of one of up to 16 bytes.
struct NameEnds {
    std::uint64_t head = 0; // the first 8 bytes, or all of a shorter name
    std::uint64_t tail = 0; // the last 8 bytes
    std::size_t size = 0;

    [[nodiscard]] bool operator==(NameEnds const&) const = default;
};

/// Those of no name, however long.
inline constexpr NameEnds ends_of_none{0, 0, SIZE_MAX};

[[gnu::always_inline]] [[nodiscard]] inline NameEnds ends_of(std::string_view name) noexcept {
    std::size_t const size = name.size();
    if (size < 8) return {short_name(name), 0, size};
    return {first8(name.data()), first8(name.data() + size - 8), size};
}

/// A name in its quotes, in three blocks that may overlap: to see whether they stand at some place
/// of a text without looking for the end of what stands there.
class QuotedName {
public:
    /// Of printable ASCII, since a text could not hold anything else in one spelling alone. Others
    /// stand nowhere.
    static constexpr std::size_t longest = 46;
    /// So many bytes from the place on are read, whatever they are.
    static constexpr std::size_t reads = 48;

    QuotedName() noexcept = default;
    explicit QuotedName(std::string_view name) noexcept {
        bool const is_ordinary = std::all_of(name.begin(), name.end(), [](char c) {
            return c >= ' ' && c <= '~' && c != '"' && c != '\\';
        });
        if (!is_ordinary || name.size() > longest) return;
        std::array<char, reads> text{};
        std::array<char, block> ignored{};
        std::size_t const all = name.size() + 2;
        text[0] = '"';
        name.copy(text.data() + 1, name.size());
        text[all - 1] = '"';
        std::fill(ignored.begin() + std::min(all, block), ignored.end(), '\xFF');
        std::size_t const last = all < block ? 0 : all - block;
        middle_at_ = static_cast<std::uint32_t>(std::min(last, block));
        last_at_ = static_cast<std::uint32_t>(last);
        first_ = simd::load_block(text.data());
        middle_ = simd::load_block(text.data() + middle_at_);
        last_ = simd::load_block(text.data() + last_at_);
        ignored_ = simd::load_block(ignored.data());
    }

    [[gnu::always_inline]] [[nodiscard]] bool stands_at(char const* at) const noexcept {
        simd::Block is_same = simd::load_block(at) == first_;
        if (last_at_ != 0) {
            is_same &= (simd::load_block(at + middle_at_) == middle_)
                       & (simd::load_block(at + last_at_) == last_);
        }
        return simd::mask_of(is_same | ignored_) == 0xFFFF;
    }

private:
    static constexpr std::size_t block = sizeof(simd::Block);

    // As they are, no byte is what the first and the last of these want in its place.
    simd::Block first_{};
    simd::Block middle_{};
    simd::Block last_ = ~simd::Block{};
    simd::Block ignored_{}; // the end of a short name's block
    std::uint32_t middle_at_ = 0;
    std::uint32_t last_at_ = 1; // 0: the first is all
};

/// Over all bytes of a name. Not a secret: nothing may depend on names not colliding, except how
/// fast it is.
[[gnu::always_inline]] [[nodiscard]] inline std::uint32_t
hash_name(std::string_view name) noexcept {
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t first = 0x9E37'79B9'7F4A'7C15U;
    constexpr std::uint64_t second = 0xD6E8'FEB8'6659'FD93U;
    auto const mix = [](std::uint64_t left, std::uint64_t right) {
        Wide const product = Wide{left} * right;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    std::size_t const size = name.size();
    char const* const data = name.data();
    std::uint64_t hash = size * first;
    if (size > 16) {
        // Pairs of words; the last ones may overlap those before.
        std::uint64_t const last =
            mix(first8(data + size - 16) ^ second, first8(data + size - 8) ^ first);
        hash = mix(hash ^ first8(data) ^ first, first8(data + 8) ^ second);
        for (std::size_t at = 16; at + 16 < size; at += 16)
            hash = mix(hash ^ first8(data + at) ^ first, first8(data + at + 8) ^ second);
        return static_cast<std::uint32_t>((hash ^ last) >> 16);
    }
    std::uint64_t const low = size >= 8 ? first8(data) : short_name(name);
    std::uint64_t const high = size >= 8 ? first8(data + size - 8) : 0;
    return static_cast<std::uint32_t>(mix(low ^ hash ^ first, high ^ second) >> 16);
}

/// Of 64 bits the one that a name sets, in what is known of the names of an object.
[[nodiscard]] constexpr std::uint64_t bit_of_name(std::uint32_t hash) noexcept {
    return std::uint64_t{1} << (hash >> 26);
}

/// A bit of each kind for a name. Two names that are the same share both; two that are not hardly
/// ever do.
struct NameBits {
    NameBits() noexcept = default;
    constexpr explicit NameBits(std::uint32_t hash) noexcept
        : bit{bit_of_name(hash)}, other_bit{std::uint64_t{1} << (hash & 63)} {}

    std::uint64_t bit = 0;
    std::uint64_t other_bit = 0;
};

/// Of a name: some schema declares it, or has a pattern that it fits. Of an object: a schema that
/// declares members was asked.
/// A type of its own, not a byte: what is written to it can be nothing else.
enum class Mark : std::uint8_t { none, declares, declared, known_by_pattern };

/// What is known of a name, side by side. Of an object, in both its words: a half of its names'
/// bits in place of a hash. Without initial values: there is one for each byte of a text, and few
/// are written.
struct NameFact {
    std::uint32_t hash;
    Mark mark;
};

/// What is known of the names of one object.
class NameSet {
public:
    [[gnu::always_inline]] void add(NameBits const& name) noexcept {
        if ((bits_ & name.bit) != 0) [[unlikely]]
            shared_ |= other_bits_ & name.other_bit;
        bits_ |= name.bit;
        other_bits_ |= name.other_bit;
    }
    [[nodiscard]] bool may_hold_twins() const noexcept { return shared_ != 0; }
    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; } // bit_of_name of all

private:
    std::uint64_t bits_ = 0;
    std::uint64_t other_bits_ = 0;
    std::uint64_t shared_ = 0; // not 0: of two names both bits were the same
};

} // namespace sallyport::contract
