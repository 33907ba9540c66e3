// Rules of compiled schemas that are read, or taken out, for texts and fields.
#include "gateway/contract/schema/accepted.h"
#include "gateway/contract/schema/walk_in_place.h"

namespace sallyport::contract {

std::optional<std::string> take_sizes(Program& program, std::vector<SchemaInPlace> const& schemas,
                                      std::vector<SizeLimit>& sizes) {
    std::vector<std::uint32_t> taken;
    std::optional<std::string> fault;
    constexpr unsigned whole = value_bits::string;
    visit_in_place(program, schemas, whole, [&](SchemaNode const& node, Effect effect) {
        if (has_constants(program, node)) fault = "enum or const";
        for (std::uint32_t i = node.string; i < node.array; ++i) {
            Instruction const& one = program.instructions[i];
            if (one.op == Op::pattern) fault = "pattern";
            if (one.op != Op::min_length && one.op != Op::max_length) continue;
            if (effect != Effect::always) fault = "a length inside anyOf, oneOf, if or not";
            taken.push_back(i);
        }
    });
    if (fault) return fault;
    for (std::uint32_t const i : taken) {
        Instruction& one = program.instructions[i];
        bool const is_least = one.op == Op::min_length;
        sizes.push_back({is_least, one.operand, one.rule});
        // What remains is valid for every text.
        one.operand = is_least ? 0 : UINT64_MAX;
        auto& phrase = program.rules[one.rule].phrase; // "must have at most 5 characters"
        constexpr std::string_view unit = "character";
        if (auto const at = phrase.find(unit); at != std::string::npos)
            phrase.replace(at, unit.size(), "byte");
    }
    return std::nullopt;
}

void read_others(Program const& program, NodeIndex index, Parameter& object) {
    object.takes_others = object.members.empty();
    constexpr unsigned whole = value_bits::object;
    SchemaInPlace const schema{index};
    visit_in_place(program, schema, whole, [&](SchemaNode const& node, Effect effect) {
        for (std::uint32_t i = node.object; i < node.end; ++i) {
            Instruction const& instruction = program.instructions[i];
            auto const operand = static_cast<std::size_t>(instruction.operand);
            RuleIndex closed_by = no_rule;
            bool has_other_rules = true;
            if (instruction.op == Op::members) {
                MemberTable const& table = program.member_tables[operand];
                if (table.patterns.empty()) closed_by = table.additional_rule;
                has_other_rules = table.additional != anything || !table.patterns.empty();
            } else if (instruction.op == Op::unevaluated_properties) {
                closed_by = program.unevaluated[operand].rule;
                has_other_rules = program.unevaluated[operand].node != anything;
            }
            if (closed_by != no_rule && effect == Effect::always) {
                object.closed_by = closed_by;
            } else if (has_other_rules || closed_by != no_rule) {
                object.takes_others = true;
            }
        }
    });
    // The object does not own properties that it forbids.
    if (object.closed_by) object.takes_others = false;
}

} // namespace sallyport::contract
