// The rules of a compiled schema: its own, and those of the shared schemas that it leads to.
#pragma once

#include "gateway/contract/schema/program.h"

#include <vector>

namespace sallyport::contract {

/// Calls `visit` with the number of each rule that belongs to this schema alone.
template <class Visit>
void for_each_own_rule(Program const& program, CompiledSchema const& schema, Visit const& visit) {
    for (RuleIndex rule = schema.first_rule; rule < schema.end_rule; ++rule) {
        if (program.rules[rule].shared == not_shared) visit(rule);
    }
}

/// The rules of all shared schemas that it leads to, in the order of their numbers. Takes a time
/// that grows with the contract.
[[nodiscard]] std::vector<RuleIndex> shared_rules_of(Program const& program,
                                                     CompiledSchema const& schema);

} // namespace sallyport::contract
