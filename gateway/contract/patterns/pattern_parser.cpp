// Parses ECMA-262 patterns, one construct at a time: a construct that is not listed here is
// refused.
#include "gateway/contract/patterns/pattern_parser.h"

#include "gateway/contract/patterns/pattern_classes.h"
#include "gateway/contract/patterns/pattern_input.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace sallyport::contract {

namespace {

constexpr std::size_t max_pattern = 4096;
constexpr std::size_t max_groups = 128; // nested
constexpr std::size_t max_look_around = 64;

// ES2025, 22.2.1: RegularExpressionModifiers. `ignore_case` is in PatternInput.
struct Flags {
    bool ignore_case = false;
    bool multiline = false;
    bool dot_all = false;
};

class Parser {
public:
    Parser(std::string_view pattern, PatternPurpose purpose) : input_{pattern, purpose} {}

    ParsedPattern run() {
        ParsedPattern parsed;
        if (reader().rest().size() > max_pattern) {
            input_.fail_unsupported("it is longer than 4096 bytes",
                                    "write several patterns in allOf");
        }
        parsed.alternatives = alternatives(0);
        if (reader().is_at(")"))
            input_.fail("a ) has no matching (", "write \\) for the character");
        check_references();
        input_.hand_over(parsed);
        return parsed;
    }

private:
    [[nodiscard]] PatternReader& reader() noexcept { return input_.reader; }

    void set_flags(Flags const& flags) {
        flags_ = flags;
        input_.ignores_case = flags.ignore_case;
    }

    // The last one is the operand of a quantifier. A check needs no more than that.
    void append(Sequence& sequence, Term term) {
        if (input_.is_strict()) sequence.clear();
        sequence.push_back(std::move(term));
    }

    void append(Sequence& sequence, TermKind kind) {
        Term term;
        term.kind = kind;
        append(sequence, std::move(term));
    }

    // Up to the end or a `)`.
    Alternatives alternatives(std::size_t depth) {
        Flags const outer = flags_;
        Alternatives all(1);
        while (!input_.has_failed() && !reader().is_at_end() && !reader().is_at(")")) {
            if (!reader().take("|")) {
                term(all.back(), depth);
            } else if (input_.is_strict()) {
                all.back().clear();
            } else {
                all.emplace_back();
            }
        }
        set_flags(outer);
        return all;
    }

    // ECMA-262, 22.2.1: Term
    void term(Sequence& sequence, std::size_t depth) {
        char const c = reader().rest().front();
        switch (c) {
        case '^': reader().skip(1); return anchor(sequence, TermKind::start);
        case '$': reader().skip(1); return anchor(sequence, TermKind::end);
        case '(': return group(sequence, depth);
        case '*': return quantify(sequence, Quantifier::any);
        case '+': return quantify(sequence, Quantifier::some);
        case '?': return quantify(sequence, Quantifier::optional);
        case '{': return braces(sequence);
        case '.': reader().skip(1); return dot(sequence);
        case '[': reader().skip(1); return append(sequence, input_.take_class());
        case '\\': return escape(sequence);
        case ']':
        case '}': warn_of_bracket(c); break;
        default: break;
        }
        character(sequence, reader().take_code_point());
    }

    void warn_of_bracket(char c) {
        input_.warn(std::string{c} + " without a backslash is read as the character "
                        + "(ECMA-262, Annex B)",
                    std::string{"write \\"} + c);
    }

    void character(Sequence& sequence, char32_t code_point) {
        Term term;
        term.kind = TermKind::character;
        term.is_single = true;
        term.ignores_case = flags_.ignore_case;
        append_code_point(term.set, code_point);
        append(sequence, std::move(term));
    }

    void dot(Sequence& sequence) {
        Term term;
        term.kind = TermKind::character;
        term.is_negated = true;
        if (!flags_.dot_all) term.set = line_terminators;
        append(sequence, std::move(term));
    }

    // With the flag m, `^` is (?<=^|[line terminators]), and `$` is (?=$|[line terminators]).
    void anchor(Sequence& sequence, TermKind kind) {
        if (!flags_.multiline) return append(sequence, kind);
        bool const is_start = kind == TermKind::start;
        Term term;
        term.kind = is_start ? TermKind::look_behind : TermKind::look_ahead;
        term.name = is_start ? "^ with the flag m" : "$ with the flag m";
        term.branches.resize(2);
        append(term.branches[0], kind);
        Term line_end;
        line_end.kind = TermKind::character;
        line_end.set = line_terminators;
        append(term.branches[1], std::move(line_end));
        append_look_around(sequence, std::move(term));
    }

    void append_look_around(Sequence& sequence, Term term) {
        if (++look_arounds_ > max_look_around && !input_.is_strict()) {
            return input_.fail_unsupported("it has more than 64 look-arounds",
                                           "write several patterns in allOf");
        }
        append(sequence, std::move(term));
    }

    void group(Sequence& sequence, std::size_t depth) {
        reader().skip(1);
        if (depth >= max_groups) {
            return input_.fail_unsupported("groups are nested too deeply",
                                           "write several patterns in allOf");
        }
        Flags const outer = flags_;
        Term term;
        term.kind = TermKind::group;
        if (take_look_around(term) || reader().take("?:")) {
            // The kind is known.
        } else if (reader().take("?<")) {
            if (!take_group_name()) return;
        } else if (reader().is_at("?")) {
            if (!take_flags()) return;
            if (reader().take(")")) {
                // For the rest of the surrounding group. `(?i)*` repeats nothing.
                if (!sequence.empty()) append(sequence, TermKind::nothing);
                return;
            }
            reader().skip(1); // the colon
        } else {
            ++captures_;
        }
        term.branches = alternatives(depth + 1);
        set_flags(outer);
        if (!reader().take(")")) {
            return input_.fail("a group is not closed", "write a ), or \\( for the character");
        }
        if (!is_look_around(term)) return append(sequence, std::move(term));
        append_look_around(sequence, std::move(term));
    }

    [[nodiscard]] bool take_look_around(Term& term) {
        bool const is_behind = reader().is_at("?<=") || reader().is_at("?<!");
        if (!is_behind && !reader().is_at("?=") && !reader().is_at("?!")) return false;
        reader().skip(is_behind ? 2 : 1);
        term.kind = is_behind ? TermKind::look_behind : TermKind::look_ahead;
        term.name = is_behind ? "look-behind" : "look-ahead";
        term.is_negated = reader().is_at("!");
        reader().skip(1);
        return true;
    }

    // After `(`: `?ims-ims`, with the reader at the `:` or `)` after it. ES2025, 22.2.1: no flag
    // twice; only with a colon.
    [[nodiscard]] bool take_flags() {
        std::string_view const rest = reader().rest().substr(1);
        std::size_t const size = std::min(rest.find_first_of(":)"), rest.size());
        std::string_view const flags = rest.substr(0, size);
        bool const are_letters = std::all_of(flags.begin(), flags.end(),
                                             [](char c) { return text::is_letter(c) || c == '-'; });
        bool const is_global = rest.substr(size, 1) == ")";
        if (flags.empty() || size == rest.size() || !are_letters
            || (is_global && input_.is_strict())) {
            input_.fail("a group begins with an unknown (?", "write (?: or (");
            return false;
        }
        if (!apply_flags(flags)) return false;
        if (is_global) {
            input_.warn("(?" + std::string{flags}
                            + ") is not in ECMA-262: it is read as in RE2, for "
                            + "the rest of the group",
                        "write (?" + std::string{flags} + ":...)");
        }
        reader().skip(1 + size);
        return true;
    }

    [[nodiscard]] bool apply_flags(std::string_view flags) {
        Flags next = flags_;
        bool value = true;
        for (std::size_t i = 0; i < flags.size(); ++i) {
            char const c = flags[i];
            bool const is_twice = flags.find(c, i + 1) != std::string_view::npos;
            bool* const flag = c == 'i'   ? &next.ignore_case
                               : c == 'm' ? &next.multiline
                               : c == 's' ? &next.dot_all
                                          : nullptr;
            if (is_twice || (flag == nullptr && c != '-') || flags == "-") {
                input_.fail_unsupported("the inline flags " + std::string{flags}
                                            + " are not supported",
                                        "write i, m or s, each once");
                return false;
            }
            if (c == '-') value = false;
            if (flag != nullptr) *flag = value;
        }
        set_flags(next);
        return true;
    }

    // The name of a group and the `>` after it. ECMA-262, 22.2.1.1: names are unique.
    [[nodiscard]] bool take_group_name() {
        ++captures_;
        auto name = input_.take_name();
        if (!name) return false;
        if (std::find(names_.begin(), names_.end(), *name) != names_.end()) {
            input_.fail("two groups have the name " + *name, "write another name, or (?:");
            return false;
        }
        names_.push_back(std::move(*name));
        return true;
    }

    void quantify(Sequence& sequence, Quantifier quantifier) {
        if (!is_repeatable(sequence)) return;
        reader().skip(1);
        apply(sequence, quantifier, {});
    }

    // Whether a quantifier may follow; otherwise it has failed.
    [[nodiscard]] bool is_repeatable(Sequence const& sequence) {
        if (!sequence.empty() && sequence.back().quantifier == Quantifier::none) {
            Term const& last = sequence.back();
            if (last.kind == TermKind::character || last.kind == TermKind::group) return true;
            // ECMA-262, B.1.2: QuantifiableAssertion
            if (last.name == "look-ahead" && !input_.is_strict()) return true;
        }
        input_.fail("a quantifier has nothing to repeat", "write a backslash in front of it");
        return false;
    }

    void apply(Sequence& sequence, Quantifier quantifier, Counts const& counts) {
        // Lazy and greedy quantifiers match the same texts.
        (void)reader().take("?");
        Term& last = sequence.back();
        last.quantifier = quantifier;
        last.counts = counts;
        if (last.kind != TermKind::look_ahead) return;
        input_.warn("a quantifier after a look-ahead is not in the grammar with the flag u "
                    "(ECMA-262, Annex B)",
                    "write the look-ahead without it");
        bool const is_needed = quantifier == Quantifier::some
                               || (quantifier == Quantifier::counted && counts.least > 0);
        // A turn that consumes nothing is not repeated, and is none of those that may be left out.
        last.quantifier = Quantifier::none;
        if (!is_needed) last = Term{};
        append(sequence, TermKind::nothing); // which has no second quantifier
    }

    // {n}, {n,} or {n,m}; otherwise a literal brace (ECMA-262, B.1.2).
    void braces(Sequence& sequence) {
        PatternReader ahead = reader();
        ahead.skip(1);
        std::string_view const least = ahead.take_digits();
        bool const has_comma = ahead.take(",");
        std::string_view const most = has_comma ? ahead.take_digits() : least;
        if (least.empty() || !ahead.take("}")) {
            warn_of_bracket('{');
            return character(sequence, reader().take_code_point());
        }
        if (!is_repeatable(sequence)) return;
        reader() = ahead;
        Counts const counts{number_from(least), most.empty() ? no_most : number_from(most)};
        // ECMA-262, 22.2.1.1
        if (counts.least > counts.most) {
            return input_.fail("a repetition has a minimum above its maximum", "swap the two");
        }
        apply(sequence, Quantifier::counted, counts);
    }

    void escape(Sequence& sequence) {
        reader().skip(1);
        if (reader().is_at_end())
            return input_.fail("it ends in a backslash", "write two, or none");
        char const c = reader().rest().front();
        if (c == 'b' || c == 'B') {
            reader().skip(1);
            if (flags_.ignore_case) {
                // With the flags `iu`, U+017F and U+212A are letters of a word.
                return input_.fail_unsupported(std::string{"\\"} + c
                                                   + " with the flag i is not supported",
                                               "write which characters may be beside it");
            }
            return append(sequence, c == 'b' ? TermKind::boundary : TermKind::not_boundary);
        }
        if (is_back_reference()) return back_reference(sequence);
        append(sequence, input_.take_escape());
    }

    // ECMA-262, B.1.2: without the flag `u`, `\1` is one only if there is such a group.
    [[nodiscard]] bool is_back_reference() {
        char const c = reader().rest().front();
        if (c == 'k') return input_.is_strict() || input_.captures().has_names;
        if (c < '1' || c > '9') return false;
        PatternReader ahead = reader();
        return input_.is_strict() || number_from(ahead.take_digits()) <= input_.captures().count;
    }

    void back_reference(Sequence& sequence) {
        std::string_view const before = reader().rest();
        if (reader().take("k")) {
            auto name = reader().take("<") ? input_.take_name() : std::nullopt;
            if (!name) return input_.fail("\\k needs <a name>", "write \\k<name>");
            referenced_names_.push_back(std::move(*name));
        } else {
            referenced_captures_ =
                std::max(referenced_captures_, number_from(reader().take_digits()));
        }
        if (!input_.is_strict()) {
            std::string_view const all = before.substr(0, before.size() - reader().rest().size());
            return input_.fail_unsupported("the back-reference \\" + std::string{all}
                                               + " has no equivalent in linear time",
                                           "write out what it may repeat");
        }
        append(sequence, TermKind::group);
    }

    // ECMA-262, 22.2.1.1: the referenced group must exist, possibly later in the pattern.
    void check_references() {
        auto const is_known = [this](std::string const& name) {
            return std::find(names_.begin(), names_.end(), name) != names_.end();
        };
        if (referenced_captures_ > captures_
            || !std::all_of(referenced_names_.begin(), referenced_names_.end(), is_known)) {
            input_.fail("a back-reference refers to no group",
                        "write the number or name of a group");
        }
    }

    PatternInput input_;
    Flags flags_;
    std::size_t look_arounds_ = 0;
    std::uint64_t captures_ = 0;
    std::uint64_t referenced_captures_ = 0;
    std::vector<std::string> names_;
    std::vector<std::string> referenced_names_;
};

} // namespace

ParsedPattern parse_pattern(std::string_view pattern, PatternPurpose purpose) {
    return Parser{pattern, purpose}.run();
}

} // namespace sallyport::contract
