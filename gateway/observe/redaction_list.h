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
    bool has(std::string_view name) const noexcept;

    /// `name`: as it stands between the quotes of a JSON text, escapes and all.
    bool has_escaped(std::string_view name) const noexcept;

private:
    bool may_have(std::string_view name) const noexcept;
    bool has_folded(FoldedName const& name) const noexcept;
    void remember_ending(std::string_view folded) noexcept;

    std::vector<std::string> names_; // folded, sorted
    /// By the last two letters, five bits of each, how long the shortest name is that ends so:
    /// folding makes no name longer, so most are told apart by this.
    std::array<std::array<std::uint16_t, 32>, 32> shortest_;
    std::uint32_t single_letters_ = 0; // names of one letter, by five bits of it
};

} // namespace sallyport::observe
