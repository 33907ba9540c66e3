// Writes JSON text into a fixed piece of memory: the bytes may be hostile, the memory is never
// left.
#pragma once

#include "gateway/text/digits.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::observe {

/// Written at the end of a truncated text, and in place of the omitted elements of a list.
inline constexpr std::string_view cut_mark = "[...]";

/// Bytes that JsonText::string() writes for one character at most: `\u001b`.
inline constexpr std::size_t longest_written_character = 6;

/// A number that is null in the text if it is negative.
struct NumberOrNull {
    std::int64_t value;
};

/// A cursor over [begin, end). Text that does not fit is omitted and is_full() returns true.
/// Callers size the memory for the longest text that they write, so this is only a second line of
/// defence.
class JsonText {
public:
    JsonText(char* begin, char* end) noexcept : begin_{begin}, at_{begin}, end_{end} {}

    /// Writes texts, without quotes and escapes, and numbers, one after the other: all of them, or
    /// none if there may be no room for all. With one look at the room, so that a line of many
    /// constants and numbers is written in as few instructions as one copy of it.
    template <class... Parts>
    void raw(Parts const&... parts) noexcept {
        if ((most_of(parts) + ...) > room()) {
            full_ = true;
            return;
        }
        (put(parts), ...);
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
    // Copying a literal takes a few moves.
    template <std::size_t Size>
    static constexpr std::size_t most_of(char const (&)[Size]) noexcept {
        return Size - 1;
    }
    template <std::size_t Size>
    void put(char const (&literal)[Size]) noexcept {
        std::memcpy(at_, literal, Size - 1);
        at_ += Size - 1;
    }
    static constexpr std::size_t most_of(std::string_view text) noexcept { return text.size(); }
    template <std::unsigned_integral Number>
    static constexpr std::size_t most_of(Number) noexcept {
        return text::most_digits;
    }
    static constexpr std::size_t most_of(NumberOrNull) noexcept { return text::most_digits; }
    void put(std::string_view text) noexcept {
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    template <std::unsigned_integral Number>
    void put(Number number) noexcept {
        if (number < 10) {
            *at_++ = static_cast<char>('0' + number);
        } else {
            at_ = text::put_digits(at_, number);
        }
    }
    void put(NumberOrNull number) noexcept {
        if (number.value < 0) {
            put("null");
        } else {
            put(static_cast<std::uint64_t>(number.value));
        }
    }

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
