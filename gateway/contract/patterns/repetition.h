// Counted repetitions in RE2's syntax, which takes no count above 1000, nor counts inside each
// other whose product is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

inline constexpr std::uint64_t max_re2_count = 1000;
inline constexpr std::uint64_t no_most = UINT64_MAX;

struct Counts {
    std::uint64_t least = 0;
    std::uint64_t most = no_most;
};

/// `part`, which may be followed by a quantifier, so many times; `largest`: the largest count that
/// may stand behind it.
[[nodiscard]] std::string repeat(std::string_view part, Counts const& counts,
                                 std::uint64_t largest);

} // namespace sallyport::contract
