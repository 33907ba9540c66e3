// The rules of an operation.
#include "gateway/contract/rule_list.h"

#include "gateway/contract/schema/program.h"

#include <set>

namespace sallyport::contract {

std::vector<ListedRule> list_rules(Contract const& contract, std::uint32_t operation) {
    Program const& program = contract.program();
    std::vector<ListedRule> out;
    std::set<std::string_view> known;
    for (auto const& schema : program.schemas) {
        if (schema.operation != operation) continue;
        for (RuleIndex number = schema.first_rule; number < schema.end_rule; ++number) {
            Rule const& rule = program.rules[number];
            // Several media types may have one schema: the level of a pointer is that of both.
            if (!rule.is_condition && known.insert(rule.pointer).second)
                out.push_back({rule.pointer, rule.keyword, rule.phrase});
        }
    }
    return out;
}

} // namespace sallyport::contract
