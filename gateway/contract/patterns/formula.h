// A condition on several patterns, each with one RE2 program.
#pragma once

#include "gateway/contract/patterns/look_around.h"
#include "gateway/contract/patterns/pattern.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// One for each thread, as its patterns are.
struct PatternFormula {
    /// A pattern, or a combination of further steps.
    struct Step {
        PatternCondition::Kind kind = PatternCondition::Kind::part;
        bool is_negated = false;
        std::uint8_t part = 0; // in `parts`
        std::vector<Step> children;
    };

    std::vector<std::unique_ptr<Pattern const>> parts; // at most max_pattern_parts
    Step root;
    std::uint64_t steps = 0; // of all parts
    /// The result for the empty text, which is known at load.
    bool holds_for_nothing = false;

    /// Looks for each part at most once.
    [[nodiscard]] bool holds(std::string_view text) const noexcept;
    [[nodiscard]] std::unique_ptr<PatternFormula const> copy() const;
};

} // namespace sallyport::contract
