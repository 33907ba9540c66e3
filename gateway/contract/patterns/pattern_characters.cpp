// Compares the characters of terms, with RE2 as the one that knows its classes.
#include "gateway/contract/patterns/pattern_characters.h"

#include "gateway/contract/patterns/translator.h"
#include "gateway/text/utf8.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::contract {

namespace {

constexpr std::size_t most_marks = 8;

// The characters of a class that lists a few of them, as the parser writes them: `[Tt]` is
// \x{54}\x{74}; nullopt: it has others, or more.
[[nodiscard]] std::optional<std::vector<std::string>> listed_characters(Term const& term) {
    if (term.is_negated || term.ignores_case) return std::nullopt;
    constexpr std::string_view prefix = "\\x{";
    std::vector<std::string> characters;
    for (std::string_view rest = term.set; !rest.empty();) {
        auto const end = rest.find('}');
        bool const is_one = rest.starts_with(prefix) && end != std::string_view::npos;
        if (!is_one || characters.size() == most_marks) return std::nullopt;
        std::uint32_t code_point = 0;
        std::from_chars(rest.data() + prefix.size(), rest.data() + end, code_point, 16);
        text::append_utf8(characters.emplace_back(), static_cast<char32_t>(code_point));
        rest.remove_prefix(end + 1);
        if (rest.starts_with('-')) return std::nullopt; // a range
    }
    return characters;
}

[[nodiscard]] bool matches_none(Term const& term, std::vector<std::string> const& characters) {
    if (term.kind == TermKind::group) {
        return std::all_of(
            term.branches.begin(), term.branches.end(), [&characters](Sequence const& branch) {
                return std::all_of(branch.begin(), branch.end(), [&characters](Term const& one) {
                    return matches_none(one, characters);
                });
            });
    }
    if (term.kind != TermKind::character) return true;
    Term once = term;
    once.quantifier = Quantifier::none;
    re2::RE2 const known{translate_pattern({{once}}).text, re2::RE2::Quiet};
    return known.ok()
           && std::none_of(characters.begin(), characters.end(), [&known](std::string const& one) {
                  return re2::RE2::FullMatch(one, known);
              });
}

// What every text that matches so far has: a character, the end.
struct Passed {
    bool character = false;
    bool end = false;
};

// Walks over the branches of a pattern or a group; nullopt: none of them is ever found.
[[nodiscard]] std::optional<Passed> walk(Alternatives const& alternatives, Passed before);

[[nodiscard]] std::optional<Passed> walk(Sequence const& sequence, Passed passed) {
    for (Term const& term : sequence) {
        bool const is_sure = term.quantifier == Quantifier::none
                             || term.quantifier == Quantifier::some
                             || (term.quantifier == Quantifier::counted && term.counts.least > 0);
        if (!is_sure) continue;
        switch (term.kind) {
        case TermKind::character:
            if (passed.end) return std::nullopt;
            passed.character = true;
            break;
        case TermKind::start:
            if (passed.character) return std::nullopt;
            break;
        case TermKind::end: passed.end = true; break;
        case TermKind::group: {
            auto const behind = walk(term.branches, passed);
            if (!behind) return std::nullopt;
            passed = *behind;
            break;
        }
        default: break;
        }
    }
    return passed;
}

std::optional<Passed> walk(Alternatives const& alternatives, Passed before) {
    std::optional<Passed> all;
    for (Sequence const& branch : alternatives) {
        auto const one = walk(branch, before);
        if (!one) continue;
        all = all ? Passed{all->character && one->character, all->end && one->end} : *one;
    }
    return all;
}

} // namespace

std::string why_never(Alternatives const& pattern) {
    if (walk(pattern, {})) return {};
    return "a character stands in front of ^, or behind $";
}

bool has_none_of(Term const& term, Term const& mark) {
    auto const characters = listed_characters(mark);
    return characters && !characters->empty() && matches_none(term, *characters);
}

} // namespace sallyport::contract
