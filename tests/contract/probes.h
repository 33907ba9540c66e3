// Values for a property, derived from the document: those that must pass, and those that must be
// refused.
#pragma once

#include "tests/contract/document.h"

#include <string>
#include <vector>

namespace sallyport::contract::test {

/// A rule that is violated by a value.
struct Broken {
    std::string rule_pointer;
    std::string source;
    std::string expected; // JSON text
    std::string phrase;   // the message after the pointer
};

struct Probe {
    std::string value; // JSON text
    std::vector<Broken> broken;
};

/// Both ends of ranges, each value of an enum, each allowed type, spellings of formats.
[[nodiscard]] std::vector<std::string> passing_values(MemberRow const& row);

/// A value of each type that is not allowed, including `null`.
[[nodiscard]] std::vector<Probe> wrong_types(MemberRow const& row);
/// One step outside each end; between two multiples.
[[nodiscard]] std::vector<Probe> wrong_numbers(MemberRow const& row);
[[nodiscard]] std::vector<Probe> wrong_words(MemberRow const& row);
/// Invalid spellings of formats and patterns; too long texts.
[[nodiscard]] std::vector<Probe> wrong_texts(MemberRow const& row);
/// One element fewer and one more than allowed.
[[nodiscard]] std::vector<Probe> wrong_counts(MemberRow const& row);

/// All of these.
[[nodiscard]] std::vector<Probe> all_wrong(MemberRow const& row);

} // namespace sallyport::contract::test
