// Tables of the values of an enum or const.
#include "gateway/contract/schema/value_sets.h"

#include <algorithm>
#include <bit>

namespace sallyport::contract {

void IntegerSet::build() {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    no_value_ = INT64_MIN;
    for (std::int64_t const value : values_) {
        if (value == no_value_) ++no_value_;
    }
    std::size_t const size = std::max<std::size_t>(2, std::bit_ceil(2 * values_.size() + 1));
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
    table_.assign(size, no_value_);
    for (std::int64_t const value : values_) {
        std::size_t at = slot_of(value);
        while (table_[at] != no_value_)
            at = (at + 1) & (size - 1);
        table_[at] = value;
    }
}

void CanonicalSet::build() {
    std::sort(all_.begin(), all_.end(),
              [](One const& left, One const& right) { return left.hash < right.hash; });
}

CanonicalSet::One const* CanonicalSet::first_of(std::uint32_t hash) const noexcept {
    return std::lower_bound(all_.data(), all_.data() + all_.size(), hash,
                            [](One const& one, std::uint32_t wanted) { return one.hash < wanted; });
}

} // namespace sallyport::contract
