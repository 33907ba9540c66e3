// Where the names that a contract knows stand in a table, so that one look at one slot finds a name
// or shows that it is none of them.
#pragma once

#include "gateway/contract/evaluate/names.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Which slot is a name's. The table has a power of two of them, two at least, and at most half of
/// them are taken. With the right factor each name has a slot of its own; where none was found,
/// because names differ only where no look-up reads, those behind the slot are looked at too.
struct NameSlots {
    std::uint64_t factor = 1;
    std::uint32_t shift = 63;
    bool are_shared = false;

    [[nodiscard]] std::size_t slot_of(NameEnds const& ends) const noexcept {
        return ((ends.head ^ std::rotl(ends.tail, 25)) + ends.size) * factor >> shift;
    }
};

struct PlacedNames {
    static constexpr std::uint32_t none = UINT32_MAX;

    NameSlots slots;
    std::vector<std::uint32_t> names; // by slot: which of the names; none
};

/// No name stands there twice.
[[nodiscard]] PlacedNames place_names(std::vector<std::string_view> const& names);

/// For names with the same ends: whether what lies between them is the same.
[[nodiscard]] inline bool has_same_middle(char const* left, char const* right,
                                          std::size_t size) noexcept {
    for (std::size_t at = 8; at + 8 < size; at += 8) {
        if (first8(left + at) != first8(right + at)) return false;
    }
    return true;
}

/// Texts, to be asked whether one of them is some text.
class TextSet {
public:
    void add(std::string text) { texts_.push_back(std::move(text)); }
    void build(); // after the last one

    [[nodiscard]] bool is_empty() const noexcept { return texts_.empty(); }
    [[nodiscard]] bool holds(std::string_view text) const noexcept;

private:
    struct Slot {
        NameEnds ends;
        std::uint32_t text = PlacedNames::none;
    };
    [[nodiscard]] std::size_t slot_of(std::string_view text, NameEnds const& ends) const noexcept {
        // Texts that share their ends would stand in one long run.
        return slots_.are_shared ? hash_name(text) & (table_.size() - 1) : slots_.slot_of(ends);
    }

    std::vector<std::string> texts_;
    NameSlots slots_;
    std::vector<Slot> table_ = std::vector<Slot>(2);
};

} // namespace sallyport::contract
