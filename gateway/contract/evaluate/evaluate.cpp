// Runs a compiled schema over one parsed text: the loop, and nested schemas.
#include "gateway/contract/evaluate/evaluate.h"

namespace sallyport::contract {

namespace {

// The work limit for a text, against denial of service by schemas that apply very many rules to
// each value. A unit is one schema applied to one value, or work of the same duration: 5 to 10 ns.
// Building the tape takes 2 to 4 ns per word, and 0.2 ns per byte of long strings: validation takes
// up to 20 times as long as that, or less than 10 ms if that is more.
constexpr std::uint64_t budget_per_word = 4;
constexpr std::uint64_t budget_per_byte = 1;
constexpr std::uint64_t least_budget = 1'000'000;
// For patterns, in the worst case of each: about a second in RE2's slowest mode.
constexpr std::uint64_t most_looks = 64'000'000;
// Limit for schemas that are checked at the same time, one inside the other: they are on the
// thread's stack. A schema in place of another, as by allOf or $ref, counts like one of a property.
constexpr std::size_t most_open = 2048;

} // namespace

bool Evaluator::run(Program const& program, SchemaPart schema, Subject const& subject,
                    Conditions const& conditions, LevelTable const& levels, Report& report) {
    program_ = &program;
    subject_ = subject;
    tape_ = subject.tape;
    conditions_ = &conditions;
    levels_ = &levels;
    schema_ = schema.schema;
    report_ = &report;
    if (!program.patterns.empty()) patterns_.use(program);
    mode_ = Mode::asserted;
    soft_failures_ = 0;
    std::uint64_t const words = tape_.end();
    whole_budget_ = least_budget + words * budget_per_word + subject.size * budget_per_byte;
    budget_ = whole_budget_;
    looks_ = most_looks;
    verdicts_.begin(words);
    hashes_.begin(subject.has_large_numbers ? ValueHashes::StandIns::yes
                                            : ValueHashes::StandIns::no);
    found_ = {};
    steps_.clear();
    seen_.clear();
    open_ = 0;
    is_tracking_ = false;
    frame_ = 0;
    evaluated_.clear();
    evaluated_marks_.clear();
    evaluated_epoch_ = 0;
    check(schema.node, Tape::first);
    return budget_ != 0;
}

void Evaluator::give_back() {
    Evaluator fresh;
    fresh.patterns_ = std::move(patterns_);
    fresh.budget_ = budget_;
    fresh.whole_budget_ = whole_budget_;
    *this = std::move(fresh);
}

bool Evaluator::check(NodeIndex index, TapeIndex at) {
    if (index == anything) return true;
    // When the budget is spent, the result no longer matters: return as fast as possible.
    if (budget_ == 0 || --budget_ == 0) return true;
    TapeKind const kind = tape_.kind(at);
    bool const holds_others = kind == TapeKind::object || kind == TapeKind::array;
    // Not if a schema around it depends on what is evaluated.
    if (holds_others && !is_tracking_ && subject_.facts->has_passed(index, at)) return true;
    if (!holds_others && mode_ == Mode::survey) return true; // no values in it
    if (open_ == most_open) {
        budget_ = 0;
        return true;
    }
    ++open_;
    SchemaNode const& node = program_->nodes[index];
    bool holds = true;
    if (!is_tracking_ && node.is_recursive && holds_others) {
        holds = check_recursive(index, at);
    } else {
        holds = is_tracking_ || node.is_tracker ? check_tracked(node, at) : check_rules(node, at);
    }
    --open_;
    return holds;
}

// Arrays and objects, if no schema depends on what is evaluated. Violations of one are recorded
// once.
bool Evaluator::check_recursive(NodeIndex index, TapeIndex at) {
    spend(3); // the table is mostly not in the caches
    if (auto const known = verdicts_.find(index, at, mode_)) {
        if (*known == Fit::with_reports) ++soft_failures_;
        return *known != Fit::no;
    }
    std::uint64_t const before = soft_failures_;
    SchemaNode const& node = program_->nodes[index];
    bool const holds = node.is_tracker ? check_tracked(node, at) : check_rules(node, at);
    Fit const held = soft_failures_ == before ? Fit::clean : Fit::with_reports;
    verdicts_.put(index, at, mode_, holds ? held : Fit::no);
    return holds;
}

bool Evaluator::check_apart(NodeIndex index, TapeIndex at) {
    std::size_t const evaluated = evaluated_.size();
    is_tracking_ = false;
    bool const holds = check(index, at);
    is_tracking_ = true;
    evaluated_.resize(evaluated);
    return holds;
}

bool Evaluator::check_rules(SchemaNode const& node, TapeIndex at) {
    if (node.is_nullable && tape_.kind(at) == TapeKind::null) return true;
    bool holds = true;
    // A number's kind on the tape may be too general: bits_of determines it if that matters.
    if ((node.types & likely_bits[static_cast<std::uint8_t>(tape_.kind(at))]) == 0
        || subject_.has_large_numbers) {
        if ((node.types & bits_of(at)) == 0) holds = fail_type(node, at);
    }
    if (mode_ == Mode::survey) {
        survey_rules(node, at);
        return holds;
    }
    if (node.any != node.number) holds = run_group(node.any, node.number, at) && holds;
    switch (tape_.kind(at)) {
    case TapeKind::string: return run_group(node.string, node.array, at) && holds;
    case TapeKind::array: return run_group(node.array, node.object, at) && holds;
    case TapeKind::object: return run_group(node.object, node.end, at) && holds;
    case TapeKind::signed_integer:
        if (node.is_range && !subject_.has_large_numbers) {
            std::int64_t const value = tape_.signed_value(at);
            if (value >= node.lowest && value <= node.highest) return holds;
        }
        [[fallthrough]];
    case TapeKind::unsigned_integer:
    case TapeKind::number: return run_group(node.number, node.string, at) && holds;
    default: return holds;
    }
}

// For an array or object: only the instructions that lead to its items and properties.
void Evaluator::survey_rules(SchemaNode const& node, TapeIndex at) {
    survey_group(node.any, node.number, at);
    if (tape_.kind(at) == TapeKind::array) return survey_group(node.array, node.object, at);
    survey_group(node.object, node.end, at);
}

void Evaluator::survey_group(std::uint32_t begin, std::uint32_t end, TapeIndex at) {
    for (std::uint32_t i = begin; i < end; ++i) {
        Instruction const& instruction = program_->instructions[i];
        switch (instruction.op) {
        case Op::all_of:
        case Op::any_of:
        case Op::one_of:
        case Op::condition:
        case Op::when:
        case Op::items:
        case Op::unevaluated_items:
        case Op::members:
        case Op::unevaluated_properties: run_instruction(instruction, at); break;
        default: break;
        }
    }
}

bool Evaluator::run_group(std::uint32_t begin, std::uint32_t end, TapeIndex at) {
    bool holds = true;
    for (std::uint32_t i = begin; i < end; ++i) {
        if (run_instruction(program_->instructions[i], at)) continue;
        holds = false;
        // All violations are collected; in a trial the first one determines the result.
        if (mode_ == Mode::trial) return false;
    }
    return holds;
}

bool Evaluator::run_instruction(Instruction const& instruction, TapeIndex at) {
    auto const operand = static_cast<std::size_t>(instruction.operand);
    auto const verdict = [this, &instruction](bool holds) {
        return holds || fail(instruction.rule);
    };
    switch (instruction.op) {
    case Op::constant: return verdict(is_one_of(at, program_->constants[operand]));
    case Op::all_of: return check_all(program_->children[operand], at);
    case Op::any_of:
    case Op::one_of: return check_forms(instruction, at);
    case Op::negation: return check_not(instruction, at);
    case Op::condition: return check_conditional(program_->conditionals[operand], at);
    case Op::when: {
        When const& when = program_->whens[operand];
        return !conditions_->binds(when.condition) || check(when.node, at);
    }
    case Op::never: return fail(instruction.rule);
    case Op::read_only: return check_read_only(instruction.rule);

    case Op::minimum: return verdict(compare(at, program_->numbers[operand]) >= 0);
    case Op::maximum: return verdict(compare(at, program_->numbers[operand]) <= 0);
    case Op::exclusive_minimum: return verdict(compare(at, program_->numbers[operand]) > 0);
    case Op::exclusive_maximum: return verdict(compare(at, program_->numbers[operand]) < 0);
    case Op::multiple_of: return verdict(is_multiple(at, program_->numbers[operand]));
    case Op::number_format:
    case Op::string_format: return verdict(fits(at, static_cast<Format>(operand)));

    case Op::min_length: return verdict(has_code_points(tape_.string(at), operand));
    case Op::max_length: {
        auto const text = tape_.string(at);
        return verdict(text.size() <= operand || !has_code_points(text, operand + 1));
    }
    case Op::pattern: return verdict(matches(operand, tape_.string(at)));

    case Op::items: return check_items(program_->item_lists[operand], at);
    case Op::min_items: return verdict(count(at) >= instruction.operand);
    case Op::max_items: return verdict(count(at) <= instruction.operand);
    case Op::unique_items: return verdict(is_unique(at));
    case Op::contains: return check_contains(program_->contains[operand], at);
    case Op::unevaluated_items: return check_unevaluated_items(program_->unevaluated[operand], at);

    case Op::members: return check_members(program_->member_tables[operand], at);
    case Op::min_properties: return verdict(count(at) >= instruction.operand);
    case Op::max_properties: return verdict(count(at) <= instruction.operand);
    case Op::property_names: return check_names(static_cast<NodeIndex>(operand), at);
    case Op::unevaluated_properties:
        return check_unevaluated_properties(program_->unevaluated[operand], at);
    }
    return false;
}

bool Evaluator::check_all(Children const& children, TapeIndex at) {
    bool holds = true;
    for (NodeIndex const node : children.nodes) {
        if (check(node, at)) continue;
        holds = false;
        if (mode_ == Mode::trial) return false;
    }
    return holds;
}

// It does not influence results, in the same way as readOnly: neither which branch matches nor the
// condition of an `if`. Where the schema has to be valid, the property must be absent.
bool Evaluator::check_read_only(RuleIndex rule) {
    if (levels_->is_default()) return true;
    if (is_recording()) return fail(rule);
    if (levels_->of(rule, schema_) != Level::off) ++soft_failures_;
    return true;
}

bool Evaluator::check_not(Instruction const& instruction, TapeIndex at) {
    Mode const outer = mode_;
    std::uint64_t const before = soft_failures_;
    mode_ = Mode::trial;
    std::size_t const evaluated = evaluated_.size();
    bool const holds = check(static_cast<NodeIndex>(instruction.operand), at);
    evaluated_.resize(evaluated);
    mode_ = outer;
    soft_failures_ = before;
    return !holds || fail(instruction.rule);
}

bool Evaluator::check_conditional(Conditional const& conditional, TapeIndex at) {
    Mode const outer = mode_;
    std::uint64_t const before = soft_failures_;
    mode_ = Mode::trial;
    bool const holds = check(conditional.if_node, at);
    mode_ = outer;
    soft_failures_ = before;
    return check(holds ? conditional.then_node : conditional.else_node, at);
}

} // namespace sallyport::contract
