// The rules of an operation.
#include "gateway/contract/rule_list.h"

#include "gateway/contract/schema/rules_of.h"

#include <set>

namespace sallyport::contract {

std::vector<ListedRule> list_rules(Contract const& contract, std::uint32_t operation) {
    Program const& program = contract.program();
    std::vector<ListedRule> out;
    std::set<std::string_view> known;
    for (auto const& schema : program.schemas) {
        if (schema.operation != operation) continue;
        auto const add = [&](RuleIndex number) {
            Rule const& rule = program.rules[number];
            // Several media types may have one schema: the level of a pointer is that of both.
            if (!rule.is_condition && known.insert(rule.pointer).second)
                out.push_back({rule.pointer, rule.keyword, rule.phrase});
        };
        for_each_own_rule(program, schema, add);
        for (RuleIndex const number : shared_rules_of(program, schema))
            add(number);
    }
    return out;
}

} // namespace sallyport::contract
