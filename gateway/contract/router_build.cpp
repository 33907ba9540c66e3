// Makes the automaton of a router.
#include "gateway/contract/router.h"
#include "gateway/contract/text/loose_spelling.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sallyport::contract {

namespace {

// See Router::loose_templates_. Without an empty segment after the last slash.
[[nodiscard]] LooseSegments loose_segments_of(PathTemplate const& segments) {
    LooseSegments all;
    for (auto const& segment : segments) {
        auto& loose = all.emplace_back();
        if (segment.kind == TemplateSegment::Kind::literal) {
            LooseSpelling spelling;
            // A literal has no invalid escape, and is short enough.
            (void)spelling.take(segment.name);
            loose.emplace_back(spelling.text());
        } else if (segment.kind == TemplateSegment::Kind::mixed) {
            loose = segment.pattern.loose_literals();
        }
    }
    while (!all.empty() && all.back().size() == 1 && all.back().front().empty())
        all.pop_back();
    return all;
}

// Adds indices to a list, and restores its order.
void append(std::vector<std::uint32_t>& list, std::vector<std::uint32_t> const& more) {
    auto const middle = static_cast<std::ptrdiff_t>(list.size());
    list.insert(list.end(), more.begin(), more.end());
    std::inplace_merge(list.begin(), list.begin() + middle, list.end());
}

} // namespace

Router::Router(std::vector<PathItem> items, std::vector<PathTemplate> templates,
               RouterLimits const& limits)
    : items_{std::move(items)}, templates_{std::move(templates)}, limits_{limits} {
    Alive all;
    for (std::uint32_t i = 0; i < items_.size(); ++i)
        all.push_back(i);
    if (!all.empty()) add_state(all, 0);
    known_.clear();
    for (auto const& segments : templates_)
        loose_templates_.push_back(loose_segments_of(segments));
}

// The templates of a state by how they go on from there; indices in ascending order.
struct Router::Continuations {
    Alive ending;
    Alive with_parameter;
    std::map<std::string_view, Alive> with_literal;
    std::vector<SegmentPattern const*> patterns; // each shape once
    std::vector<Alive> with_pattern;             // of each of them
};

Router::Continuations Router::continuations_of(Alive const& alive, std::size_t depth) const {
    Continuations all;
    std::map<std::vector<std::string>, std::size_t> numbers;
    for (auto const index : alive) {
        auto const& segments = templates_[index];
        if (segments.size() == depth) {
            all.ending.push_back(index);
            continue;
        }
        auto const& segment = segments[depth];
        switch (segment.kind) {
        case TemplateSegment::Kind::parameter: all.with_parameter.push_back(index); break;
        case TemplateSegment::Kind::literal: all.with_literal[segment.name].push_back(index); break;
        case TemplateSegment::Kind::mixed: {
            auto const [at, is_new] =
                numbers.emplace(segment.pattern.literals(), all.patterns.size());
            if (is_new) {
                all.patterns.push_back(&segment.pattern);
                all.with_pattern.emplace_back();
            }
            all.with_pattern[at->second].push_back(index);
        }
        }
    }
    return all;
}

// The templates beside a parameter stay possible behind each literal there. Without sharing they
// would have a state of their own for each literal on the way to them: with four of them at six
// depths 15,625 times as many.
std::uint32_t Router::add_state(Alive const& alive, std::size_t depth) {
    auto const known = known_.find({depth, alive});
    if (known != known_.end()) return known->second;
    auto const number = add_new_state(alive, depth);
    known_.emplace(std::pair{depth, alive}, number);
    return number;
}

std::uint32_t Router::add_new_state(Alive const& alive, std::size_t depth) {
    steps_ += alive.size();
    auto const all = continuations_of(alive, depth);
    auto const sets = sets_of(all);
    bool const is_within_limits =
        states_.size() < limits_.states && steps_ < limits_.steps && sets.has_value();
    if (!is_within_limits) {
        wide_.push_back({alive, depth});
        return is_wide | static_cast<std::uint32_t>(wide_.size() - 1);
    }
    auto const number = static_cast<std::uint32_t>(states_.size());
    states_.emplace_back();
    states_[number].item = choose_item(all.ending);
    // The calls may reallocate states_: their results are stored only afterwards.
    add_literals(number, all, depth);
    if (!all.patterns.empty()) {
        auto const mixed = add_mixed(all, *sets, depth);
        states_[number].mixed = mixed;
    }
    if (!all.with_parameter.empty()) {
        auto const target = add_state(all.with_parameter, depth + 1);
        states_[number].other = target;
    }
    bool const has_others = !all.with_parameter.empty() || !all.patterns.empty();
    if (has_others) add_loose_literals(states_[number], all);
    return number;
}

// Of the templates that end in a state the one that takes precedence over all others.
std::uint32_t Router::choose_item(Alive const& ending) const {
    for (auto const one : ending) {
        bool const is_first =
            std::all_of(ending.begin(), ending.end(), [this, one](std::uint32_t other) {
                return one == other
                       || find_precedence(templates_[one], templates_[other]) == Precedence::left;
            });
        if (!is_first) continue;
        bool const has_mixed =
            std::any_of(templates_[one].begin(), templates_[one].end(), [](auto const& segment) {
                return segment.kind == TemplateSegment::Kind::mixed;
            });
        return has_mixed ? one | is_mixed_item : one;
    }
    return nowhere;
}

void Router::add_literals(std::uint32_t number, Continuations const& all, std::size_t depth) {
    auto const table = add_table(all.with_literal.size());
    states_[number].literals = table;
    LooseSpelling spelling;
    for (auto const& [literal, own] : all.with_literal) {
        Alive next = own;
        if (!literal.empty()) {
            append(next, all.with_parameter);
            for (std::size_t i = 0; i < all.patterns.size() && spelling.take(literal); ++i) {
                bool const fits =
                    all.patterns[i]->fit(literal, spelling.text()) == SegmentPattern::Fit::yes;
                if (fits) append(next, all.with_pattern[i]);
            }
            steps_ += all.patterns.size();
        }
        add_edge(table, literal, add_state(next, depth + 1));
    }
}

// Each set of patterns that one segment may fit, in ascending order of their numbers; nullopt: they
// are beyond the limits.
std::optional<std::vector<Router::Fitting>> Router::sets_of(Continuations const& all) {
    std::vector<Fitting> sets;
    if (all.patterns.size() > limits_.patterns) return std::nullopt;
    std::size_t const most_steps = steps_ + limits_.steps / 8;
    // Each set of so many patterns is made of one that has one less.
    for (std::size_t i = 0; i < all.patterns.size(); ++i) {
        sets.emplace_back();
        (void)sets.back().add(static_cast<std::uint16_t>(i));
    }
    for (std::size_t at = 0; at < sets.size(); ++at) {
        auto const chosen = sets[at];
        if (chosen.count == Fitting::max_count) break;
        auto const* const end = chosen.numbers.data() + chosen.count;
        for (std::size_t i = end[-1] + std::size_t{1}; i < all.patterns.size(); ++i) {
            steps_ += 1 + chosen.count;
            if (steps_ > most_steps || sets.size() > limits_.states) return std::nullopt;
            bool const may_be =
                std::all_of(chosen.numbers.data(), end, [&all, i](std::uint16_t other) {
                    return may_share_segment(*all.patterns[other], *all.patterns[i]);
                });
            if (!may_be) continue;
            sets.push_back(chosen);
            (void)sets.back().add(static_cast<std::uint16_t>(i));
        }
    }
    return sets;
}

std::uint32_t Router::add_mixed(Continuations const& all, std::vector<Fitting> const& sets,
                                std::size_t depth) {
    Mixed mixed;
    for (auto const* const pattern : all.patterns)
        mixed.patterns.push_back(*pattern);
    add_index(mixed.as_sent, mixed, false);
    add_index(mixed.as_compared, mixed, true);
    mixed.sets = add_table(sets.size());
    for (auto const& set : sets) {
        Alive alive = all.with_parameter;
        for (std::size_t one = 0; one < set.count; ++one)
            append(alive, all.with_pattern[set.numbers[one]]);
        add_edge(mixed.sets, set.key(), add_state(alive, depth + 1));
    }
    mixed_.push_back(std::move(mixed));
    return static_cast<std::uint32_t>(mixed_.size() - 1);
}

void Router::add_index(Index& index, Mixed const& mixed, bool is_loose) {
    std::map<std::pair<std::size_t, std::size_t>, std::map<std::string, std::uint32_t>> groups;
    for (std::size_t i = 0; i < mixed.patterns.size(); ++i) {
        auto const& pattern = mixed.patterns[i];
        auto const& literals = is_loose ? pattern.loose_literals() : pattern.literals();
        auto& group = groups[{literals.front().size(), literals.back().size()}];
        auto const [at, is_new] = group.emplace(literals.front() + literals.back(),
                                                static_cast<std::uint32_t>(index.buckets.size()));
        if (is_new) index.buckets.emplace_back();
        index.buckets[at->second].push_back(static_cast<std::uint16_t>(i));
    }
    for (auto const& [sizes, group] : groups) {
        auto const table = add_table(group.size());
        for (auto const& [text, bucket] : group)
            add_edge(table, text, bucket);
        index.ends.push_back({sizes.first, sizes.second, table});
    }
}

void Router::add_loose_literals(State& state, Continuations const& all) {
    state.loose_literals = add_table(all.with_literal.size());
    for (auto const& entry : all.with_literal) {
        LooseSpelling spelling;
        // A literal has no invalid escape, and is short enough.
        if (!spelling.take(entry.first)) continue;
        auto const text = spelling.text();
        add_edge(state.loose_literals, text, 0);
        // The first character of a segment that begins with neither an escape nor a dot is kept.
        state.loose_beginnings |=
            text.empty() ? bit_of_beginning('.') : bit_of_beginning(text.front());
    }
    if (!all.patterns.empty()) state.loose_beginnings = UINT32_MAX;
}

} // namespace sallyport::contract
