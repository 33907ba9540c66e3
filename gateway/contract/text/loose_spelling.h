// Path segments as lenient upstreams compare them: decoded, in any letter case, without dots and
// white space at their ends.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sallyport::contract {

/// A spelling that two segments share if an upstream may take one for the other. Only for
/// comparison: code points beyond ASCII are encoded in a special way.
class LooseSpelling {
public:
    /// The size of the longest literal: no code point takes more bytes here than its escapes.
    static constexpr std::size_t max_size = 255;

    LooseSpelling() noexcept {}

    /// Sets the text; false: the segment has an invalid escape, or is longer than any literal.
    [[nodiscard]] bool take(std::string_view segment) noexcept;
    /// The spelling; a view into this object.
    [[nodiscard]] std::string_view text() const noexcept { return {storage_.data(), size_}; }

private:
    // Not initialized: only bytes that were written are read.
    std::array<char, max_size> storage_;
    std::size_t size_ = 0;
};

} // namespace sallyport::contract
