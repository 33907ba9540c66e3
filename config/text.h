// Small helpers for error texts and for reading files: safe quoting, "did you mean", bounded reads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::config {

/// The text in double quotes for a message: control characters escaped, cut after 60 code points.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The text with its control characters escaped as in_quotes() does, for what is printed in a line.
[[nodiscard]] std::string printable(std::string_view text);

/// How messages call a byte below U+0020, or U+007F: "U+0000 (NUL)", "U+001B, a control character".
[[nodiscard]] std::string name_of_control(char c);

/// The candidate that `word` was probably meant to be: at most a third of its letters differ (case,
/// `-` and `_` aside).
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<std::string_view const> candidates);

/// `did you mean "x"?`, or `write one of a, b, c` where nothing is near; empty without candidates.
[[nodiscard]] std::string suggestion(std::string_view word,
                                     std::span<std::string_view const> candidates);

/// `a, b or c`.
[[nodiscard]] std::string list_of(std::span<std::string_view const> words);

struct FileText {
    std::string text;
    std::string
        problem; // why it could not be read ("No such file or directory"); empty: it was read
};

/// Reads a whole file, or refuses it: a folder, unreadable, larger than `limit` bytes.
[[nodiscard]] FileText read_file(std::string const& path, std::size_t limit);

} // namespace sallyport::config
