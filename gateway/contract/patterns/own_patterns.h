// A worker's own copies of the patterns of the contracts in use.
#pragma once

#include "gateway/contract/patterns/pattern.h"
#include "gateway/contract/schema/by_program.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace sallyport::contract {

/// Copies are made on first use.
class OwnPatterns {
public:
    /// To be called before of(), for each program.
    void use(Program const& program) {
        (void)copies_.of(program, [&program] { return Copies(program.patterns.size()); });
    }

    /// The pattern with that number, of the program of the last use().
    [[nodiscard]] Pattern const& of(Program const& program, std::size_t number) {
        auto& own = copies_.last()[number];
        if (own == nullptr) own = program.patterns[number]->copy();
        return *own;
    }

private:
    using Copies = std::vector<std::unique_ptr<Pattern const>>;
    ByProgram<Copies> copies_;
};

} // namespace sallyport::contract
