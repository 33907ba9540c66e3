// Writes JSON text into a fixed piece of memory: the bytes may be hostile, the memory is never
/// left.
#pragma once

#include "gateway/text/digits.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::observe {

/// Stands at the end of a text that was cut, and for the elements of a list that were left out.
inline constexpr std::string_view cut_mark = "[...]";

/// Bytes that JsonText::string() writes for one character at most: `\u001b`.
inline constexpr std::size_t longest_written_character = 6;

/// A cursor over [begin, end). What does not fit is left out and is_full() says so: callers size
/// the memory for the longest text they can write, so that this is a second wall and not a
/// behaviour.
class JsonText {
public:
    JsonText(char* begin, char* end) noexcept : begin_{begin}, at_{begin}, end_{end} {}

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

    /// A JSON string of at most `limit` bytes between its quotes, escapes counted: control
    /// characters escaped, what is no UTF-8 as U+FFFD. A longer text is cut between two characters,
    /// and cut_mark follows.
    void string(std::string_view text, std::size_t limit) noexcept;

    /// string(), or null for an empty text.
    void string_or_null(std::string_view text, std::size_t limit) noexcept {
        if (text.empty()) {
            raw("null");
        } else {
            string(text, limit);
        }
    }

    /// The same with a limit in characters, an escaped one counted as one, and each byte that is no
    /// UTF-8 too.
    void characters_or_null(std::string_view text, std::size_t limit) noexcept {
        // No text has more characters than bytes.
        string_or_null(text, text.size() <= limit ? limit * longest_written_character
                                                  : written_size(text, limit));
    }

    [[nodiscard]] bool is_full() const noexcept { return full_; }
    [[nodiscard]] std::string_view text() const noexcept {
        return {begin_, static_cast<std::size_t>(at_ - begin_)};
    }

private:
    void escaped_string(std::string_view text, std::size_t limit) noexcept;
    /// Of the first `characters` of a text, in bytes between the quotes.
    [[nodiscard]] static std::size_t written_size(std::string_view text,
                                                  std::size_t characters) noexcept;
    [[nodiscard]] std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    char* begin_;
    char* at_;
    char* end_;
    bool full_ = false;
};

/// The number of leading bytes of `text` that a JSON string may hold as they are (printable ASCII
/// but `"` and `\`).
[[nodiscard]] std::size_t plain_prefix(std::string_view text) noexcept;

} // namespace sallyport::observe
