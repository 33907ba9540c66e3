// The names of members whose values are secret.
#pragma once

#include "gateway/simd/blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::observe {

class FoldedName;

/// The names of members whose values are never written: compared case-insensitively and without `_`
/// and `-`, and found in longer names as whole words (README.md, "Redaction", defines a word).
/// Immutable once filled; shared by all workers.
class RedactionList {
public:
    /// A longer name in bytes (`_` and `-` left out) counts as listed.
    static constexpr std::size_t longest_name = 256;

    RedactionList(); // the built-in names and exceptions

    /// Adds a name of the configuration, in any spelling, and all names that contain it as whole
    /// words. A name without letters or digits is ignored.
    void add(std::string_view name);

    /// Adds a name that a contract marks as secret, in any spelling, but not longer names that
    /// contain it: a contract marks those itself.
    void add_alone(std::string_view name);

    /// The words of `name` do not match a listed name where they stand together, alone or in a
    /// longer name. A name that was added itself stays listed.
    void add_exception(std::string_view name);

    /// Whether `name` was added itself, in any spelling, or is a built-in one: exceptions do not
    /// apply to it.
    [[nodiscard]] bool has_itself(std::string_view name) const noexcept;

    /// `name`: UTF-8, without escapes.
    [[nodiscard]] bool has(std::string_view name) const noexcept {
        constexpr auto block = sizeof(simd::Block);
        if (name.size() < shortest_name_) return false;
        if (name.size() < block || name.size() > 2 * block) return is_listed(name);
        auto const rest = name.size() - block;
        return has(name, uneven_bytes(simd::load_block(name.data()))
                             | uneven_bytes(simd::load_block(name.data() + rest)) << rest);
    }

    /// The same; bit i of `uneven` is set if byte i of the name is not a lower-case letter. At most
    /// 32 bytes.
    [[nodiscard]] bool has(std::string_view name, std::uint32_t uneven) const noexcept {
        return may_have(name, uneven) && is_listed(name);
    }

    /// `name`: the raw text between the quotes of a JSON text, with its escapes.
    [[nodiscard]] bool has_escaped(std::string_view name) const noexcept;

    [[nodiscard]] static std::uint32_t uneven_bytes(simd::Block block) noexcept {
        return simd::mask_of((block < 'a') | (block > 'z'));
    }

private:
    // The last five bits of a letter, the same in both cases, or of a digit; 0 of all other bytes.
    static constexpr std::array<std::uint8_t, 256> rows = [] {
        std::array<std::uint8_t, 256> rows{};
        for (std::string_view const bytes :
             {"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"})
            for (char const byte : bytes)
                rows[static_cast<unsigned char>(byte)] = static_cast<unsigned char>(byte) & 31U;
        return rows;
    }();
    [[nodiscard]] static constexpr std::size_t row_of(char byte) {
        return rows[static_cast<unsigned char>(byte)];
    }

    // False only if the name, which has no escapes, cannot be listed. A word ends at the end of the
    // name, before a byte that is not a lower-case letter, or behind a digit. Two letters or digits
    // at its end are the end of its folded form; and folding makes no name longer.
    [[nodiscard]] bool may_have(std::string_view name, std::uint32_t uneven) const noexcept {
        auto const size = name.size();
        if (size < shortest_name_) return false;
        if (size > longest_told_) return true;
        auto ends = (uneven >> 1 | (uneven & uneven_ends_) | 1U << (size - 1)) & ~1U;
        for (; ends != 0; ends &= ends - 1) {
            auto const last = static_cast<std::size_t>(std::countr_zero(ends));
            auto const& ending = endings_[row_of(name[last - 1])][row_of(name[last])];
            if (last >= ending.last_of_shortest && may_end(ending, name.substr(0, last - 1)))
                return true;
        }
        return false;
    }

    // Listed names that end in the same two bytes.
    struct Ending {
        std::uint16_t last_of_shortest; // the position of the last byte at least; 0: undecided
        std::uint32_t before;           // bit i: a byte of row i precedes them; i is 0: undecided
    };

    [[nodiscard]] static bool may_end(Ending const& ending, std::string_view before) noexcept {
        return before.empty() || (ending.before >> row_of(before.back()) & 1U) != 0;
    }

    [[nodiscard]] bool is_listed(std::string_view name) const noexcept;
    [[nodiscard]] bool has_folded(FoldedName const& name) const noexcept;
    [[nodiscard]] bool has_words(FoldedName const& name) const noexcept;
    [[nodiscard]] bool ends_in_listed(FoldedName const& name, std::size_t end,
                                      std::size_t plural) const noexcept;
    void remember(std::string_view folded) noexcept;
    void remember_ending(std::string_view folded, char last) noexcept;

    std::vector<std::string> names_;      // folded, sorted
    std::vector<std::string> words_;      // of those, the ones that also match in longer names, by
                                          // their endings
    std::vector<std::string> exceptions_; // folded
    std::array<std::array<Ending, 32>, 32> endings_; // by the rows of the last two bytes
    std::size_t shortest_name_ = longest_name;
    std::size_t longest_told_ = 32; // 0: a name of one letter is listed, so the length decides
                                    // nothing
    std::uint32_t uneven_ends_ = 0; // all bits: a listed name ends in a digit
};

} // namespace sallyport::observe
