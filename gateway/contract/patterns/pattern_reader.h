// Reads the characters of an ECMA-262 pattern, as themselves and as escapes, with the flag `u`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sallyport::contract {

/// What is left of a pattern.
class PatternReader {
public:
    explicit PatternReader(std::string_view pattern) : rest_{pattern} {}

    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
    [[nodiscard]] bool is_at(std::string_view text) const noexcept {
        return rest_.substr(0, text.size()) == text;
    }
    void skip(std::size_t bytes) noexcept { rest_.remove_prefix(bytes); }
    [[nodiscard]] bool take(std::string_view text) noexcept {
        if (!is_at(text)) return false;
        skip(text.size());
        return true;
    }
    /// Not at the end.
    char32_t take_code_point() noexcept;
    /// The digits that stand here, which may be none.
    std::string_view take_digits() noexcept;
    /// ECMA-262, 22.2.1: CharacterEscape, behind the backslash; not at the end. nullopt: it means
    /// nothing.
    std::optional<char32_t> take_character_escape() noexcept;
    /// RegExpUnicodeEscapeSequence, behind `\u`; nullopt: it is none.
    std::optional<char32_t> take_unicode_escape() noexcept;

private:
    std::optional<char32_t> take_hex(std::size_t count) noexcept;

    std::string_view rest_;
};

} // namespace sallyport::contract
