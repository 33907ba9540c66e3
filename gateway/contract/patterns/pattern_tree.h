// An ECMA-262 pattern as a tree. Flags are already applied to its characters and anchors.
#pragma once

#include "gateway/contract/patterns/repetition.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

struct Term;
using Sequence = std::vector<Term>;
/// The branches of a pattern or of a group: those that `|` separates.
using Alternatives = std::vector<Sequence>;

enum class TermKind : std::uint8_t {
    character,
    start,        // ^
    end,          // $
    boundary,     // \b
    not_boundary, // \B
    group,
    look_ahead,
    look_behind,
    nothing, // in place of an inline flag
};

enum class Quantifier : std::uint8_t { none, any, some, optional, counted };

/// One term of ECMA-262, 22.2.1.
struct Term {
    TermKind kind = TermKind::nothing;
    Quantifier quantifier = Quantifier::none;
    bool is_negated = false;   // [^...], (?!...), (?<!...)
    bool is_single = false;    // `set` is one code point
    bool ignores_case = false; // the character has the flag i
    Counts counts;             // if counted
    std::string set;           // of a character: the inside of a class in RE2's syntax
    Alternatives branches;     // of a group or look-around
    /// What a message calls the look-around: `^` and `$` with the flag m are also such terms.
    std::string_view name;
};

[[nodiscard]] inline bool is_look_around(Term const& term) noexcept {
    return term.kind == TermKind::look_ahead || term.kind == TermKind::look_behind;
}

/// Whether there is look-around anywhere in it.
[[nodiscard]] bool has_look_around(Alternatives const& alternatives);

} // namespace sallyport::contract
