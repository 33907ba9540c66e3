// Arrays against the rules about them: one pass over their items.
#include "gateway/contract/evaluate/evaluate.h"

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
    if (list.prefix.empty() && !is_tracking_) return check_all_items(list.rest, at);
    bool holds = true;
    TapeIndex const end = tape_.close(at);
    std::uint32_t index = 0;
    steps_.push_back({{}, 0, Step::Kind::item});
    for (TapeIndex item = at + 1; item < end; item = tape_.next(item), ++index) {
        bool const is_prefix = index < list.prefix.size();
        if (is_prefix || list.has_rest) note_evaluated(item);
        NodeIndex const node = is_prefix ? list.prefix[index] : list.rest;
        if (node == anything) {
            if (!is_prefix && !is_tracking_) break;
            continue;
        }
        steps_.back().index = index;
        if (check_inside(node, item)) continue;
        holds = false;
        if (mode_ == Mode::condition) break;
    }
    steps_.pop_back();
    return holds;
}

// All by one schema, and nobody wants to know which.
bool Evaluator::check_all_items(NodeIndex index, TapeIndex at) {
    if (index == anything) return true;
    SchemaNode const& node = program_->nodes[index];
    Tape const tape = tape_;
    TapeIndex const end = tape.close(at);
    bool const may_pass = !subject_.has_large_numbers;
    bool holds = true;
    std::uint32_t number = 0;
    steps_.push_back({{}, 0, Step::Kind::item});
    for (TapeIndex item = at + 1; item < end; item = tape.next(item), ++number) {
        if (may_pass && node.at_once.takes(tape, item)) continue;
        steps_.back().index = number;
        if (check(index, item)) continue;
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

bool Evaluator::check_contains(Contains const& contains, TapeIndex at) {
    // maxContains means nothing without it: JSON Schema 2020-12 validation, 6.4.4.
    if (contains.own_rule != no_rule && levels_->of(contains.own_rule) == Level::off) return true;
    Mode const outer = mode_;
    std::uint64_t const before = soft_failures_;
    std::uint64_t fitting = 0;
    mode_ = Mode::condition;
    for (TapeIndex item = at + 1; item < tape_.close(at); item = tape_.next(item)) {
        if (!check_inside(contains.node, item)) continue;
        ++fitting;
        note_evaluated(item);
        // Enough is known, unless somebody asks which items these are.
        if (fitting >= contains.least && contains.most == UINT64_MAX && !is_tracking_) break;
    }
    mode_ = outer;
    soft_failures_ = before;
    if (fitting < contains.least) return fail(contains.least_rule);
    return fitting <= contains.most || fail(contains.most_rule);
}

} // namespace sallyport::contract
