// Finds and checks plain rules: the schemas that can be checked on the text of a value.
#include "gateway/contract/evaluate/plain_rule.h"

#include "gateway/contract/schema/format.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace sallyport::contract {

namespace {

[[nodiscard]] bool is_answered_by_text(Program const& program, NodeIndex index) {
    if (index == anything) return true;
    SchemaNode const& node = program.nodes[index];
    if (node.is_tracker || (node.types & value_bits::string) == 0) return false;
    auto const is_answered = [&program](Instruction const& instruction) {
        switch (instruction.op) {
        case Op::constant:
        case Op::min_length:
        case Op::max_length:
        case Op::pattern:
        case Op::string_format: return true;
        case Op::all_of: {
            auto const& nodes = program.children[instruction.operand].nodes;
            return std::all_of(nodes.begin(), nodes.end(), [&program](NodeIndex child) {
                return is_answered_by_text(program, child);
            });
        }
        default: return false;
        }
    };
    auto const begin = program.instructions.begin();
    return std::all_of(begin + node.any, begin + node.number, is_answered)
           && std::all_of(begin + node.string, begin + node.array, is_answered);
}

[[nodiscard]] bool takes(Program const& program, NodeIndex node, std::string_view text,
                         OwnPatterns& patterns);

[[nodiscard]] bool takes(Program const& program, Instruction const& instruction,
                         std::string_view text, OwnPatterns& patterns) {
    auto const operand = static_cast<std::size_t>(instruction.operand);
    switch (instruction.op) {
    case Op::constant: return program.constants[operand].strings.holds(text);
    // A text that is all ASCII has as many characters as bytes.
    case Op::min_length: return text.size() >= operand;
    case Op::max_length: return text.size() <= operand;
    case Op::pattern: patterns.use(program); return patterns.of(program, operand).is_in(text);
    case Op::string_format: return has_format(static_cast<Format>(operand), text);
    case Op::all_of: {
        auto const& nodes = program.children[operand].nodes;
        return std::all_of(nodes.begin(), nodes.end(),
                           [&](NodeIndex child) { return takes(program, child, text, patterns); });
    }
    default: return false;
    }
}

[[nodiscard]] bool takes(Program const& program, NodeIndex index, std::string_view text,
                         OwnPatterns& patterns) {
    if (index == anything) return true;
    SchemaNode const& node = program.nodes[index];
    auto const is_taken = [&](Instruction const& instruction) {
        return takes(program, instruction, text, patterns);
    };
    auto const begin = program.instructions.begin();
    return std::all_of(begin + node.any, begin + node.number, is_taken)
           && std::all_of(begin + node.string, begin + node.array, is_taken);
}

// RFC 8259, 6: an integer in its JSON spelling, with so few digits that it fits into 64 bits.
[[nodiscard]] bool is_integer_within(std::string_view text, std::int64_t lowest,
                                     std::int64_t highest) noexcept {
    std::string_view digits = text;
    if (!digits.empty() && digits.front() == '-') digits.remove_prefix(1);
    bool const is_spelled = !digits.empty()
                            && digits.size() <= std::numeric_limits<std::int64_t>::digits10
                            && (digits.front() != '0' || digits.size() == 1);
    std::int64_t value = 0;
    if (!is_spelled) return false;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ptr == text.data() + text.size() && value >= lowest && value <= highest;
}

} // namespace

PlainRule find_plain_rule(Program const& program, NodeIndex root, Reading const& reading) {
    PlainRule rule;
    if (root == anything) return rule;
    SchemaNode const& node = program.nodes[root];
    bool const is_text = !reading.numbers && !reading.words && !reading.null;
    if (is_text || reading.or_text) {
        if (!is_answered_by_text(program, root)) return rule;
        rule.text_node = root;
        bool const is_one_rule = node.any == node.number && node.array - node.string == 1;
        if (!is_one_rule) return rule;
        Instruction const& only = program.instructions[node.string];
        rule.requires_uuid =
            only.op == Op::string_format && static_cast<Format>(only.operand) == Format::uuid;
        return rule;
    }
    AtOnce const& at_once = node.at_once;
    rule.takes_words = reading.words && (at_once.kinds & value_bits::boolean) != 0;
    if (!reading.numbers) return rule;
    bool const takes_every_number = (at_once.kinds & (value_bits::integer | value_bits::number)) != 0;
    rule.lowest = takes_every_number ? std::numeric_limits<std::int64_t>::min() : at_once.lowest;
    rule.highest = takes_every_number ? std::numeric_limits<std::int64_t>::max() : at_once.highest;
    return rule;
}

bool holds_plainly(Program const& program, PlainRule const& rule, std::string_view text,
                   OwnPatterns& patterns) {
    if (rule.text_node != anything) return takes(program, rule.text_node, text, patterns);
    if (rule.takes_words && (text == "true" || text == "false")) return true;
    return rule.lowest <= rule.highest && is_integer_within(text, rule.lowest, rule.highest);
}

} // namespace sallyport::contract
