// A worker's own copies of the patterns of the contracts that it serves.
#pragma once

#include "gateway/contract/patterns/pattern.h"
#include "gateway/contract/schema/program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sallyport::contract {

// Copies are made when they are first asked for. Those of contracts that were not used for long are
// dropped: after a reload the old ones are gone.
class OwnPatterns {
public:
    // Before of().
    void use(Program const& program) {
        if (!sets_.empty() && sets_.front().program == program.number) return;
        auto found = std::find_if(sets_.begin(), sets_.end(), [&program](Set const& set) {
            return set.program == program.number;
        });
        if (found == sets_.end()) {
            if (sets_.size() == max_programs) sets_.pop_back();
            found = sets_.insert(sets_.end(), Set{program.number, {}});
            found->patterns.resize(program.patterns.size());
        }
        std::rotate(sets_.begin(), found, found + 1);
    }

    [[nodiscard]] Pattern const& of(Program const& program, std::size_t number) {
        auto& own = sets_.front().patterns[number];
        if (own == nullptr) own = program.patterns[number]->copy();
        return *own;
    }

private:
    static constexpr std::size_t max_programs = 16;

    struct Set {
        std::uint64_t program = 0;
        std::vector<std::unique_ptr<Pattern const>> patterns;
    };
    std::vector<Set> sets_; // the last used first
};

} // namespace sallyport::contract
