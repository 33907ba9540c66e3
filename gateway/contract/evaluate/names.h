// Member names of a parsed text: their hashes, computed once, and the search for one that occurs
// twice in an object.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/report.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace sallyport::contract {

[[nodiscard]] inline std::uint64_t first8(char const* from) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    return word;
}

// All of a name of less than 8 bytes, in one number; names of one length differ if these do.
[[nodiscard]] inline std::uint64_t short_name(std::string_view name) noexcept {
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

// Over all bytes of a name. Not a secret: nothing may depend on names not colliding, except how
// fast it is.
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

// Of 64 bits the one that a name sets, in what is known of the names of an object.
[[nodiscard]] constexpr std::uint64_t bit_of_name(std::uint32_t hash) noexcept {
    return std::uint64_t{1} << (hash >> 26);
}

// What is known of the names of one object. Two that are the same share a bit of each kind; two
// that are not hardly ever share both.
class NameSet {
public:
    void add(std::uint32_t hash) noexcept {
        std::uint32_t const bit = hash >> 26;
        std::uint32_t const other_bit = hash & 63;
        if ((bits_ >> bit & 1) != 0) shared_ |= other_bits_ >> other_bit & 1;
        bits_ |= std::uint64_t{1} << bit;
        other_bits_ |= std::uint64_t{1} << other_bit;
    }
    [[nodiscard]] bool may_hold_twins() const noexcept { return shared_ != 0; }
    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; } // bit_of_name of all

private:
    std::uint64_t bits_ = 0;
    std::uint64_t other_bits_ = 0;
    std::uint64_t shared_ = 0; // not 0: of two names both bits were the same
};

// An array or object that is open.
struct OpenValue {
    TapeIndex place = 0;
    std::uint32_t count = 0; // of the values in it
    bool is_object = false;
    NameSet names;
};

// Scratch that is kept from body to body.
class Names {
public:
    // Hashes every name of the text. Says whether some object holds a name twice, or more than
    // `max_depth` arrays and objects lie inside each other: at any place, and in time that grows
    // with n log n whatever the names are.
    [[nodiscard]] Malformed read(Tape const& tape, std::size_t max_depth);

    // Of the name at `at`, after read().
    [[nodiscard]] std::uint32_t hash(TapeIndex at) const noexcept { return hashes_[at]; }
    // The bits of all names of the object at `at`, after read(): one that is not set is of no name
    // in it.
    [[nodiscard]] std::uint64_t bits(Tape const& tape, TapeIndex at) const noexcept {
        return std::uint64_t{hashes_[tape.close(at)]} << 32 | hashes_[at];
    }

    // For who reads names while the tape is built, instead of read(): room for a tape of at most
    // `words`, where the hash of each name must be put by its place;
    [[nodiscard]] std::uint32_t* begin(std::size_t words);
    // room for what is open, `depth` at most;
    [[nodiscard]] OpenValue* open(std::size_t depth);
    // and to be called where an object ends, which `tape` holds as a whole. False: a name occurs
    // twice in it.
    [[nodiscard]] bool close(Tape const& tape, TapeIndex object, NameSet const& names) {
        std::uint64_t const bits = names.bits();
        hashes_[object] = static_cast<std::uint32_t>(bits);
        hashes_[tape.close(object)] = static_cast<std::uint32_t>(bits >> 32);
        return !names.may_hold_twins() || !has_twins(tape, object);
    }

private:
    [[nodiscard]] bool has_twins(Tape const& tape, TapeIndex object);
    [[nodiscard]] bool has_twins_sorted(Tape const& tape);

    // By place on the tape: of names their hash, of objects, in both their words, their bits.
    std::unique_ptr<std::uint32_t[]> hashes_;
    std::size_t capacity_ = 0;
    std::vector<OpenValue> open_;
    std::vector<std::uint64_t> keys_; // of the object that is searched: hash above place
};

} // namespace sallyport::contract
