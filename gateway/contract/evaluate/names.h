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

// Over all bytes of a name. Not a secret: nothing may depend on names not colliding, except how
// fast it is.
[[nodiscard]] inline std::uint32_t hash_name(std::string_view name) noexcept {
    auto const load8 = [](char const* from) {
        std::uint64_t word = 0;
        std::memcpy(&word, from, 8);
        return word;
    };
    auto const load4 = [](char const* from) {
        std::uint32_t word = 0;
        std::memcpy(&word, from, 4);
        return std::uint64_t{word};
    };
    constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15U;
    std::size_t const size = name.size();
    char const* const data = name.data();
    std::uint64_t hash = size * odd;
    auto const mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    };
    if (size >= 8) {
        for (std::size_t at = 0; at + 8 < size; at += 8)
            mix(load8(data + at));
        mix(load8(data + size - 8));
    } else if (size >= 4) {
        mix(load4(data) << 32 | load4(data + size - 4));
    } else if (size > 0) {
        mix(std::uint64_t{static_cast<unsigned char>(data[0])} << 16
            | std::uint64_t{static_cast<unsigned char>(data[size / 2])} << 8
            | static_cast<unsigned char>(data[size - 1]));
    }
    return static_cast<std::uint32_t>((hash * odd) >> 32); // the high bits saw all of it
}

// Scratch that is kept from body to body.
class Names {
public:
    // Hashes every name of the text. Says whether some object holds a name twice, or more than
    // `max_depth` arrays and objects lie inside each other: at any place, and in time that grows
    // with n log n whatever the names are.
    [[nodiscard]] Malformed read(Tape const& tape, std::size_t max_depth);

    // Of the name at `at`, after read().
    [[nodiscard]] std::uint32_t hash(TapeIndex at) const noexcept { return hashes_[at]; }

private:
    [[nodiscard]] bool has_duplicate(Tape const& tape, std::size_t begin);
    [[nodiscard]] bool has_duplicate_sorted(Tape const& tape, std::size_t begin);

    std::unique_ptr<std::uint32_t[]> hashes_; // by place on the tape; only those of names are set
    std::size_t hash_capacity_ = 0;
    // Names of the objects that are open, hash above place: an inner object's stand on top of its
    // outer one's.
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t>
        open_; // where in keys_ each open object begins; arrays: not_an_object
};

} // namespace sallyport::contract
