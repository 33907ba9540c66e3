// A parsed JSON text in the layout of simdjson: the only file that depends on the layout.
//
// It is documented in simdjson's `doc/tape.md`: one 64-bit word per value, with its kind in the top
// byte, in document order; a number has a second word with its value. Values are identified by
// their index on the tape, so that facts about them are in plain arrays. One difference: a string
// without escapes stays in the text.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::contract {

/// Index of a word on the tape; also the identity of a value.
using TapeIndex = std::uint32_t;

/// The kind of a value: the top byte of its word.
enum class TapeKind : std::uint8_t {
    null = 'n',
    true_value = 't',
    false_value = 'f',
    signed_integer = 'l',
    unsigned_integer = 'u', // beyond std::int64_t
    number = 'd',
    string = '"',
    array = '[',
    array_end = ']',
    object = '{',
    object_end = '}',
    root = 'r',
};

/// The number of words of a value that is not an array or object; 0: an array, an object, or its
/// end.
inline constexpr auto scalar_words = [] {
    std::array<std::uint8_t, 256> words{};
    for (auto const kind :
         {TapeKind::null, TapeKind::true_value, TapeKind::false_value, TapeKind::string}) {
        words[static_cast<std::uint8_t>(kind)] = 1;
    }
    for (auto const kind :
         {TapeKind::signed_integer, TapeKind::unsigned_integer, TapeKind::number}) {
        words[static_cast<std::uint8_t>(kind)] = 2;
    }
    return words;
}();

/// For a string in the text the word has its offset in 32 bits, and above it its length plus one in
/// 24 bits, where simdjson has zeros. Longer strings are copied.
inline constexpr std::uint64_t max_string_in_text = 0xFF'FFFE;

/// Valid until the parser that owns the memory parses the next text.
struct Tape {
    std::uint64_t const* words = nullptr;
    std::uint8_t const* copies = nullptr; // strings, unescaped, after their 32-bit lengths
    char const* text = nullptr;           // where strings are that are not copied

    static constexpr TapeIndex first = 1; // the document's value; before it is the root word

    /// The lower 56 bits of a word.
    [[nodiscard]] std::uint64_t payload(TapeIndex at) const noexcept {
        return words[at] & 0x00FF'FFFF'FFFF'FFFFU;
    }
    [[nodiscard]] TapeKind kind(TapeIndex at) const noexcept {
        return static_cast<TapeKind>(words[at] >> 56);
    }
    /// Index of the last word, the closing root.
    [[nodiscard]] TapeIndex end() const noexcept { return static_cast<TapeIndex>(payload(0) - 1); }

    /// Index of the following value. Branches instead of one table access: a correctly predicted
    /// branch does not wait for the word before it.
    [[nodiscard]] TapeIndex next(TapeIndex at) const noexcept {
        TapeKind const one = kind(at);
        if (one == TapeKind::string) return at + 1;
        if (one == TapeKind::signed_integer) return at + 2;
        std::uint8_t const words_of_it = scalar_words[static_cast<std::uint8_t>(one)];
        if (words_of_it != 0) return at + words_of_it;
        return static_cast<TapeIndex>(words[at]);
    }
    /// The index of the last word of an array or object.
    [[nodiscard]] TapeIndex close(TapeIndex at) const noexcept {
        return static_cast<TapeIndex>(words[at]) - 1;
    }

    /// The text of a string, unescaped; may contain zero bytes.
    [[nodiscard]] std::string_view string(TapeIndex at) const noexcept {
        std::uint64_t const place = static_cast<std::uint32_t>(words[at]);
        std::uint64_t const size_and_one = words[at] >> 32 & 0xFF'FFFF;
        if (size_and_one != 0) return {text + place, size_and_one - 1};
        std::uint32_t length = 0;
        std::memcpy(&length, copies + place, sizeof length);
        return {reinterpret_cast<char const*>(copies) + place + sizeof length, length};
    }
    /// The value of a number, by its kind.
    [[nodiscard]] std::int64_t signed_value(TapeIndex at) const noexcept {
        return static_cast<std::int64_t>(words[at + 1]);
    }
    [[nodiscard]] std::uint64_t unsigned_value(TapeIndex at) const noexcept {
        return words[at + 1];
    }
    [[nodiscard]] double number_value(TapeIndex at) const noexcept {
        return std::bit_cast<double>(words[at + 1]);
    }
    /// Whether the value is a number of any kind.
    [[nodiscard]] bool is_number(TapeIndex at) const noexcept {
        TapeKind const one = kind(at);
        return one == TapeKind::signed_integer || one == TapeKind::unsigned_integer
               || one == TapeKind::number;
    }
};

/// A word of the tape.
[[nodiscard]] constexpr std::uint64_t tape_word(TapeKind kind, std::uint64_t payload) noexcept {
    return static_cast<std::uint64_t>(kind) << 56 | payload;
}

/// The word of a string that stays in the text, at offset `place`.
[[nodiscard]] constexpr std::uint64_t word_of_string(std::uint64_t place,
                                                     std::uint64_t size) noexcept {
    // Additions, which take fewer instructions than the equivalent `|`: no field overflows.
    return tape_word(TapeKind::string, std::uint64_t{1} << 32) + (size << 32) + place;
}

} // namespace sallyport::contract
