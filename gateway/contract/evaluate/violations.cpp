// Violations and their messages. Only for bodies that break a rule, so that speed does not matter
// here.
#include "gateway/contract/evaluate/evaluate.h"

#include "gateway/contract/schema/constants.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sallyport::contract {

namespace {

// The rest of a longer pointer is not sent (respond/problem.cpp).
constexpr std::size_t longest_pointer_as_sent = 2048;

[[nodiscard]] std::string_view kind_in_words(TapeKind kind) noexcept {
    switch (kind) {
    case TapeKind::null: return "null";
    case TapeKind::true_value:
    case TapeKind::false_value: return "a boolean";
    case TapeKind::string: return "a string";
    case TapeKind::array: return "an array";
    case TapeKind::object: return "an object";
    case TapeKind::number: return "a number with a fraction";
    default: return "a number";
    }
}

} // namespace

Evaluator::Failure Evaluator::judge(RuleIndex rule) {
    spend(2);
    Level const level = level_of(rule);
    if (level == Level::off) return {true, false};
    bool const is_reported = level == Level::report;
    if (!is_recording()) {
        if (is_reported) ++soft_failures_;
        return {is_reported, false};
    }
    if (!is_reported) report_->outcome = Outcome::violated;
    auto const& list = is_reported ? report_->reported : report_->violations;
    if (list.size() >= max_violations) {
        (is_reported ? report_->more_reported : report_->more_violations) = true;
        count_not_kept(report_->not_kept, program_->rules[rule].keyword, level);
        return {is_reported, false};
    }
    return {is_reported, true};
}

std::string Evaluator::pointer_here() const {
    std::string pointer;
    for (Step const& step : steps_) {
        switch (step.kind) {
        case Step::Kind::member: append_step(pointer, step.name); break;
        case Step::Kind::unknown_member: append_step(pointer, "*"); break;
        case Step::Kind::item: append_step(pointer, std::to_string(step.index)); break;
        }
    }
    return pointer;
}

// With names that are only in this text; empty: the path contains none, or is too long.
std::string Evaluator::pointer_as_sent() const {
    bool const has_unknown = std::any_of(steps_.begin(), steps_.end(), [](Step const& step) {
        return step.kind == Step::Kind::unknown_member;
    });
    std::string pointer;
    if (!has_unknown) return pointer;
    for (Step const& step : steps_) {
        switch (step.kind) {
        case Step::Kind::member: append_step(pointer, step.name); break;
        case Step::Kind::unknown_member:
            append_step(pointer, cut_name(tape_.string(step.index)));
            break;
        case Step::Kind::item: append_step(pointer, std::to_string(step.index)); break;
        }
        if (pointer.size() > longest_pointer_as_sent) return {};
    }
    return pointer;
}

Violation& Evaluator::add_violation(RuleIndex index) {
    Rule const& rule = program_->rules[index];
    Level const level = level_of(index);
    auto& list = level == Level::report ? report_->reported : report_->violations;
    Violation& violation = list.emplace_back();
    violation.in = subject_.in;
    violation.name = subject_.name;
    violation.pointer = pointer_here();
    violation.rule = rule.keyword;
    violation.expected = rule.expected;
    violation.phrase = rule.phrase;
    violation.rule_pointer = rule.pointer;
    violation.source = rule.source;
    violation.file = rule.mark.file_name();
    violation.line = rule.mark.line;
    violation.level = level;
    if (level == Level::enforce) violation.pointer_as_sent = ClientText{pointer_as_sent()};
    return violation;
}

bool Evaluator::fail(RuleIndex rule) {
    Failure const failure = judge(rule);
    if (failure.is_written) add_violation(rule);
    return failure.counts_as_true;
}

bool Evaluator::fail_type(SchemaNode const& node, TapeIndex at) {
    Failure const failure = judge(node.type_rule);
    if (!failure.is_written) return failure.counts_as_true;
    Violation& violation = add_violation(node.type_rule);
    violation.phrase += ", not ";
    violation.phrase += kind_in_words(tape_.kind(at));
    return failure.counts_as_true;
}

bool Evaluator::fail_missing(RuleIndex rule, std::string_view missing, std::string_view trigger) {
    Failure const failure = judge(rule);
    if (!failure.is_written) return failure.counts_as_true;
    Violation& violation = add_violation(rule);
    violation.missing = missing;
    violation.phrase = "is required";
    if (!trigger.empty()) {
        violation.phrase += " with ";
        violation.phrase += violation.pointer;
        append_step(violation.phrase, trigger);
    }
    violation.expected.clear();
    append_json_string(violation.expected, missing);
    return failure.counts_as_true;
}

// No form matches, and the discriminator selects none. `name`: its place; 0: it is absent.
bool Evaluator::fail_kind(RuleIndex rule, Discriminator const& discriminator, TapeIndex name) {
    Failure const failure = judge(rule);
    if (!failure.is_written) return failure.counts_as_true;
    Violation& violation = add_violation(rule);
    violation.expected = discriminator.expected;
    violation.phrase = discriminator.phrase;
    if (name == 0) {
        violation.missing = discriminator.member;
        violation.phrase.insert(0, "is required, and ");
        return failure.counts_as_true;
    }
    append_step(violation.pointer, discriminator.member);
    if (!violation.pointer_as_sent.empty()) {
        std::string as_sent = pointer_as_sent();
        append_step(as_sent, discriminator.member);
        violation.pointer_as_sent = ClientText{std::move(as_sent)};
    }
    return failure.counts_as_true;
}

// More than one form of a oneOf matches: the message contains their number.
bool Evaluator::fail_many(RuleIndex rule, std::size_t fitting, std::size_t forms) {
    Failure const failure = judge(rule);
    if (!failure.is_written) return failure.counts_as_true;
    add_violation(rule).phrase = "matches " + std::to_string(fitting) + " of the "
                                 + std::to_string(forms)
                                 + " forms of the contract, and must match exactly one";
    return failure.counts_as_true;
}

// Properties of an object that are not allowed: one violation for all of them.
bool Evaluator::fail_unknown(RuleIndex rule, TapeIndex at, IsFault const& is_fault) {
    Failure const failure = judge(rule);
    if (!failure.is_written) return failure.counts_as_true;
    Violation& violation = add_violation(rule);
    append_step(violation.pointer, "*");
    if (violation.level == Level::enforce) name_undeclared(violation, at, is_fault);
    return failure.counts_as_true;
}

// As many as the report has room for: each counts as one violation for the client.
void Evaluator::name_undeclared(Violation& violation, TapeIndex at,
                                IsFault const& is_fault) const {
    std::size_t earlier = 0; // in earlier violations
    for (Violation const& one : report_->violations)
        earlier += &one == &violation ? 0 : count_for_client(one);
    std::size_t const room = earlier < max_violations ? max_violations - earlier : 1;
    for (TapeIndex name = at + 1; name < tape_.close(at); name = tape_.next(name + 1)) {
        if (!is_fault(name)) continue;
        if (violation.undeclared.size() < room) {
            violation.undeclared.emplace_back(cut_name(tape_.string(name)));
        } else {
            ++violation.undeclared_left;
        }
    }
}

} // namespace sallyport::contract
