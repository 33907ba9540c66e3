// Arrays and objects against the rules about them: one pass over their items and members.
#include "gateway/contract/evaluate.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// simdjson counts items and members up to this, and says this for more.
constexpr std::uint64_t counted = 0xFF'FFFF;

} // namespace

std::uint64_t Evaluator::count(TapeIndex at) const noexcept {
    std::uint64_t const known = tape_.payload(at) >> 32;
    if (known < counted) return known;
    std::uint64_t met = 0;
    bool const is_object = tape_.kind(at) == TapeKind::object;
    for (TapeIndex one = at + 1; one < tape_.close(at); one = tape_.next(one + is_object)) {
        ++met;
    }
    return met;
}

bool Evaluator::check_items(ItemList const& list, TapeIndex at) {
    bool holds = true;
    TapeIndex const end = tape_.close(at);
    std::uint32_t index = 0;
    steps_.push_back({{}, 0, Step::Kind::item});
    for (TapeIndex item = at + 1; item < end; item = tape_.next(item), ++index) {
        NodeIndex const node = index < list.prefix.size() ? list.prefix[index] : list.rest;
        if (node == anything) {
            if (index >= list.prefix.size()) break;
            continue;
        }
        steps_.back().index = index;
        if (check(node, item)) continue;
        holds = false;
        if (mode_ == Mode::condition) break;
    }
    steps_.pop_back();
    return holds;
}

bool Evaluator::is_unique(TapeIndex at) {
    TapeIndex const end = tape_.close(at);
    spend(end - at);
    unique_items_.clear();
    bool only_strings = true;
    for (TapeIndex item = at + 1; item < end && only_strings; item = tape_.next(item)) {
        only_strings = tape_.kind(item) == TapeKind::string;
        if (only_strings) unique_items_.push_back(tape_.string(item));
    }
    if (!only_strings) {
        unique_items_.clear();
        unique_text_.clear();
        unique_ends_.clear();
        for (TapeIndex item = at + 1; item < end; item = tape_.next(item)) {
            writer_.append(unique_text_, tape_, *subject_.texts, item);
            unique_ends_.push_back(unique_text_.size());
        }
        std::size_t begin = 0;
        for (std::size_t const item_end : unique_ends_) {
            unique_items_.push_back(std::string_view{unique_text_}.substr(begin, item_end - begin));
            begin = item_end;
        }
    }
    // Sorting, not hashing: nobody can choose items that make it slow.
    std::sort(unique_items_.begin(), unique_items_.end());
    return std::adjacent_find(unique_items_.begin(), unique_items_.end()) == unique_items_.end();
}

void Evaluator::note_member(Member const& member, TapeIndex name) {
    if (mode_ == Mode::condition || !member.is_declared) return;
    if (marks_[name] == 0) {
        marks_[name] = 1;
        --report_->unknown_members;
    }
    if (!member.is_deprecated) return;
    auto& known = report_->deprecated_members;
    if (std::find(known.begin(), known.end(), member.name) == known.end()) {
        known.push_back(member.name);
    }
}

bool Evaluator::check_members(MemberTable const& table, TapeIndex at) {
    // A table of more names than a word has bits keeps them on a stack: members lie inside members.
    std::uint64_t few = 0;
    std::size_t const seen = seen_.size();
    bool const has_few = table.members.size() <= 64;
    if (!has_few) seen_.resize(seen + (table.members.size() + 63) / 64, 0);
    TapeIndex const end = tape_.close(at);
    if (table.has_properties && mode_ != Mode::condition && marks_[at] == 0) {
        // All members are unknown until some schema declares them (note_member).
        marks_[at] = 1;
        report_->unknown_members += count(at);
    }
    bool holds = true;
    bool has_additional = false;
    steps_.emplace_back();
    for (TapeIndex name = at + 1; name < end; name = tape_.next(name + 1)) {
        std::uint32_t const found = table.find(tape_.string(name), subject_.names->hash(name));
        NodeIndex node = table.additional;
        if (found != MemberTable::empty_slot) {
            Member const& member = table.members[found];
            (has_few ? few : seen_[seen + found / 64]) |= std::uint64_t{1} << (found % 64);
            note_member(member, name);
            if (member.is_declared) {
                if (member.node == anything) continue;
                steps_.back() = {member.name, 0, Step::Kind::member};
                if (!check(member.node, name + 1)) holds = false;
                if (!holds && mode_ == Mode::condition) break;
                continue;
            }
        }
        has_additional = true;
        if (node == anything) continue;
        // A name that only this body knows is not repeated, unless another schema has declared it.
        bool const is_declared = marks_[name] != 0;
        steps_.back() = {is_declared ? tape_.string(name) : std::string_view{}, 0,
                         is_declared ? Step::Kind::member : Step::Kind::unknown_member};
        if (!check(node, name + 1)) holds = false;
        if (!holds && mode_ == Mode::condition) break;
    }
    steps_.pop_back();
    if (holds || mode_ != Mode::condition) {
        if (has_additional && table.additional_rule != no_rule) {
            holds = fail_unknown(table.additional_rule) && holds;
        }
        holds = check_presence(table, has_few ? &few : seen_.data() + seen) && holds;
    }
    if (!has_few) seen_.resize(seen);
    return holds;
}

bool Evaluator::check_presence(MemberTable const& table, std::uint64_t const* seen) {
    auto const is_there = [seen](std::uint32_t member) {
        return (seen[member / 64] >> (member % 64) & 1U) != 0;
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

} // namespace sallyport::contract
