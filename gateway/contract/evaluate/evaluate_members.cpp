// Object keywords: one pass over the properties.
#include "gateway/contract/evaluate/evaluate.h"

#include <algorithm>

namespace sallyport::contract {

// All properties are unknown until a schema declares them (note_name).
void Evaluator::note_object(TapeIndex at) {
    Mark& mark = subject_.facts->mark(at);
    if (!notes() || mark != Mark::none) return;
    mark = Mark::declares;
    report_->unknown_members += count(at);
}

void Evaluator::note_name(TapeIndex name, Mark mark) {
    if (!notes()) return;
    Mark& known = subject_.facts->mark(name);
    if (known == Mark::none) --report_->unknown_members;
    if (known != Mark::declared) known = mark;
}

void Evaluator::note_deprecated(Member const& member) {
    if (!notes()) return;
    auto& known = report_->deprecated_members;
    if (std::find(known.begin(), known.end(), member.name) == known.end()) {
        known.push_back(member.name);
    }
}

// A name that only this body contains is not copied to messages, unless a schema declares it.
void Evaluator::step_to(TapeIndex name) {
    bool const is_declared = subject_.facts->mark(name) == Mark::declared;
    steps_.back() = {is_declared ? tape_.string(name) : std::string_view{}, name,
                     is_declared ? Step::Kind::member : Step::Kind::unknown_member};
}

inline void Evaluator::note_met(Pass& pass, std::uint32_t member) noexcept {
    std::uint64_t& word = pass.is_many ? seen_[pass.many + member / 64] : pass.few;
    word |= std::uint64_t{1} << (member % 64);
}

inline void Evaluator::check_each(MemberTable const& table, TapeIndex at, Pass& pass) {
    Tape const tape = tape_;
    TapeIndex const end = tape.close(at);
    spend(tape.payload(at) >> 32); // their number
    bool const may_pass = table.patterns.empty() && !is_tracking_ && !subject_.has_large_numbers;
    bool has_step = false;
    for (TapeIndex name = at + 1; name < end; name = tape.next(name + 1)) {
        bool const may_be_known = (table.bits & bit_of_name(subject_.facts->hash(name))) != 0;
        MemberTable::Slot const* const found =
            may_be_known ? table.find(tape.string(name)) : nullptr;
        if (found != nullptr) {
            if (table.checks_presence) note_met(pass, found->member);
            if (may_pass && found->at_once.takes(tape, name + 1)) {
                note_name(name, Mark::declared);
                continue;
            }
        } else if (!table.sees_all) {
            continue;
        }
        // If there are no further rules, the path is not needed either.
        if (!has_step) steps_.emplace_back();
        has_step = true;
        check_member(table, found, name, pass);
        if (!pass.holds && mode_ == Mode::trial) break;
    }
    if (has_step) steps_.pop_back();
}

bool Evaluator::check_members(MemberTable const& table, TapeIndex at) {
    spend(1);
    if (table.declares) note_object(at);
    std::uint64_t const bits = subject_.facts->bits(tape_, at);
    bool const has_all = (bits & table.required_bits) == table.required_bits;
    if (!has_all && mode_ == Mode::trial && !fail_missing(table.required_rule, {}, {})) {
        return false;
    }
    // None of the relevant names is present, as the bits show: there is no need to read them.
    if (!table.sees_all && (bits & table.bits) == 0) return check_presence(table, {});

    Pass pass;
    // A table with more than 64 names has its bits in a stack, since objects are nested.
    pass.is_many = table.checks_presence && table.members.size() > 64;
    if (pass.is_many) {
        pass.many = seen_.size();
        seen_.resize(pass.many + (table.members.size() + 63) / 64, 0);
    }
    check_each(table, at, pass);
    bool holds = pass.holds;
    if (table.checks_presence || pass.has_additional) holds = check_rest(table, at, pass);
    if (pass.is_many) seen_.resize(pass.many);
    return holds;
}

// The rules for an object that are checked after its properties.
bool Evaluator::check_rest(MemberTable const& table, TapeIndex at, Pass const& pass) {
    bool holds = pass.holds;
    if (!holds && mode_ == Mode::trial) return false;
    if (pass.has_additional && table.additional_rule != no_rule) {
        holds = fail_unknown(table.additional_rule, at,
                             [this, &table](TapeIndex name) { return is_additional(table, name); })
                && holds;
    }
    if (!table.checks_presence) return holds;
    holds = check_presence(table, pass) && holds;
    return check_dependent(table, pass, at) && holds;
}

// As decided by check_member(): only called for an object that is refused.
bool Evaluator::is_additional(MemberTable const& table, TapeIndex name) {
    auto const text = tape_.string(name);
    MemberTable::Slot const* const found = table.find(text);
    if (found != nullptr && table.members[found->member].is_declared) return false;
    return std::none_of(table.patterns.begin(), table.patterns.end(),
                        [this, text](PatternMembers const& members) {
                            spend(1 + text.size() / 16);
                            return matches(members.pattern, text);
                        });
}

void Evaluator::check_member(MemberTable const& table, MemberTable::Slot const* found,
                             TapeIndex name, Pass& pass) {
    bool is_met = false;
    if (found != nullptr && table.members[found->member].is_declared) {
        Member const& member = table.members[found->member];
        is_met = true;
        note_name(name, Mark::declared);
        if (member.is_deprecated) note_deprecated(member);
        if (member.node != anything) {
            steps_.back() = {member.name, 0, Step::Kind::member};
            if (!check_inside(member.node, name + 1)) pass.holds = false;
        }
    }
    for (PatternMembers const& members : table.patterns) {
        auto const text = tape_.string(name);
        if (!matches(members.pattern, text)) continue;
        is_met = true;
        note_name(name, Mark::known_by_pattern);
        step_to(name);
        if (!check_inside(members.node, name + 1)) pass.holds = false;
    }
    if (is_met) return note_evaluated(name);
    pass.has_additional = true;
    if (table.additional != anything) {
        step_to(name);
        if (!check_inside(table.additional, name + 1)) pass.holds = false;
    }
    bool const is_off =
        table.additional_rule != no_rule
        && levels_->of(table.additional_rule, schema_) == Level::off;
    if (table.has_additional && !is_off) note_evaluated(name);
}

bool Evaluator::is_met(Pass const& pass, std::uint32_t member) const noexcept {
    std::uint64_t const word = pass.is_many ? seen_[pass.many + member / 64] : pass.few;
    return (word >> (member % 64) & 1U) != 0;
}

bool Evaluator::check_presence(MemberTable const& table, Pass const& pass) {
    auto const is_there = [this, &pass](std::uint32_t member) { return is_met(pass, member); };
    bool holds = true;
    spend(table.required.size() / 4);
    for (std::uint32_t const member : table.required) {
        if (is_there(member)) continue;
        holds = fail_missing(table.required_rule, table.members[member].name, {}) && holds;
    }
    for (Dependency const& dependency : table.dependencies) {
        spend(1);
        if (!is_there(dependency.trigger)) continue;
        spend(dependency.needed.size() / 4);
        for (std::uint32_t const member : dependency.needed) {
            if (is_there(member)) continue;
            holds = fail_missing(dependency.rule, table.members[member].name,
                                 table.members[dependency.trigger].name)
                    && holds;
        }
    }
    return holds;
}

bool Evaluator::check_dependent(MemberTable const& table, Pass const& pass, TapeIndex at) {
    bool holds = true;
    spend(table.dependent_schemas.size() / 2);
    for (DependentSchema const& one : table.dependent_schemas) {
        if (!is_met(pass, one.trigger)) continue;
        holds = check(one.node, at) && holds;
        if (!holds && mode_ == Mode::trial) break;
    }
    return holds;
}

bool Evaluator::check_names(NodeIndex node, TapeIndex at) {
    bool holds = true;
    spend_for_walk(at);
    steps_.emplace_back();
    for (TapeIndex name = at + 1; name < tape_.close(at); name = tape_.next(name + 1)) {
        step_to(name);
        // A name is a string on the tape like any other.
        if (check_inside(node, name)) continue;
        holds = false;
        if (mode_ == Mode::trial) break;
    }
    steps_.pop_back();
    return holds;
}

} // namespace sallyport::contract
