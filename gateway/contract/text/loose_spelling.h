// Path segments as lenient upstreams compare them: decoded, in any letter case, without dots and
// white space at their ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sallyport::contract {

/// Whether white space and dots at the ends are removed. `no` is for a part of a segment.
enum class Trim : std::uint8_t { no, yes };

/// Writes the loose spelling of a segment into `out` and returns its size; nullopt: the segment has
/// an invalid escape, or its spelling is longer than `out`.
[[nodiscard]] std::optional<std::size_t> spell_loosely(std::string_view segment,
                                                       std::span<char> out, Trim trim) noexcept;

/// A spelling that two segments share if an upstream may take one for the other. Only for
/// comparison: a code point beyond ASCII takes four bytes, none of which is ASCII, and only the
/// first of which can begin one. `Size` is that of the longest spelling.
template <std::size_t Size>
class LooseSpellingOf {
public:
    LooseSpellingOf() noexcept {}

    /// Sets the text; false: the segment has an invalid escape, or is too long.
    [[nodiscard]] bool take(std::string_view segment, Trim trim = Trim::yes) noexcept {
        auto const size = spell_loosely(segment, storage_, trim);
        size_ = size.value_or(0);
        return size.has_value();
    }
    /// The spelling; a view into this object.
    [[nodiscard]] std::string_view text() const noexcept { return {storage_.data(), size_}; }

private:
    // Not initialized: only bytes that were written are read.
    std::array<char, Size> storage_;
    std::size_t size_ = 0;
};

/// The size of the longest literal: no code point takes more bytes here than its escapes.
using LooseSpelling = LooseSpellingOf<255>;

} // namespace sallyport::contract
