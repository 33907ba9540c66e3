// Evaluates conditions on several patterns.
#include "gateway/contract/patterns/formula.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

using Kind = PatternCondition::Kind;

[[nodiscard]] bool is_true(PatternFormula const& formula, PatternFormula::Step const& step,
                           std::string_view text) noexcept {
    auto const holds = [&formula, text](PatternFormula::Step const& child) {
        return is_true(formula, child, text);
    };
    auto const& children = step.children;
    bool result = false;
    switch (step.kind) {
    case Kind::part: result = formula.parts[step.part]->is_in(text); break;
    case Kind::all_of: result = std::all_of(children.begin(), children.end(), holds); break;
    case Kind::any_of: result = std::any_of(children.begin(), children.end(), holds); break;
    }
    return result != step.is_negated;
}

} // namespace

bool PatternFormula::holds(std::string_view text) const noexcept {
    return is_true(*this, root, text);
}

std::unique_ptr<PatternFormula const> PatternFormula::copy() const {
    auto other = std::make_unique<PatternFormula>();
    for (auto const& part : parts)
        other->parts.push_back(part->copy());
    other->root = root;
    other->steps = steps;
    other->holds_for_nothing = holds_for_nothing;
    return other;
}

} // namespace sallyport::contract
