// Writes JSON text into a fixed piece of memory: the bytes may be hostile, the memory is never
// left.
#pragma once

#include "gateway/text/digits.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::observe {

/// Written at the end of a truncated text, and in place of the omitted elements of a list.
inline constexpr std::string_view cut_mark = "[...]";

/// Bytes that JsonText::string() writes for one character at most: `\u001b`.
inline constexpr std::size_t longest_written_character = 6;

/// A cursor over [begin, end). Text that does not fit is omitted and is_full() returns true.
/// Callers size the memory for the longest text that they write, so this is only a second line of
/// defence.
class JsonText {
public:
    JsonText(char* begin, char* end) noexcept : begin_{begin}, at_{begin}, end_{end} {}

    /// Writes the text without quotes and escapes.
    void raw(std::string_view text) noexcept {
        if (text.size() > room()) {
            full_ = true;
            return;
        }
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }

    template <class Integer>
    void number(Integer value) noexcept {
        if (value >= 0 && room() >= text::most_digits) {
            if (value < 10) {
                *at_++ = static_cast<char>('0' + value);
                return;
            }
            at_ = text::put_digits(at_, static_cast<std::uint64_t>(value));
            return;
        }
        auto const [end, error] = std::to_chars(at_, end_, value);
        if (error != std::errc{}) {
            full_ = true;
            return;
        }
        at_ = end;
    }

    /// Writes a JSON string with at most `limit` bytes between its quotes, escapes counted: control
    /// characters are escaped, invalid UTF-8 becomes U+FFFD. A longer text is cut between two
    /// characters, and cut_mark follows.
    void string(std::string_view text, std::size_t limit) noexcept;

    /// string(), or null for an empty text.
    void string_or_null(std::string_view text, std::size_t limit) noexcept {
        if (text.empty()) {
            raw("null");
        } else {
            string(text, limit);
        }
    }

    /// The same with a limit in characters; an escaped character counts as one, and so does each
    /// byte that is invalid UTF-8.
    void characters_or_null(std::string_view text, std::size_t limit) noexcept {
        // A text never has more characters than bytes.
        string_or_null(text, text.size() <= limit ? limit * longest_written_character
                                                  : written_size(text, limit));
    }

    [[nodiscard]] bool is_full() const noexcept { return full_; }
    [[nodiscard]] std::string_view text() const noexcept {
        return {begin_, static_cast<std::size_t>(at_ - begin_)};
    }

private:
    void escaped_string(std::string_view text, std::size_t limit) noexcept;
    /// The size in bytes, between the quotes, of the first `characters` of a text.
    [[nodiscard]] static std::size_t written_size(std::string_view text,
                                                  std::size_t characters) noexcept;
    [[nodiscard]] std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    char* begin_;
    char* at_;
    char* end_;
    bool full_ = false;
};

/// The number of leading bytes of `text` that a JSON string may contain unescaped (printable ASCII
/// but `"` and `\`).
[[nodiscard]] std::size_t plain_prefix(std::string_view text) noexcept;

} // namespace sallyport::observe
