// A worker's own copies of the patterns of the contracts that it serves.
#pragma once

#include "gateway/contract/patterns/pattern.h"
#include "gateway/contract/schema/by_program.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace sallyport::contract {

/// Copies are made when they are first asked for.
class OwnPatterns {
public:
    /// Before of().
    void use(Program const& program) {
        (void)copies_.of(program, [&program] { return Copies(program.patterns.size()); });
    }

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
