// Broken rules, in words: what happens only to a body that breaks one, so nothing here is in a
// hurry.
#include "gateway/contract/evaluate/evaluate.h"

#include "gateway/contract/schema/constants.h"

namespace sallyport::contract {

namespace {

// RFC 6901, 3: `~` and `/` are escaped.
void append_step(std::string& pointer, std::string_view name) {
    pointer += '/';
    for (char const c : name) {
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
}

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

void count_not_kept(Report& report, std::string_view rule, Level level) {
    (level == Level::report ? report.more_reported : report.more_violations) = true;
    for (NotKept& one : report.not_kept) {
        if (one.rule != rule || one.level != level) continue;
        ++one.count;
        return;
    }
    report.not_kept.push_back({rule, level, 1});
}

} // namespace

Evaluator::Failure Evaluator::judge(RuleIndex rule) {
    Level const level = levels_->of(rule);
    if (level == Level::off) return {true, false};
    bool const is_reported = level == Level::report;
    if (mode_ != Mode::asserted) {
        if (is_reported) ++soft_failures_;
        return {is_reported, false};
    }
    if (!is_reported) report_->outcome = Outcome::violated;
    auto const& list = is_reported ? report_->reported : report_->violations;
    if (list.size() >= max_violations) {
        count_not_kept(*report_, program_->rules[rule].keyword, level);
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

Evaluator::Wording Evaluator::wording_of(RuleIndex rule) const {
    Wording wording;
    wording.pointer = pointer_here();
    wording.phrase = program_->rules[rule].phrase;
    wording.expected = program_->rules[rule].expected;
    return wording;
}

void Evaluator::write(RuleIndex index, Wording wording) {
    Rule const& rule = program_->rules[index];
    Violation violation;
    violation.rule = rule.keyword;
    violation.rule_pointer = rule.pointer;
    violation.source = rule.source;
    violation.file = rule.mark.file_name();
    violation.line = rule.mark.line;
    violation.level = levels_->of(index);
    violation.expected = std::move(wording.expected);
    violation.message = subject_.name;
    violation.message += wording.subject.empty() ? wording.pointer : wording.subject;
    if (violation.message.empty()) violation.message = "the body";
    violation.message += ' ';
    violation.message += wording.phrase;
    violation.pointer = std::move(wording.pointer);
    auto& list = violation.level == Level::report ? report_->reported : report_->violations;
    list.push_back(std::move(violation));
}

bool Evaluator::fail(RuleIndex rule) {
    Failure const failure = judge(rule);
    if (failure.is_written) write(rule, wording_of(rule));
    return failure.counts_as_true;
}

bool Evaluator::fail_type(SchemaNode const& node, TapeIndex at) {
    Failure const failure = judge(node.type_rule);
    if (!failure.is_written) return failure.counts_as_true;
    Wording wording = wording_of(node.type_rule);
    wording.phrase += ", not ";
    wording.phrase += kind_in_words(tape_.kind(at));
    write(node.type_rule, std::move(wording));
    return failure.counts_as_true;
}

bool Evaluator::fail_missing(RuleIndex rule, std::string_view missing, std::string_view trigger) {
    Failure const failure = judge(rule);
    if (!failure.is_written) return failure.counts_as_true;
    Wording wording = wording_of(rule);
    wording.subject = wording.pointer;
    append_step(wording.subject, missing);
    wording.phrase = "is required";
    if (!trigger.empty()) {
        wording.phrase += " with ";
        wording.phrase += wording.pointer;
        append_step(wording.phrase, trigger);
    }
    wording.expected.clear();
    append_json_string(wording.expected, missing);
    write(rule, std::move(wording));
    return failure.counts_as_true;
}

bool Evaluator::fail_unknown(RuleIndex rule) {
    Failure const failure = judge(rule);
    if (!failure.is_written) return failure.counts_as_true;
    Wording wording = wording_of(rule);
    append_step(wording.pointer, "*");
    write(rule, std::move(wording));
    return failure.counts_as_true;
}

} // namespace sallyport::contract
