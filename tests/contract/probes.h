// Values for a member, derived from what the document says of it: all that must pass, all that must
// be refused.
#pragma once

#include "tests/contract/document.h"

#include <string>
#include <vector>

namespace sallyport::contract::test {

/// A rule that a value breaks.
struct Broken {
    std::string rule_pointer;
    std::string source;
    std::string expected; // JSON text
    std::string phrase;   // what the message says behind the pointer
};

struct Probe {
    std::string value; // JSON text
    std::vector<Broken> broken;
};

/// Both ends of ranges, each word of an enum, each type that is allowed, spellings of formats.
[[nodiscard]] std::vector<std::string> passing_values(MemberRow const& row);

/// A value of each other type, `null` among them.
[[nodiscard]] std::vector<Probe> wrong_types(MemberRow const& row);
/// One step outside of each end; between two multiples.
[[nodiscard]] std::vector<Probe> wrong_numbers(MemberRow const& row);
[[nodiscard]] std::vector<Probe> wrong_words(MemberRow const& row);
/// Broken spellings of formats and patterns; too long.
[[nodiscard]] std::vector<Probe> wrong_texts(MemberRow const& row);
/// One element fewer and one more than allowed.
[[nodiscard]] std::vector<Probe> wrong_counts(MemberRow const& row);

/// All of these.
[[nodiscard]] std::vector<Probe> all_wrong(MemberRow const& row);

} // namespace sallyport::contract::test
