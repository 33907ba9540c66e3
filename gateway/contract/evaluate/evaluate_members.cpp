// Objects against the rules about their members: one pass over them.
#include "gateway/contract/evaluate/evaluate.h"

#include <algorithm>

namespace sallyport::contract {

// All members are unknown until some schema knows them (note_name).
void Evaluator::note_object(TapeIndex at) {
    if (mode_ == Mode::condition || marks_[at] != Mark::none) return;
    marks_[at] = Mark::declares;
    report_->unknown_members += count(at);
}

void Evaluator::note_name(TapeIndex name, Mark mark) {
    if (mode_ == Mode::condition) return;
    if (marks_[name] == Mark::none) --report_->unknown_members;
    if (marks_[name] != Mark::declared) marks_[name] = mark;
}

void Evaluator::note_deprecated(Member const& member) {
    if (mode_ == Mode::condition) return;
    auto& known = report_->deprecated_members;
    if (std::find(known.begin(), known.end(), member.name) == known.end()) {
        known.push_back(member.name);
    }
}

// A name that only this body knows is not repeated, unless some schema has declared it.
void Evaluator::step_to(TapeIndex name) {
    bool const is_declared = marks_[name] == Mark::declared;
    steps_.back() = {is_declared ? tape_.string(name) : std::string_view{}, 0,
                     is_declared ? Step::Kind::member : Step::Kind::unknown_member};
}

// A declared member of which nothing but its name is to be noted.
bool Evaluator::passes_at_once(Member const& member, TapeIndex name) {
    if (member.is_deprecated) return false;
    if (member.node != anything && !passes_at_once(program_->nodes[member.node], name + 1)) {
        return false;
    }
    note_name(name, Mark::declared);
    return true;
}

bool Evaluator::check_members(MemberTable const& table, TapeIndex at) {
    if (table.declares) note_object(at);
    std::uint64_t const bits = subject_.names->bits(tape_, at);
    bool const has_all = (bits & table.required_bits) == table.required_bits;
    if (!has_all && mode_ == Mode::condition && !fail_missing(table.required_rule, {}, {})) {
        return false;
    }
    // None of the names that matter is there, as their bits show: no need to look at them.
    if (!table.sees_all && (bits & table.bits) == 0) return check_presence(table, nullptr);

    // A table of more names than a word has bits keeps them on a stack: members lie inside members.
    std::uint64_t few = 0;
    std::size_t const seen = seen_.size();
    bool const has_few = table.members.size() <= 64;
    if (!has_few) seen_.resize(seen + (table.members.size() + 63) / 64, 0);
    TapeIndex const end = tape_.close(at);
    spend((end - at) / 16);
    bool holds = true;
    bool has_additional = false;
    bool const may_pass = table.patterns.empty() && !is_tracking_;
    steps_.emplace_back();
    Tape const tape = tape_;
    for (TapeIndex name = at + 1; name < end; name = tape.next(name + 1)) {
        std::uint32_t const hash = subject_.names->hash(name);
        if (!table.sees_all && (table.bits & bit_of_name(hash)) == 0) continue;
        std::uint32_t const found = table.find(tape.string(name), hash);
        if (found != MemberTable::empty_slot) {
            (has_few ? few : seen_[seen + found / 64]) |= std::uint64_t{1} << (found % 64);
        }
        if (found != MemberTable::empty_slot && may_pass && table.members[found].is_declared
            && passes_at_once(table.members[found], name)) {
            continue;
        }
        if (check_member(table, found, name, holds) == Met::additional) has_additional = true;
        if (!holds && mode_ == Mode::condition) break;
    }
    steps_.pop_back();
    if (holds || mode_ != Mode::condition) {
        if (has_additional && table.additional_rule != no_rule) {
            holds = fail_unknown(table.additional_rule) && holds;
        }
        auto const* const met = has_few ? &few : seen_.data() + seen;
        bool const asks = !table.required.empty() || !table.dependencies.empty();
        if (asks) holds = check_presence(table, met) && holds;
        if (!table.dependent_schemas.empty()) {
            // What is checked there may move seen_.
            std::vector<std::uint64_t> const kept(met, met + (has_few ? 1 : seen_.size() - seen));
            holds = check_dependent(table, kept.data(), at) && holds;
        }
    }
    if (!has_few) seen_.resize(seen);
    return holds;
}

Evaluator::Met Evaluator::check_member(MemberTable const& table, std::uint32_t found,
                                       TapeIndex name, bool& holds) {
    bool is_met = false;
    if (found != MemberTable::empty_slot && table.members[found].is_declared) {
        Member const& member = table.members[found];
        is_met = true;
        note_name(name, Mark::declared);
        if (member.is_deprecated) note_deprecated(member);
        // Where nothing is asked, nobody asks for the way to it either.
        if (member.node != anything && !passes_at_once(program_->nodes[member.node], name + 1)) {
            steps_.back() = {member.name, 0, Step::Kind::member};
            if (!check_inside(member.node, name + 1)) holds = false;
        }
        if (table.patterns.empty()) {
            note_evaluated(name);
            return Met::declared;
        }
    }
    for (PatternMembers const& members : table.patterns) {
        auto const text = tape_.string(name);
        spend(1 + text.size() / 16);
        if (!patterns_.of(*program_, members.pattern).is_in(text)) continue;
        is_met = true;
        note_name(name, Mark::known_by_pattern);
        step_to(name);
        if (!check_inside(members.node, name + 1)) holds = false;
    }
    if (is_met) {
        note_evaluated(name);
        return Met::declared;
    }
    if (table.additional != anything) {
        step_to(name);
        if (!check_inside(table.additional, name + 1)) holds = false;
    }
    bool const is_off =
        table.additional_rule != no_rule && levels_->of(table.additional_rule) == Level::off;
    if (table.has_additional && !is_off) note_evaluated(name);
    return Met::additional;
}

bool Evaluator::check_presence(MemberTable const& table, std::uint64_t const* seen) {
    // `seen` null: none of them is there.
    auto const is_there = [seen](std::uint32_t member) {
        return seen != nullptr && (seen[member / 64] >> (member % 64) & 1U) != 0;
    };
    bool holds = true;
    for (std::uint32_t const member : table.required) {
        if (is_there(member)) continue;
        holds = fail_missing(table.required_rule, table.members[member].name, {}) && holds;
    }
    for (Dependency const& dependency : table.dependencies) {
        if (!is_there(dependency.trigger)) continue;
        for (std::uint32_t const member : dependency.needed) {
            if (is_there(member)) continue;
            holds = fail_missing(dependency.rule, table.members[member].name,
                                 table.members[dependency.trigger].name)
                    && holds;
        }
    }
    return holds;
}

bool Evaluator::check_dependent(MemberTable const& table, std::uint64_t const* seen, TapeIndex at) {
    bool holds = true;
    for (DependentSchema const& one : table.dependent_schemas) {
        if ((seen[one.trigger / 64] >> (one.trigger % 64) & 1U) == 0) continue;
        holds = check(one.node, at) && holds;
        if (!holds && mode_ == Mode::condition) break;
    }
    return holds;
}

bool Evaluator::check_names(NodeIndex node, TapeIndex at) {
    bool holds = true;
    steps_.emplace_back();
    for (TapeIndex name = at + 1; name < tape_.close(at); name = tape_.next(name + 1)) {
        step_to(name);
        // A name is a string on the tape as any other.
        if (check_inside(node, name)) continue;
        holds = false;
        if (mode_ == Mode::condition) break;
    }
    steps_.pop_back();
    return holds;
}

} // namespace sallyport::contract
