// unevaluatedItems and unevaluatedProperties: what no matching schema has evaluated.
//
// JSON Schema 2020-12 core, 11: they depend on what the other keywords of their schema, and the
// schemas in place below it, have evaluated. While such a schema is checked, the evaluated names
// and items are collected in one list; a schema that does not match removes its own.
#include "gateway/contract/evaluate/evaluate.h"

namespace sallyport::contract {

bool Evaluator::check_tracked(SchemaNode const& node, TapeIndex at) {
    bool const outer = is_tracking_;
    std::size_t const outer_frame = frame_;
    frame_ = evaluated_.size();
    is_tracking_ = true;
    bool const holds = check_rules(node, at);
    // If all violations are recorded, a property that is invalid itself is not unevaluated as well.
    bool const is_taken_back = !holds && !is_recording();
    if (is_taken_back || !outer) evaluated_.resize(frame_);
    is_tracking_ = outer;
    frame_ = outer_frame;
    return holds;
}

void Evaluator::mark_evaluated() {
    if (evaluated_marks_.empty()) evaluated_marks_.assign(tape_.end(), 0);
    ++evaluated_epoch_;
    spend(2 * (evaluated_.size() - frame_));
    if (budget_ == 0) return;
    for (std::size_t i = frame_; i < evaluated_.size(); ++i)
        evaluated_marks_[evaluated_[i]] = evaluated_epoch_;
}

bool Evaluator::check_unevaluated_properties(Unevaluated const& rule, TapeIndex at) {
    mark_evaluated();
    spend_for_walk(at);
    if (budget_ == 0) return true; // the marks are incomplete
    std::uint32_t const epoch = evaluated_epoch_;
    bool holds = true;
    bool is_violated = false;
    bool const is_off = rule.rule != no_rule && levels_->of(rule.rule, schema_) == Level::off;
    steps_.emplace_back();
    for (TapeIndex name = at + 1; name < tape_.close(at); name = tape_.next(name + 1)) {
        if (evaluated_marks_[name] == epoch) continue;
        if (!is_off) note_evaluated(name);
        if (rule.rule != no_rule) {
            is_violated = true;
            continue;
        }
        step_to(name);
        if (check_inside(rule.node, name + 1)) continue;
        holds = false;
        if (mode_ == Mode::trial) break;
    }
    steps_.pop_back();
    if (!is_violated) return holds;
    // Nothing inside was checked since: the marks are those of this object.
    return fail_unknown(rule.rule, at, [this, epoch](TapeIndex name) {
        return evaluated_marks_[name] != epoch;
    });
}

bool Evaluator::check_unevaluated_items(Unevaluated const& rule, TapeIndex at) {
    mark_evaluated();
    spend_for_walk(at);
    if (budget_ == 0) return true; // the marks are incomplete
    std::uint32_t const epoch = evaluated_epoch_;
    bool holds = true;
    std::uint32_t index = 0;
    bool const is_off = rule.rule != no_rule && levels_->of(rule.rule, schema_) == Level::off;
    steps_.push_back({{}, 0, Step::Kind::item});
    for (TapeIndex item = at + 1; item < tape_.close(at); item = tape_.next(item), ++index) {
        if (evaluated_marks_[item] == epoch) continue;
        if (!is_off) note_evaluated(item);
        steps_.back().index = index;
        holds = (rule.rule != no_rule ? fail(rule.rule) : check_inside(rule.node, item)) && holds;
        if (!holds && mode_ == Mode::trial) break;
    }
    steps_.pop_back();
    return holds;
}

} // namespace sallyport::contract
