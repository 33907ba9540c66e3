// The numbers, arrays and objects of an enum or const: one lookup for a set of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// A set of integers; build() before holds().
class IntegerSet {
public:
    void add(std::int64_t value) { values_.push_back(value); }
    void build(); // after the last one

    /// Whether `value` is in the set; after build().
    [[nodiscard]] bool holds(std::int64_t value) const noexcept {
        if (value == no_value_) return false;
        for (std::size_t at = slot_of(value);; at = (at + 1) & (table_.size() - 1)) {
            if (table_[at] == value) return true;
            if (table_[at] == no_value_) return false;
        }
    }

private:
    // Multiplicative hashing: Knuth, The Art of Computer Programming, 6.4; by 2^64 / golden ratio.
    [[nodiscard]] std::size_t slot_of(std::int64_t value) const noexcept {
        return static_cast<std::uint64_t>(value) * 0x9E37'79B9'7F4A'7C15U >> shift_;
    }

    std::vector<std::int64_t> values_;
    std::int64_t no_value_ = INT64_MIN; // a value that is not in the set, for free slots
    unsigned shift_ = 63;
    std::vector<std::int64_t> table_ = std::vector<std::int64_t>(2, INT64_MIN);
};

/// Canonical texts (canonical.h) by the hash of their values (value_hashes.h).
class CanonicalSet {
public:
    void add(std::uint32_t hash, std::string text) { all_.push_back({hash, std::move(text)}); }
    void build(); // after the last one

    /// Whether `text()` is in the set; it is called only if an element has the hash.
    template <class Text>
    [[nodiscard]] bool holds(std::uint32_t hash, Text const& text) const {
        auto const* one = first_of(hash);
        auto const* const end = all_.data() + all_.size();
        if (one == end || one->hash != hash) return false;
        std::string_view const wanted = text();
        for (; one != end && one->hash == hash; ++one) {
            if (one->text == wanted) return true;
        }
        return false;
    }

private:
    struct One {
        std::uint32_t hash = 0;
        std::string text;
    };
    // The first element whose hash is not less.
    [[nodiscard]] One const* first_of(std::uint32_t hash) const noexcept;

    std::vector<One> all_; // ordered by hash
};

} // namespace sallyport::contract
