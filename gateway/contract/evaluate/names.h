// Property names: comparing them fast, and facts about all names of an object.
#pragma once

#include "gateway/simd/blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::contract {

/// The 8 bytes from `from` on, in the byte order of the machine.
[[nodiscard]] inline std::uint64_t first8(char const* from) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    return word;
}

/// All bytes of a name of less than 8 bytes in one number; it differs for different names of the
/// same length.
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

/// The part of a name that a lookup reads: all of a name of up to 16 bytes.
struct NameEnds {
    std::uint64_t head = 0; // the first 8 bytes, or all of a shorter name
    std::uint64_t tail = 0; // the last 8 bytes
    std::size_t size = 0;

    [[nodiscard]] bool operator==(NameEnds const&) const = default;
};

/// Not equal to the ends of any name.
inline constexpr NameEnds ends_of_none{0, 0, SIZE_MAX};

/// The ends of any name.
[[gnu::always_inline]] [[nodiscard]] inline NameEnds ends_of(std::string_view name) noexcept {
    std::size_t const size = name.size();
    if (size < 8) return {short_name(name), 0, size};
    return {first8(name.data()), first8(name.data() + size - 8), size};
}

/// A name with its quotes, in three blocks that may overlap: to test whether it is at some place in
/// a text without searching for the end of the name there.
class QuotedName {
public:
    /// Only names of printable ASCII, which have one spelling without escapes; others match
    /// nothing.
    static constexpr std::size_t longest = 46;
    /// Number of bytes that stands_at() reads, whatever they are.
    static constexpr std::size_t reads = 48;

    QuotedName() noexcept = default;
    /// Of a name without quotes; see `longest`.
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

    /// Whether the name with its quotes is at `at`; `reads` bytes from there must be readable.
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

    // The default values contradict each other: no text matches them.
    simd::Block first_{};
    simd::Block middle_{};
    simd::Block last_ = ~simd::Block{};
    simd::Block ignored_{}; // the end of the block of a short name
    std::uint32_t middle_at_ = 0;
    std::uint32_t last_at_ = 1; // 0: the first block is all
};

/// Hash of all bytes of a name. The function is public: collisions may make something slower, but
/// must not change a result.
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
        // Pairs of words; the last ones may overlap earlier ones.
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

/// The one of 64 bits for a name, in the set of names of an object.
[[nodiscard]] constexpr std::uint64_t bit_of_name(std::uint32_t hash) noexcept {
    return std::uint64_t{1} << (hash >> 26);
}

/// Two bits for a name. Equal names have the same two bits; different names rarely do.
struct NameBits {
    NameBits() noexcept = default;
    constexpr explicit NameBits(std::uint32_t hash) noexcept
        : bit{bit_of_name(hash)}, other_bit{std::uint64_t{1} << (hash & 63)} {}

    std::uint64_t bit = 0;
    std::uint64_t other_bit = 0;
};

/// Of a name: a schema declares it, or has a pattern that it matches. Of an object: a schema that
/// declares properties was applied. An enum, not a byte: the compiler may assume that writing it
/// changes nothing else.
enum class Mark : std::uint8_t { none, declares, declared, known_by_pattern };

/// Facts about a name. For an object both its first and its last word have one: half of the bits of
/// its names instead of a hash. Not initialized: there is one for each byte of a text, and few are
/// written.
struct NameFact {
    std::uint32_t hash;
    Mark mark;
};

/// Facts about the names of one object.
class NameSet {
public:
    /// Adds a name by its two bits.
    [[gnu::always_inline]] void add(NameBits const& name) noexcept {
        if ((bits_ & name.bit) != 0) [[unlikely]]
            shared_ |= other_bits_ & name.other_bit;
        bits_ |= name.bit;
        other_bits_ |= name.other_bit;
    }
    /// False: all names are different. True: two of them may be equal.
    [[nodiscard]] bool may_hold_twins() const noexcept { return shared_ != 0; }
    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; } // bit_of_name of all names

private:
    std::uint64_t bits_ = 0;
    std::uint64_t other_bits_ = 0;
    std::uint64_t shared_ = 0; // not 0: two names had the same two bits
};

} // namespace sallyport::contract
