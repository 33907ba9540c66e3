// The rules of the shared schemas that a schema leads to.
#include "gateway/contract/schema/rules_of.h"

namespace sallyport::contract {

std::vector<RuleIndex> shared_rules_of(Program const& program, CompiledSchema const& schema) {
    std::vector<RuleIndex> rules;
    if (schema.refers_to.empty()) return rules;
    std::vector<bool> is_reached(program.shared.size());
    std::vector<std::uint32_t> open = schema.refers_to;
    while (!open.empty()) {
        std::uint32_t const number = open.back();
        open.pop_back();
        if (is_reached[number]) continue;
        is_reached[number] = true;
        auto const& next = program.shared[number].refers_to;
        open.insert(open.end(), next.begin(), next.end());
    }
    for (RuleIndex rule = 0; rule < program.rules.size(); ++rule) {
        std::uint32_t const owner = program.rules[rule].shared;
        if (owner != not_shared && is_reached[owner]) rules.push_back(rule);
    }
    return rules;
}

} // namespace sallyport::contract
