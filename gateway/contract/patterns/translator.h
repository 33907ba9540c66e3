// A pattern without look-around in RE2's syntax.
#pragma once

#include "gateway/contract/patterns/pattern_tree.h"

#include <cstdint>
#include <string>

namespace sallyport::contract {

/// The same language in RE2's syntax, or an error.
struct Translation {
    std::string text;
    /// Additional limits for the number of code points: for a repeated class that is the whole
    /// pattern.
    std::uint64_t least = 0;
    std::uint64_t most = UINT64_MAX;
    std::uint64_t steps = 1; // characters and classes, with repetitions expanded
    std::string error;       // empty: none
    std::string hint;        // what to write instead
};
/// Translates a tree without look-around; on failure `error` and `hint` are set.
[[nodiscard]] Translation translate_pattern(Alternatives const& alternatives);

} // namespace sallyport::contract
