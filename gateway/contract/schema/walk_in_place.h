// The schemas of a program that apply to the same value: for the files that say what schemas accept.
#pragma once

#include "gateway/contract/schema/accepted.h"
#include "gateway/contract/schema/program.h"

#include <algorithm>
#include <vector>

namespace sallyport::contract {

[[nodiscard]] inline Effect weaker(Effect one, Effect other) noexcept {
    return std::max(one, other);
}

// Calls `visit` with every schema that may apply to the same value as `schema`, if its type is one
// of `whole` (value_bits). There are no cycles: such contracts do not load.
template <class Visit>
void visit_in_place(Program const& program, SchemaInPlace const& schema, unsigned whole,
                    Visit const& visit) {
    if (schema.node == anything) return;
    SchemaNode const& node = program.nodes[schema.node];
    visit(node, schema.effect);
    auto const go_on = [&](NodeIndex child, Effect how) {
        visit_in_place(program, SchemaInPlace{child, weaker(schema.effect, how)}, whole, visit);
    };
    auto const is_possible = [&program, whole](NodeIndex child) {
        return (accepted_types(program, child) & whole) != 0;
    };
    for (std::uint32_t i = node.any; i < node.end; ++i) {
        auto const operand = static_cast<std::size_t>(program.instructions[i].operand);
        switch (program.instructions[i].op) {
        case Op::all_of:
            for (NodeIndex const child : program.children[operand].nodes)
                go_on(child, Effect::always);
            break;
        case Op::any_of:
        case Op::one_of: {
            // The only branch for such a type always applies to it.
            auto const& branches = program.children[operand].nodes;
            bool const is_one = std::count_if(branches.begin(), branches.end(), is_possible) == 1;
            for (NodeIndex const child : branches)
                if (is_possible(child)) go_on(child, is_one ? Effect::always : Effect::perhaps);
            break;
        }
        case Op::negation: go_on(static_cast<NodeIndex>(operand), Effect::condition); break;
        case Op::condition: {
            Conditional const& one = program.conditionals[operand];
            go_on(one.if_node, Effect::condition);
            go_on(one.then_node, Effect::perhaps);
            go_on(one.else_node, Effect::perhaps);
            break;
        }
        case Op::when: go_on(program.whens[operand].node, Effect::perhaps); break;
        case Op::members:
            for (DependentSchema const& one : program.member_tables[operand].dependent_schemas)
                go_on(one.node, Effect::perhaps);
            break;
        default: break;
        }
    }
}

template <class Visit>
void visit_in_place(Program const& program, std::vector<SchemaInPlace> const& schemas,
                    unsigned whole, Visit const& visit) {
    for (SchemaInPlace const& one : schemas)
        visit_in_place(program, one, whole, visit);
}

// Whether lists or objects are compared as a whole, with enum or const.
[[nodiscard]] inline bool has_constants(Program const& program, SchemaNode const& node) noexcept {
    auto const begin = program.instructions.begin();
    return std::any_of(begin + node.any, begin + node.number,
                       [](Instruction const& one) { return one.op == Op::constant; });
}

} // namespace sallyport::contract
