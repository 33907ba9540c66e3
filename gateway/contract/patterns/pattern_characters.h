// Which characters the terms of a pattern match.
#pragma once

#include "gateway/contract/patterns/pattern_tree.h"

#include <string>

namespace sallyport::contract {

/// Whether no text that `term` matches has a character that `mark`, a term for one character,
/// matches; false, too, if it is not known: `mark` has more than a few characters. What look-around
/// looks at is not matched.
[[nodiscard]] bool has_none_of(Term const& term, Term const& mark);

/// Why a pattern is found in no text: in each of its branches a character stands in front of `^`,
/// or behind `$`. Empty: it may be found.
[[nodiscard]] std::string why_never(Alternatives const& pattern);

} // namespace sallyport::contract
