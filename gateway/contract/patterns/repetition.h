// Counted repetitions in RE2's syntax, which allows neither a count above 1000 nor nested counts
// whose product is above it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// The largest count that RE2 allows.
inline constexpr std::uint64_t max_re2_count = 1000;
/// No maximum.
inline constexpr std::uint64_t no_most = UINT64_MAX;

/// Minimum and maximum of a repetition.
struct Counts {
    std::uint64_t least = 0;
    std::uint64_t most = no_most;
};

/// `part` repeated that many times. `part` may be followed by a quantifier; `largest` is the
/// largest count that is allowed after it.
[[nodiscard]] std::string repeat(std::string_view part, Counts const& counts,
                                 std::uint64_t largest);

} // namespace sallyport::contract
