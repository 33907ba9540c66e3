// Hash tables for the names of a contract in which one access to one slot finds a name, or shows
// that it is not in the table.
#pragma once

#include "gateway/contract/evaluate/names.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Computes the slot of a name. The number of slots is a power of two, at least two, and at most
/// half of them are used. With the right factor each name has its own slot; if none was found,
/// because names differ only in bytes that a lookup does not read, the following slots are searched
/// too.
struct NameSlots {
    std::uint64_t factor = 1;
    std::uint32_t shift = 63;
    bool are_shared = false;

    [[nodiscard]] std::size_t slot_of(NameEnds const& ends) const noexcept {
        return ((ends.head ^ std::rotl(ends.tail, 25)) + ends.size) * factor >> shift;
    }
};

/// The result of place_names().
struct PlacedNames {
    static constexpr std::uint32_t none = UINT32_MAX;

    NameSlots slots;
    std::vector<std::uint32_t> names; // by slot: index of the name, or none
};

/// Finds a factor and places the names. They must be distinct.
[[nodiscard]] PlacedNames place_names(std::vector<std::string_view> const& names);

/// Whether two names with the same ends and size also have the same bytes between them.
[[nodiscard]] inline bool has_same_middle(char const* left, char const* right,
                                          std::size_t size) noexcept {
    for (std::size_t at = 8; at + 8 < size; at += 8) {
        if (first8(left + at) != first8(right + at)) return false;
    }
    return true;
}

/// A set of texts with fast lookup.
class TextSet {
public:
    void add(std::string text) { texts_.push_back(std::move(text)); }
    void build(); // after the last one

    /// Whether no text was added.
    [[nodiscard]] bool is_empty() const noexcept { return texts_.empty(); }
    /// Whether `text` is in the set; after build().
    [[nodiscard]] bool holds(std::string_view text) const noexcept;

private:
    struct Slot {
        NameEnds ends;
        std::uint32_t text = PlacedNames::none;
    };
    [[nodiscard]] std::size_t slot_of(std::string_view text, NameEnds const& ends) const noexcept {
        // Texts with the same ends would form one long run of slots.
        return slots_.are_shared ? hash_name(text) & (table_.size() - 1) : slots_.slot_of(ends);
    }

    std::vector<std::string> texts_;
    NameSlots slots_;
    std::vector<Slot> table_ = std::vector<Slot>(2);
};

} // namespace sallyport::contract
