// Translates trees to RE2's syntax.
#include "gateway/contract/patterns/translator.h"

#include <algorithm>
#include <cstddef>

namespace sallyport::contract {

namespace {

// Limit for characters and classes, with repetitions expanded.
constexpr std::uint64_t max_steps = 2500;

constexpr std::string_view any_character = R"([\x{0}-\x{10ffff}])";

struct Piece {
    std::string text;
    std::uint64_t steps = 0;
    std::uint64_t product = 1; // the largest product of nested counts
};

[[nodiscard]] std::string class_of(Term const& term) {
    if (term.is_single && !term.is_negated) return term.set;
    // An empty class: `[]` or \P{Any} matches nothing, `[^]` any character.
    if (term.set.empty())
        return std::string{term.is_negated ? any_character : R"([^\x{0}-\x{10ffff}])"};
    return (term.is_negated ? "[^" : "[") + term.set + ']';
}

[[nodiscard]] std::string text_of(Term const& term) {
    return term.ignores_case ? "(?i:" + class_of(term) + ')' : class_of(term);
}

// One class that is repeated over the whole text.
[[nodiscard]] bool is_counted_class(Alternatives const& alternatives) {
    if (alternatives.size() != 1 || alternatives.front().size() != 3) return false;
    Sequence const& terms = alternatives.front();
    return terms[0].kind == TermKind::start && terms[1].kind == TermKind::character
           && terms[1].quantifier == Quantifier::counted && terms[2].kind == TermKind::end;
}

[[nodiscard]] bool has_not_boundary(Alternatives const& alternatives) {
    return std::any_of(alternatives.begin(), alternatives.end(), [](Sequence const& sequence) {
        return std::any_of(sequence.begin(), sequence.end(), [](Term const& term) {
            return term.kind == TermKind::not_boundary || has_not_boundary(term.branches);
        });
    });
}

class Translator {
public:
    Translation run(Alternatives const& alternatives) {
        Translation result;
        if (is_counted_class(alternatives)) {
            // Its characters are counted without RE2, without limit.
            Term const& only = alternatives.front()[1];
            result.text = "\\A" + text_of(only) + "*\\z";
            result.least = only.counts.least;
            result.most = only.counts.most;
            return result;
        }
        Piece piece = translate(alternatives);
        result.steps = std::max<std::uint64_t>(1, piece.steps);
        if (is_too_long_) {
            result.error = "its repetitions expand to more than 2500 characters";
            result.hint = "write smaller counts, or minLength and maxLength for the whole text";
        } else if (has_not_boundary(alternatives)) {
            // RE2 matches bytes: \B would match inside a character without the complete characters
            // before it.
            result.text = "\\A" + std::string{any_character} + "*(?:" + piece.text + ')';
        } else {
            result.text = std::move(piece.text);
        }
        return result;
    }

private:
    Piece translate(Alternatives const& alternatives) {
        Piece all;
        for (Sequence const& sequence : alternatives) {
            if (&sequence != &alternatives.front()) all.text += '|';
            for (Term const& term : sequence)
                append(all, term);
        }
        return all;
    }

    void append(Piece& all, Term const& term) {
        if (is_too_long_) return;
        Piece piece = translate(term);
        switch (term.quantifier) {
        case Quantifier::none: break;
        case Quantifier::any: piece.text += '*'; break;
        case Quantifier::some: piece.text += '+'; break;
        case Quantifier::optional: piece.text += '?'; break;
        case Quantifier::counted: repeat_piece(piece, term.counts); break;
        }
        all.text += piece.text;
        all.steps += piece.steps;
        all.product = std::max(all.product, piece.product);
        if (term.quantifier == Quantifier::counted && all.steps > max_steps) is_too_long_ = true;
    }

    Piece translate(Term const& term) {
        switch (term.kind) {
        case TermKind::character: return {text_of(term), 1, 1};
        case TermKind::start: return {"\\A", 0, 1};
        case TermKind::end: return {"\\z", 0, 1};
        case TermKind::boundary: return {"\\b", 0, 1};
        case TermKind::not_boundary: return {"\\B", 0, 1};
        case TermKind::group: {
            // Groups do not capture: their contents are not needed. At least one step, so that a
            // count is bounded whatever it repeats.
            Piece inner = translate(term.branches);
            return {"(?:" + inner.text + ')', std::max<std::uint64_t>(1, inner.steps),
                    inner.product};
        }
        case TermKind::look_ahead:
        case TermKind::look_behind:
        case TermKind::nothing: break;
        }
        return {};
    }

    void repeat_piece(Piece& piece, Counts const& counts) {
        std::uint64_t const count =
            std::max({counts.least, counts.most == no_most ? 0 : counts.most, std::uint64_t{1}});
        if (count > max_steps / piece.steps) {
            is_too_long_ = true;
            return;
        }
        std::uint64_t const largest = std::max<std::uint64_t>(1, max_re2_count / piece.product);
        piece.text = repeat(piece.text, counts, largest);
        piece.steps *= count;
        piece.product *= std::min(count, largest);
    }

    bool is_too_long_ = false;
};

} // namespace

Translation translate_pattern(Alternatives const& alternatives) {
    return Translator{}.run(alternatives);
}

} // namespace sallyport::contract
