// Array keywords: one pass over the items.
#include "gateway/contract/evaluate/evaluate.h"

#include <utility>

namespace sallyport::contract {

namespace {

// simdjson counts up to this number of items and properties, and returns it for more.
constexpr std::uint64_t counted = 0xFF'FFFF;

} // namespace

std::uint64_t Evaluator::count(TapeIndex at) {
    std::uint64_t const known = tape_.payload(at) >> 32;
    if (known < counted) return known;
    spend_for_walk(at);
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
    spend_for_walk(at);
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
        if (mode_ == Mode::trial) break;
    }
    steps_.pop_back();
    return holds;
}

// All items with one schema, if no schema depends on what is evaluated.
bool Evaluator::check_all_items(NodeIndex index, TapeIndex at) {
    if (index == anything) return true;
    SchemaNode const& node = program_->nodes[index];
    Tape const tape = tape_;
    TapeIndex const end = tape.close(at);
    bool const may_pass = !subject_.has_large_numbers;
    bool holds = true;
    std::uint32_t number = 0;
    spend_for_walk(at);
    steps_.push_back({{}, 0, Step::Kind::item});
    for (TapeIndex item = at + 1; item < end; item = tape.next(item), ++number) {
        if (may_pass && node.at_once.takes(tape, item)) continue;
        steps_.back().index = number;
        if (check(index, item)) continue;
        holds = false;
        if (mode_ == Mode::trial) break;
    }
    steps_.pop_back();
    return holds;
}

bool Evaluator::is_unique(TapeIndex at) {
    // The result for long arrays is stored: another form, or a schema further outside, may need it
    // again.
    constexpr std::uint64_t few = 16;
    std::uint64_t const items = count(at);
    if (items < 2) return true;
    if (items <= few) return !has_twins(at);
    using Twins = ValueHashes::Twins;
    Twins known = hashes_.twins(at);
    if (known == Twins::not_known) {
        known = has_twins(at) ? Twins::some : Twins::none;
        hashes_.set_twins(tape_, at, known);
    }
    return known == Twins::none;
}

// Compares items with the same hash. Clients cannot choose items with equal hashes; nevertheless
// each step is counted.
bool Evaluator::has_twins(TapeIndex at) {
    constexpr std::size_t least = 32;
    unique_.assign(least, 0);
    auto const put = [this](std::uint64_t item) {
        std::size_t slot = (item >> 32) & (unique_.size() - 1);
        while (unique_[slot] != 0)
            slot = (slot + 1) & (unique_.size() - 1);
        unique_[slot] = item;
    };
    std::size_t different = 0;
    TapeIndex const end = tape_.close(at);
    for (TapeIndex item = at + 1; item < end; item = tape_.next(item)) {
        std::uint64_t const hash = hashes_.of(tape_, *subject_.texts, item);
        spend(hashes_.take_work() + 1);
        if (budget_ == 0) return false;
        for (std::size_t slot = hash & (unique_.size() - 1); unique_[slot] != 0;
             slot = (slot + 1) & (unique_.size() - 1)) {
            if (unique_[slot] >> 32 != hash) {
                spend(1);
            } else if (are_equal(static_cast<TapeIndex>(unique_[slot]), item)) {
                return true;
            }
        }
        put(hash << 32 | item);
        if (++different * 2 <= unique_.size()) continue;
        std::vector<std::uint64_t> const before = std::move(unique_);
        unique_.assign(before.size() * 2, 0);
        for (std::uint64_t const one : before) {
            if (one != 0) put(one);
        }
    }
    return false;
}

bool Evaluator::are_equal(TapeIndex left, TapeIndex right) {
    canonical_.clear();
    other_canonical_.clear();
    writer_.append(canonical_, tape_, *subject_.texts, left);
    writer_.append(other_canonical_, tape_, *subject_.texts, right);
    spend((canonical_.size() + other_canonical_.size()) / 4);
    return canonical_ == other_canonical_;
}

bool Evaluator::check_contains(Contains const& contains, TapeIndex at) {
    // maxContains has no effect without it: JSON Schema 2020-12 validation, 6.4.4.
    bool const is_own_off = contains.own_rule != no_rule
                            && levels_->of(contains.own_rule, schema_) == Level::off;
    if (is_own_off) return true;
    Mode const outer = mode_;
    std::uint64_t const before = soft_failures_;
    std::uint64_t fitting = 0;
    mode_ = Mode::trial;
    spend_for_walk(at);
    for (TapeIndex item = at + 1; item < tape_.close(at); item = tape_.next(item)) {
        if (!check_inside(contains.node, item)) continue;
        ++fitting;
        note_evaluated(item);
        // The result is known, unless a schema depends on which items match.
        if (fitting >= contains.least && contains.most == UINT64_MAX && !is_tracking_) break;
    }
    mode_ = outer;
    soft_failures_ = before;
    if (fitting < contains.least) return fail(contains.least_rule);
    return fitting <= contains.most || fail(contains.most_rule);
}

} // namespace sallyport::contract
