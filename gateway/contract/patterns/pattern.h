// Patterns of ECMA-262, matched in linear time: translated to RE2, or refused when they have no
// linear equivalent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace sallyport::contract {

/// The same language in RE2's syntax, or why there is none. Patterns are read with the flag `u`
/// (JSON Schema 2020-12 core, 6.4): over code points, with no escape that means nothing.
struct Translation {
    std::string text;
    /// And so many code points, no fewer and no more: of a class that is repeated from end to end.
    std::uint64_t least = 0;
    std::uint64_t most = UINT64_MAX;
    std::uint64_t steps = 0; // characters and classes, with their repetitions written out
    std::string error;       // empty: none
    std::string hint;        // what to write instead
};
[[nodiscard]] Translation translate_pattern(std::string_view pattern);
/// Whether it is a pattern of ECMA-262 at all, of linear time or not.
[[nodiscard]] bool is_pattern(std::string_view text);

/// One thread's: RE2 keeps what it learns about a pattern behind a lock, which threads that share
/// one would wait for. Large ones are shared all the same (copy).
class Pattern {
public:
    struct Made {
        std::unique_ptr<Pattern const> pattern; // null: see error
        std::string error;
        std::string hint;
    };
    [[nodiscard]] static Made make(std::string_view pattern);

    /// Another of the same, for another thread.
    [[nodiscard]] std::unique_ptr<Pattern const> copy() const;

    ~Pattern();
    Pattern(Pattern const&) = delete;
    Pattern& operator=(Pattern const&) = delete;

    /// Whether the pattern is found anywhere in `text` (JSON Schema 2020-12 validation, 6.3.3).
    [[nodiscard]] bool is_in(std::string_view text) const noexcept;
    /// How often, at most, RE2 looks at a text of so many bytes: in the worst case once for each
    /// character of the pattern at each byte.
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
