// ECMA-262 patterns, matched in linear time: translated to RE2, or refused if they have no linear
// equivalent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace sallyport::contract {

/// The same language in RE2's syntax, or an error. Patterns are read with the flag `u` (JSON Schema
/// 2020-12 core, 6.4): by code points, and unknown escapes are errors.
struct Translation {
    std::string text;
    /// Additional limits for the number of code points: for a repeated class that is the whole
    /// pattern.
    std::uint64_t least = 0;
    std::uint64_t most = UINT64_MAX;
    std::uint64_t steps = 0; // characters and classes, with repetitions expanded
    std::string error;       // empty: none
    std::string hint;        // what to write instead
};
/// Translates a pattern; on failure `error` and `hint` are set.
[[nodiscard]] Translation translate_pattern(std::string_view pattern);
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
    };
    /// Compiles a pattern; on failure `error` and `hint` are set.
    [[nodiscard]] static Made make(std::string_view pattern);

    /// A copy for another thread.
    [[nodiscard]] std::unique_ptr<Pattern const> copy() const;

    ~Pattern();
    Pattern(Pattern const&) = delete;
    Pattern& operator=(Pattern const&) = delete;

    /// Whether the pattern is found anywhere in `text` (JSON Schema 2020-12 validation, 6.3.3).
    [[nodiscard]] bool is_in(std::string_view text) const noexcept;
    /// Upper limit for the number of steps of RE2 for a text of that many bytes: in the worst case
    /// one for each character of the pattern at each byte.
    [[nodiscard]] std::uint64_t most_looks(std::size_t bytes) const noexcept {
        return bytes * steps_;
    }

private:
    explicit Pattern(std::shared_ptr<re2::RE2 const> compiled);
    std::shared_ptr<re2::RE2 const> compiled_;
    std::uint64_t least_ = 0; // code points
    std::uint64_t most_ = UINT64_MAX;
    std::uint64_t steps_ = 1;
};

} // namespace sallyport::contract
