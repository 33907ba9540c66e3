// Reads the characters and escapes of an ECMA-262 pattern, with the flag `u`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sallyport::contract {

/// The rest of a pattern.
class PatternReader {
public:
    explicit PatternReader(std::string_view pattern) : rest_{pattern} {}

    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
    /// Whether the rest begins with `text`.
    [[nodiscard]] bool is_at(std::string_view text) const noexcept {
        return rest_.substr(0, text.size()) == text;
    }
    void skip(std::size_t bytes) noexcept { rest_.remove_prefix(bytes); }
    /// Skips `text` if the rest begins with it; false: it does not.
    [[nodiscard]] bool take(std::string_view text) noexcept {
        if (!is_at(text)) return false;
        skip(text.size());
        return true;
    }
    /// The next code point; not at the end.
    char32_t take_code_point() noexcept;
    /// The digits at the beginning of the rest; may be empty.
    std::string_view take_digits() noexcept;
    /// ECMA-262, 22.2.1: CharacterEscape, after the backslash; not at the end. nullopt: there is no
    /// such escape.
    std::optional<char32_t> take_character_escape() noexcept;
    /// RegExpUnicodeEscapeSequence, after `\u`; nullopt: it is invalid.
    std::optional<char32_t> take_unicode_escape() noexcept;

private:
    std::optional<char32_t> take_hex(std::size_t count) noexcept;

    std::string_view rest_;
};

} // namespace sallyport::contract
