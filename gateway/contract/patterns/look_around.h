// Look-around without backtracking: a pattern becomes a condition on patterns that have none.
#pragma once

#include "gateway/contract/patterns/pattern_tree.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::contract {

/// The largest number of parts of a condition.
inline constexpr std::size_t max_pattern_parts = 16;

/// A pattern that is found in the text or not, or a combination of such conditions.
struct PatternCondition {
    enum class Kind : std::uint8_t { part, all_of, any_of };
    Kind kind = Kind::part;
    bool is_negated = false;
    Alternatives part; // without look-around
    std::vector<PatternCondition> children;
};

/// A condition that holds for exactly the texts in which the pattern is found, or an error.
struct SplitPattern {
    PatternCondition condition;
    std::string error; // empty: none
    std::string hint;
};

/// Splits a pattern. That is possible for look-around
/// - at a place that is known without matching: at a fixed number of characters after `^`, or
///   before `$` (only look-ahead in the first case, only look-behind in the second, both at the
///   anchor itself);
/// - that may as well be matched as a part of the text: `x(?=y)` at the end is found where `xy` is.
[[nodiscard]] SplitPattern split_look_around(Alternatives const& pattern);

} // namespace sallyport::contract
