// The order of property names in earlier texts: most clients write the properties of an object in
// one order, and to compare with the expected name takes less than to read a name and look it up.
#pragma once

#include "gateway/contract/schema/by_program.h"

#include <vector>

namespace sallyport::contract {

/// One per validator, learned from the texts that it has read.
class NameOrder {
public:
    using Guess = MemberTable::Expected const*; // never null

    /// The guesses of a program (MemberTable::first_guess, Expected::behind); valid until it is
    /// called for another program.
    [[nodiscard]] Guess* of(Program const& program) {
        auto const none = [&program] { return std::vector<Guess>(program.guesses, &no_name); };
        return guesses_.of(program, none).data();
    }

private:
    static inline MemberTable::Expected const no_name{}; // matches none

    ByProgram<std::vector<Guess>> guesses_;
};

} // namespace sallyport::contract
