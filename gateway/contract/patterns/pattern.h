// ECMA-262 patterns, matched in linear time: translated to RE2, or refused if they have no linear
// equivalent. A pattern with look-around may become a condition on several RE2 programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace sallyport::contract {

struct PatternFormula;
struct PatternCondition;

/// Whether it is a valid ECMA-262 pattern, with or without a linear equivalent.
[[nodiscard]] bool is_pattern(std::string_view text);

/// For one thread: RE2 caches what it learns about a pattern behind a lock, which threads with a
/// common one would wait for. Large ones are shared nevertheless (copy).
class Pattern {
public:
    struct Made {
        std::unique_ptr<Pattern const> pattern; // null: see error
        std::string error;
        std::string hint;
        /// Of an error: the pattern is valid, and has no equivalent here.
        bool is_unsupported = false;
        /// What of it is not in the grammar with the flag `u`, and how it is read; empty: nothing.
        std::string warning;
        std::string warning_hint;
    };
    /// Compiles a pattern, read with the flag `u` (JSON Schema 2020-12 core, 6.4), and as
    /// ECMA-262's Annex B does where that flag allows nothing; on failure `error` and `hint` are
    /// set.
    [[nodiscard]] static Made make(std::string_view pattern);

    /// A copy for another thread.
    [[nodiscard]] std::unique_ptr<Pattern const> copy() const;

    ~Pattern();
    Pattern(Pattern const&) = delete;
    Pattern& operator=(Pattern const&) = delete;

    /// Whether the pattern is found anywhere in `text` (JSON Schema 2020-12 validation, 6.3.3).
    [[nodiscard]] bool is_in(std::string_view text) const noexcept;
    /// Upper limit for the number of steps of RE2 for a text of that many bytes: in the worst case
    /// one for each character of the pattern at each byte. Of several programs: more than there may
    /// be for any text, except for the empty one, which costs nothing; see most_looks_of_all().
    [[nodiscard]] std::uint64_t most_looks(std::size_t bytes) const noexcept {
        return bytes * steps_;
    }
    /// The same for all its programs together.
    [[nodiscard]] std::uint64_t most_looks_of_all(std::size_t bytes) const noexcept;
    /// The number of RE2 programs: 1 to 16.
    [[nodiscard]] std::size_t programs() const noexcept;

private:
    explicit Pattern(std::shared_ptr<re2::RE2 const> compiled);
    explicit Pattern(std::unique_ptr<PatternFormula const> formula);
    [[nodiscard]] static Made make(PatternCondition const& condition);

    std::shared_ptr<re2::RE2 const> compiled_; // null: see formula_
    // For several programs it is longer than any text: one comparison finds both texts that are too
    // short and these patterns, so that one program costs nothing more.
    std::uint64_t least_ = 0; // code points
    std::uint64_t most_ = UINT64_MAX;
    std::uint64_t steps_ = 1;
    std::unique_ptr<PatternFormula const> formula_;
};

} // namespace sallyport::contract
