// Splits patterns with look-around. Only what is provably equal is split: see the comment of each
// step.
#include "gateway/contract/patterns/look_around.h"

#include "gateway/contract/patterns/pattern_characters.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace sallyport::contract {

namespace {

// Sequences that one pattern may be split into, before they are combined to parts.
constexpr std::size_t max_sequences = 1024;

// Lengths of a counted repetition in front of a look-around, each of which is a sequence.
constexpr std::uint64_t max_lengths = 8;

[[nodiscard]] Term term_of(TermKind kind) {
    Term term;
    term.kind = kind;
    return term;
}

[[nodiscard]] Term group_of(Alternatives branches) {
    Term term = term_of(TermKind::group);
    term.branches = std::move(branches);
    return term;
}

[[nodiscard]] bool contains_look_around(Term const& term) {
    return is_look_around(term) || has_look_around(term.branches);
}

// The number of code points of every text that the term matches; nullopt: it may differ.
[[nodiscard]] std::optional<std::uint64_t> length_of(Term const& term);

[[nodiscard]] std::optional<std::uint64_t> length_of(Sequence const& sequence) {
    std::uint64_t sum = 0;
    for (Term const& term : sequence) {
        auto const length = length_of(term);
        if (!length) return std::nullopt;
        sum += *length;
    }
    return sum;
}

std::optional<std::uint64_t> length_of(Term const& term) {
    std::optional<std::uint64_t> once = 0;
    if (term.kind == TermKind::character) once = 1;
    if (term.kind == TermKind::group) {
        once = length_of(term.branches.front());
        bool const are_equal =
            std::all_of(term.branches.begin(), term.branches.end(),
                        [&once](Sequence const& branch) { return length_of(branch) == once; });
        if (!are_equal) return std::nullopt;
    }
    if (term.quantifier == Quantifier::none || !once) return once;
    bool const is_exact =
        term.quantifier == Quantifier::counted && term.counts.least == term.counts.most;
    if (!is_exact) return std::nullopt;
    // Above this the repetition cannot be translated anyway.
    constexpr std::uint64_t longest = 1'000'000;
    if (*once > longest || term.counts.least > longest) return std::nullopt;
    return *once * term.counts.least;
}

// The choices of a term that matches texts of several lengths, each as the terms in its place;
// empty: they are too many, or the term has none.
[[nodiscard]] Alternatives choices_of(Term const& term) {
    Term once = term;
    once.quantifier = Quantifier::none;
    switch (term.quantifier) {
    case Quantifier::none: return term.branches;
    case Quantifier::optional: return {{}, {once}};
    case Quantifier::counted: break;
    default: return {};
    }
    auto const [least, most] = term.counts;
    if (least == most || most - least >= max_lengths) return {};
    Alternatives choices;
    for (std::uint64_t count = least; count <= most; ++count) {
        Term exact = term;
        exact.counts = {count, count};
        choices.push_back(count == 0 ? Sequence{} : Sequence{exact});
    }
    return choices;
}

[[nodiscard]] bool is_empty_match(Term const& term) {
    return term.quantifier == Quantifier::none && length_of(term) == 0;
}

// `^`, `$`, `\b`, `\B`: those at one place hold in any order.
[[nodiscard]] bool is_movable(Term const& term) {
    return is_empty_match(term) && term.kind != TermKind::group && !is_look_around(term);
}

// The one character of a look-around that has nothing else; null: it has.
[[nodiscard]] Term const* only_character(Term const& look) {
    if (look.branches.size() != 1 || look.branches.front().size() != 1) return nullptr;
    Term const& only = look.branches.front().front();
    bool const is_plain = only.kind == TermKind::character && only.quantifier == Quantifier::none;
    return is_plain ? &only : nullptr;
}

[[nodiscard]] Sequence without_look_around(Sequence::const_iterator begin,
                                           Sequence::const_iterator end) {
    Sequence rest;
    std::copy_if(begin, end, std::back_inserter(rest),
                 [](Term const& term) { return !is_look_around(term); });
    return rest;
}

// Whether it is found in every text.
[[nodiscard]] bool is_always_found(Sequence const& sequence) {
    auto const are_all = [&sequence](TermKind kind) {
        return std::all_of(sequence.begin(), sequence.end(), [kind](Term const& term) {
            return term.kind == kind || term.kind == TermKind::nothing;
        });
    };
    return are_all(TermKind::start) || are_all(TermKind::end);
}

class Splitter {
public:
    SplitPattern run(Alternatives const& pattern) {
        SplitPattern result;
        result.condition = split(pattern);
        if (error_.empty() && count_parts(result.condition) > max_pattern_parts) fail_with_parts();
        result.error = std::move(error_);
        result.hint = std::move(hint_);
        return result;
    }

private:
    using Kind = PatternCondition::Kind;

    void fail(std::string error, std::string hint) {
        if (!error_.empty()) return;
        error_ = std::move(error);
        hint_ = std::move(hint);
    }

    void fail_with_parts() {
        fail("its look-around needs more than 16 patterns", "write several patterns in allOf");
    }

    [[nodiscard]] static std::size_t count_parts(PatternCondition const& condition) {
        std::size_t count = condition.kind == Kind::part ? 1 : 0;
        for (auto const& child : condition.children)
            count += count_parts(child);
        return count;
    }

    // One or the other pattern is found: one pattern with both. Not one and not the other: not one
    // with both.
    [[nodiscard]] static PatternCondition combine(Kind kind,
                                                  std::vector<PatternCondition> children) {
        PatternCondition all;
        all.kind = kind;
        PatternCondition joined;
        joined.is_negated = kind == Kind::all_of;
        for (auto& child : children) {
            if (child.kind == Kind::part && child.is_negated == joined.is_negated) {
                std::move(child.part.begin(), child.part.end(), std::back_inserter(joined.part));
            } else {
                all.children.push_back(std::move(child));
            }
        }
        if (!joined.part.empty()) all.children.push_back(std::move(joined));
        if (all.children.size() != 1) return all;
        PatternCondition only = std::move(all.children.front());
        return only;
    }

    PatternCondition split(Alternatives const& alternatives) {
        std::vector<PatternCondition> children;
        for (Sequence const& sequence : alternatives)
            children.push_back(split(sequence));
        return combine(Kind::any_of, std::move(children));
    }

    PatternCondition split(Sequence const& sequence) {
        if (++sequences_ > max_sequences) fail_with_parts();
        PatternCondition part;
        if (!error_.empty()) return part;
        auto const group = std::find_if(sequence.begin(), sequence.end(), [](Term const& term) {
            return !is_look_around(term) && contains_look_around(term);
        });
        if (group != sequence.end()) return split_group(sequence, group);
        for (auto term = sequence.begin(); term != sequence.end(); ++term) {
            if (!is_look_around(*term)) continue;
            if (auto const merged = merge(sequence, term)) return split(*merged);
        }
        auto const is_split = std::any_of(sequence.begin(), sequence.end(), is_look_around);
        if (is_split) return split_at_known_places(sequence);
        part.part.push_back(sequence);
        return part;
    }

    // x(?:a|b)y is found where xay or xby is. Branches without look-around remain one group.
    PatternCondition split_group(Sequence const& sequence, Sequence::const_iterator group) {
        Alternatives branches;
        Alternatives plain;
        for (Sequence const& branch : group->branches) {
            (has_look_around({branch}) ? branches : plain).push_back(branch);
        }
        bool const may_be_absent = group->quantifier == Quantifier::optional;
        if (may_be_absent) plain.emplace_back();
        if (!may_be_absent && group->quantifier != Quantifier::none) {
            fail(std::string{name_in(group->branches)}
                     + " in a repetition has no equivalent in linear time",
                 "write several patterns in allOf, or one in not");
            return {};
        }
        if (!plain.empty()) branches.push_back({group_of(std::move(plain))});
        std::vector<PatternCondition> children;
        for (Sequence const& branch : branches) {
            Sequence whole{sequence.begin(), group};
            whole.insert(whole.end(), branch.begin(), branch.end());
            whole.insert(whole.end(), group + 1, sequence.end());
            children.push_back(split(whole));
        }
        return combine(Kind::any_of, std::move(children));
    }

    [[nodiscard]] static std::string_view name_in(Alternatives const& alternatives) {
        for (Sequence const& sequence : alternatives) {
            for (Term const& term : sequence) {
                if (is_look_around(term)) return term.name;
                if (auto const name = name_in(term.branches); !name.empty()) return name;
            }
        }
        return {};
    }

    // Patterns are found anywhere, and what they match does not matter: x(?=y) at the end of a
    // pattern is found where xy is, and (?<=x)y at its beginning where xy is. A single character
    // that must not be there: another one is, or the text ends. nullopt: it is something else.
    [[nodiscard]] static std::optional<Sequence> merge(Sequence const& sequence,
                                                       Sequence::const_iterator look) {
        bool const is_ahead = look->kind == TermKind::look_ahead;
        bool const is_last = is_ahead ? std::all_of(look + 1, sequence.end(), is_movable)
                                      : std::all_of(sequence.begin(), look, is_movable);
        if (!is_last) return std::nullopt;
        Term text = group_of(look->branches);
        if (look->is_negated) {
            Term const* const only = only_character(*look);
            if (only == nullptr) return std::nullopt;
            Term other = *only;
            other.is_negated = !other.is_negated;
            text = group_of({{term_of(is_ahead ? TermKind::end : TermKind::start)}, {other}});
        }
        Sequence merged;
        if (!is_ahead) merged.push_back(text);
        merged.insert(merged.end(), sequence.begin(), look);
        merged.insert(merged.end(), look + 1, sequence.end());
        if (is_ahead) merged.push_back(text);
        return merged;
    }

    // Where the place of each look-around is known, it does not depend on what the rest matches:
    // all of them must hold, and the rest without them.
    PatternCondition split_at_known_places(Sequence const& sequence) {
        std::vector<PatternCondition> children;
        for (auto term = sequence.begin(); term != sequence.end(); ++term) {
            if (!is_look_around(*term)) continue;
            auto const alone = with_its_place(sequence, term);
            if (!alone) return split_choices(sequence, term);
            PatternCondition child = split(*alone);
            child.is_negated = child.is_negated != term->is_negated;
            children.push_back(std::move(child));
        }
        PatternCondition rest;
        rest.part.push_back(without_look_around(sequence.begin(), sequence.end()));
        if (!is_always_found(rest.part.front())) children.push_back(std::move(rest));
        return combine(Kind::all_of, std::move(children));
    }

    // ^x?(?=a)y is found where ^(?=a)y or ^x(?=a)y is: with each choice of the terms between the
    // anchor and the look-around its place is known.
    PatternCondition split_choices(Sequence const& sequence, Sequence::const_iterator look) {
        bool const is_ahead = look->kind == TermKind::look_ahead;
        auto begin = is_ahead ? sequence.begin() : look + 1;
        auto end = is_ahead ? look : sequence.end();
        auto const is_anchor = [is_ahead](Term const& term) {
            return term.kind == (is_ahead ? TermKind::start : TermKind::end);
        };
        auto const anchor = std::find_if(begin, end, is_anchor);
        bool const is_anchored = anchor != end;
        (is_ahead ? begin : end) = anchor;
        auto const varies = [](Term const& term) { return !length_of(term); };
        bool const has_few = is_anchored && std::all_of(begin, end, [&varies](Term const& term) {
            return !varies(term) || !choices_of(term).empty();
        });
        auto const first = std::find_if(begin, end, varies);
        if (!has_few || first == end) {
            fail_at(sequence, look);
            return {};
        }
        std::vector<PatternCondition> children;
        for (Sequence const& choice : choices_of(*first)) {
            Sequence whole{sequence.begin(), first};
            whole.insert(whole.end(), choice.begin(), choice.end());
            whole.insert(whole.end(), first + 1, sequence.end());
            children.push_back(split(whole));
        }
        return combine(Kind::any_of, std::move(children));
    }

    // ^aTb(?=c) where `a` matches no T: the look-around is behind the first T of the text, whatever
    // else the pattern says. nullopt: there is no such character in front of it.
    [[nodiscard]] static std::optional<Sequence> behind_a_mark(Sequence const& sequence,
                                                               Sequence::const_iterator look) {
        auto const start = std::find_if(sequence.begin(), look, [](Term const& term) {
            return term.kind == TermKind::start;
        });
        if (start == look) return std::nullopt;
        for (auto mark = look; --mark != start && length_of(*mark);) {
            bool const is_plain =
                mark->kind == TermKind::character && mark->quantifier == Quantifier::none;
            auto const is_free = [mark](Term const& term) { return has_none_of(term, *mark); };
            if (!is_plain || !std::all_of(start + 1, mark, is_free)) continue;
            Term other = *mark;
            other.is_negated = !other.is_negated;
            other.quantifier = Quantifier::any;
            Sequence alone{*start, other};
            Sequence const between = without_look_around(mark, look);
            alone.insert(alone.end(), between.begin(), between.end());
            alone.push_back(group_of(look->branches));
            return alone;
        }
        return std::nullopt;
    }

    // A sequence that is found if the content of the look-around is found at its place; nullopt:
    // the place depends on what the rest matches.
    [[nodiscard]] static std::optional<Sequence> with_its_place(Sequence const& sequence,
                                                                Sequence::const_iterator look) {
        bool const is_ahead = look->kind == TermKind::look_ahead;
        Term const content = group_of(look->branches);
        // At an anchor.
        for (TermKind const kind : {TermKind::start, TermKind::end}) {
            if (!is_beside(sequence, look, kind)) continue;
            Term const anchor = term_of(kind);
            return is_ahead ? Sequence{anchor, content} : Sequence{content, anchor};
        }
        // A fixed number of characters after `^`, or before `$`.
        if (is_ahead) {
            auto begin = look;
            while (begin != sequence.begin()) {
                --begin;
                if (begin->kind == TermKind::start) {
                    Sequence alone = without_look_around(begin, look);
                    alone.push_back(content);
                    return alone;
                }
                if (!length_of(*begin)) break;
            }
            return behind_a_mark(sequence, look);
        }
        auto const end = std::find_if(look + 1, sequence.end(), [](Term const& term) {
            return term.kind == TermKind::end || !length_of(term);
        });
        if (end == sequence.end() || end->kind != TermKind::end) return std::nullopt;
        Sequence alone{content};
        Sequence const rest = without_look_around(look, end + 1);
        alone.insert(alone.end(), rest.begin(), rest.end());
        return alone;
    }

    // Whether nothing but terms that match no character is between the term and such an anchor.
    [[nodiscard]] static bool is_beside(Sequence const& sequence, Sequence::const_iterator term,
                                        TermKind kind) {
        auto const is_other = [](Term const& one) { return !is_empty_match(one); };
        auto const end = std::find_if(term, sequence.end(), is_other);
        auto const begin =
            std::find_if(std::make_reverse_iterator(term), sequence.rend(), is_other);
        return std::any_of(begin.base(), end, [kind](Term const& one) { return one.kind == kind; });
    }

    void fail_at(Sequence const& sequence, Sequence::const_iterator look) {
        bool const is_ahead = look->kind == TermKind::look_ahead;
        bool const is_first = std::all_of(sequence.begin(), look, is_empty_match);
        bool const is_last = std::all_of(look + 1, sequence.end(), is_empty_match);
        std::string where = " in the middle of the pattern";
        std::string hint = "write several patterns in allOf, or one in not";
        if (is_ahead && is_first) {
            where = " at the beginning of the pattern without ^";
            hint = "write ^ in front of it, or several patterns in allOf";
        } else if (!is_ahead && is_last) {
            where = " at the end of the pattern without $";
            hint = "write $ after it, or several patterns in allOf";
        } else if (is_first || is_last) {
            where = std::string{" of more than one character at the "}
                    + (is_last ? "end" : "beginning") + " of the pattern";
        }
        fail((look->is_negated ? "negative " : "") + std::string{look->name} + where
                 + " has no equivalent in linear time",
             std::move(hint));
    }

    std::size_t sequences_ = 0;
    std::string error_;
    std::string hint_;
};

} // namespace

bool has_look_around(Alternatives const& alternatives) {
    return std::any_of(alternatives.begin(), alternatives.end(), [](Sequence const& sequence) {
        return std::any_of(sequence.begin(), sequence.end(), contains_look_around);
    });
}

SplitPattern split_look_around(Alternatives const& pattern) {
    return Splitter{}.run(pattern);
}

} // namespace sallyport::contract
