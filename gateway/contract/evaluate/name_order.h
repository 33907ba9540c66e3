// Which name came behind which in the texts before: most clients write the members of an object in
// one order, and to see that a name is the expected one takes less than to read and find it.
#pragma once

#include "gateway/contract/schema/by_program.h"

#include <vector>

namespace sallyport::contract {

/// One validator's, learned from the texts that it has read.
class NameOrder {
public:
    using Guess = MemberTable::Expected const*; // never null

    /// What is expected at each of the program's places (MemberTable::first_guess, behind); only for
    /// as long as no other program is asked for.
    [[nodiscard]] Guess* of(Program const& program) {
        auto const none = [&program] { return std::vector<Guess>(program.guesses, &nobody); };
        return guesses_.of(program, none).data();
    }

private:
    static inline MemberTable::Expected const nobody{}; // stands nowhere

    ByProgram<std::vector<Guess>> guesses_;
};

} // namespace sallyport::contract
