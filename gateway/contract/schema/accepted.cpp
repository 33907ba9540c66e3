// Which kinds of values a compiled schema takes.
#include "gateway/contract/schema/accepted.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// Calls `visit` with every instruction that a value of the schema, or of those that it is made of
// by allOf and `$ref`, is always asked. They cannot lead back here: that does not load.
template <class Visit>
void visit_instructions(Program const& program, NodeIndex index, Visit const& visit) {
    if (index == anything) return;
    SchemaNode const& node = program.nodes[index];
    for (std::uint32_t i = node.any; i < node.end; ++i) {
        Instruction const& instruction = program.instructions[i];
        visit(instruction);
        if (instruction.op != Op::all_of) continue;
        for (NodeIndex const child :
             program.children[static_cast<std::size_t>(instruction.operand)].nodes) {
            visit_instructions(program, child, visit);
        }
    }
}

} // namespace

std::uint8_t accepted_types(Program const& program, NodeIndex index) {
    if (index == anything) return value_bits::any;
    auto const& node = program.nodes[index];
    unsigned types = node.types;
    if (node.is_nullable) types |= value_bits::null;
    for (std::uint32_t i = node.any; i < node.number; ++i) {
        Instruction const& instruction = program.instructions[i];
        bool const is_all = instruction.op == Op::all_of;
        if (!is_all && instruction.op != Op::any_of && instruction.op != Op::one_of) continue;
        unsigned some = 0;
        for (NodeIndex const child :
             program.children[static_cast<std::size_t>(instruction.operand)].nodes) {
            unsigned const one = accepted_types(program, child);
            if (is_all) types &= one;
            some |= one;
        }
        types &= some;
    }
    return static_cast<std::uint8_t>(types);
}

std::uint8_t accepted_item_types(Program const& program, NodeIndex index) {
    unsigned types = value_bits::any;
    visit_instructions(program, index, [&](Instruction const& instruction) {
        if (instruction.op != Op::items) return;
        ItemList const& list = program.item_lists[static_cast<std::size_t>(instruction.operand)];
        types &= accepted_types(program, list.rest);
        for (NodeIndex const one : list.prefix)
            types |= accepted_types(program, one);
    });
    return static_cast<std::uint8_t>(types);
}

std::vector<Parameter::Member> members_of(Program const& program, NodeIndex index) {
    std::vector<Parameter::Member> found;
    visit_instructions(program, index, [&](Instruction const& instruction) {
        if (instruction.op != Op::members) return;
        MemberTable const& table =
            program.member_tables[static_cast<std::size_t>(instruction.operand)];
        for (Member const& member : table.members) {
            bool const takes_string =
                (accepted_types(program, member.node) & value_bits::string) != 0;
            auto const known =
                std::find_if(found.begin(), found.end(), [&member](Parameter::Member const& one) {
                    return one.name == member.name;
                });
            if (known == found.end()) {
                found.push_back({member.name, takes_string});
            } else {
                known->takes_string = known->takes_string && takes_string;
            }
        }
    });
    return found;
}

std::uint8_t accepted_additional_types(Program const& program, NodeIndex index) {
    unsigned types = value_bits::any;
    visit_instructions(program, index, [&](Instruction const& instruction) {
        if (instruction.op != Op::members) return;
        auto const& table = program.member_tables[static_cast<std::size_t>(instruction.operand)];
        types &= accepted_types(program, table.additional);
    });
    return static_cast<std::uint8_t>(types);
}

} // namespace sallyport::contract
