// Places the names of a contract in a hash table.
#include "gateway/contract/schema/name_slots.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// Whether names may share a slot; with `no` a factor with a collision is refused.
enum class Sharing : std::uint8_t { no, yes };
[[nodiscard]] bool fill(PlacedNames& placed, std::vector<NameEnds> const& names, Sharing sharing) {
    std::fill(placed.names.begin(), placed.names.end(), PlacedNames::none);
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        std::size_t slot = placed.slots.slot_of(names[i]);
        while (placed.names[slot] != PlacedNames::none) {
            if (sharing == Sharing::no) return false;
            slot = (slot + 1) & (placed.names.size() - 1);
        }
        placed.names[slot] = i;
    }
    return true;
}

} // namespace

// Tries factors with a small table first.
PlacedNames place_names(std::vector<std::string_view> const& names) {
    constexpr int tries = 64;
    constexpr std::size_t most_for_each = 16; // slots
    std::size_t const least = std::max<std::size_t>(2, std::bit_ceil(2 * names.size() + 1));
    std::size_t const most = std::max(least, most_for_each * names.size());
    std::vector<NameEnds> ends;
    ends.reserve(names.size());
    for (std::string_view const name : names)
        ends.push_back(ends_of(name));
    PlacedNames placed;
    for (std::size_t size = least; size <= most; size *= 2) {
        placed.names.resize(size);
        placed.slots.shift = 64U - static_cast<std::uint32_t>(std::countr_zero(size));
        // Pseudo-random factors: the generator of Knuth's MMIX.
        std::uint64_t factor = 0x9E37'79B9'7F4A'7C15U;
        for (int i = 0; i < tries; ++i) {
            placed.slots.factor = factor | 1U;
            if (fill(placed, ends, Sharing::no)) return placed;
            factor = factor * 0x5851'F42D'4C95'7F2DU + 0x1405'7B7E'F767'814FU;
        }
    }
    placed.slots.are_shared = true;
    (void)fill(placed, ends, Sharing::yes);
    return placed;
}

void TextSet::build() {
    std::sort(texts_.begin(), texts_.end());
    texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
    PlacedNames const placed = place_names({texts_.begin(), texts_.end()});
    slots_ = placed.slots;
    table_.assign(placed.names.size(), Slot{});
    for (std::uint32_t i = 0; i < texts_.size(); ++i) {
        NameEnds const ends = ends_of(texts_[i]);
        std::size_t at = slot_of(texts_[i], ends);
        while (table_[at].text != PlacedNames::none)
            at = (at + 1) & (table_.size() - 1);
        table_[at] = {ends, i};
    }
}

bool TextSet::holds(std::string_view text) const noexcept {
    NameEnds const ends = ends_of(text);
    for (std::size_t at = slot_of(text, ends);; at = (at + 1) & (table_.size() - 1)) {
        Slot const& slot = table_[at];
        if (slot.text == PlacedNames::none) return false;
        if (slot.ends == ends
            && has_same_middle(texts_[slot.text].data(), text.data(), text.size())) {
            return true;
        }
        if (!slots_.are_shared) return false;
    }
}

} // namespace sallyport::contract
