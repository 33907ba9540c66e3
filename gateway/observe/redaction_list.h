// The names of members whose values are secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::observe {

class FoldedName;

/// The names of members whose values are never written, compared without regard to letter case, `_`
/// and `-`. Immutable once filled; shared by all workers.
class RedactionList {
public:
    /// A name of more bytes than this (letters only, `_` and `-` left out) counts as listed
    /// whatever it says.
    static constexpr std::size_t longest_name = 256;

    RedactionList(); // the built-in names

    /// Adds a name of the configuration or a contract, in any spelling. One without letters or
    /// digits is ignored.
    void add(std::string_view name);

    /// `name`: UTF-8, without escapes.
    bool has(std::string_view name) const noexcept { return may_have(name) && is_listed(name); }

    /// `name`: as it stands between the quotes of a JSON text, escapes and all.
    bool has_escaped(std::string_view name) const noexcept;

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
    static constexpr std::size_t row_of(char byte) {
        return rows[static_cast<unsigned char>(byte)];
    }

    // False only when the name, which has no escapes, cannot be listed. Two letters or digits at
    // its end are the end of its folded form; and folding makes no name longer.
    bool may_have(std::string_view name) const noexcept {
        auto const size = name.size();
        return size < 2 || size > longest_name
               || size >= shortest_[row_of(name[size - 2])][row_of(name[size - 1])];
    }

    bool is_listed(std::string_view name) const noexcept;
    bool has_folded(FoldedName const& name) const noexcept;
    void remember_ending(std::string_view folded) noexcept;

    std::vector<std::string> names_; // folded, sorted
    /// By the rows of the last two bytes, how long the shortest name is that ends so; 0 where
    /// they do not tell.
    std::array<std::array<std::uint16_t, 32>, 32> shortest_;
};

} // namespace sallyport::observe
