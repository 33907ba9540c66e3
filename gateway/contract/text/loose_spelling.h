// Segments of paths as lenient upstreams compare them: decoded, in any letter case, without dots
// and white space at their ends.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sallyport::contract {

/// What two segments have in common that some upstream may take for one. Not text to read: code
/// points beyond ASCII are written in a way of their own.
class LooseSpelling {
public:
    /// As long as the longest literal: no code point takes more room here than in its escapes.
    static constexpr std::size_t max_size = 255;

    LooseSpelling() noexcept {}

    /// False: the segment has none that is short enough to be a literal's, or a bad escape.
    [[nodiscard]] bool take(std::string_view segment) noexcept;
    [[nodiscard]] std::string_view text() const noexcept { return {storage_.data(), size_}; }

private:
    // Only what was written is read.
    std::array<char, max_size> storage_;
    std::size_t size_ = 0;
};

} // namespace sallyport::contract
