// Which name came behind which in the texts before: most clients write the members of an object in
// one order, and to see that a name is the expected one takes less than to read and find it.
#pragma once

#include "gateway/contract/schema/program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sallyport::contract {

// One validator's, by the contract; what is learned of contracts that were not used for long is
// dropped, and after a reload the old ones are gone.
class NameOrder {
public:
    using Guess = MemberTable::Expected const*; // never null

    // What is expected at each of the program's places (MemberTable::first_guess, behind); only for
    // as long as no other program is asked for.
    [[nodiscard]] Guess* of(Program const& program) {
        if (sets_.empty() || sets_.front().program != program.number) use(program);
        return sets_.front().guesses.data();
    }

private:
    static constexpr std::size_t max_programs = 16;
    static inline MemberTable::Expected const nobody{}; // stands nowhere

    struct Set {
        std::uint64_t program = 0;
        std::vector<Guess> guesses;
    };

    void use(Program const& program) {
        auto found = std::find_if(sets_.begin(), sets_.end(), [&program](Set const& set) {
            return set.program == program.number;
        });
        if (found == sets_.end()) {
            if (sets_.size() == max_programs) sets_.pop_back();
            found = sets_.insert(sets_.end(),
                                 Set{program.number, std::vector<Guess>(program.guesses, &nobody)});
        }
        std::rotate(sets_.begin(), found, found + 1);
    }

    std::vector<Set> sets_; // the last used first
};

} // namespace sallyport::contract
