// What one thread keeps for each of the contracts that it serves.
#pragma once

#include "gateway/contract/schema/program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sallyport::contract {

/// A `Kept` for each program, made when it is first asked for. Those of contracts that were not used
/// for long are dropped: after a reload the old ones are gone.
template <class Kept>
class ByProgram {
public:
    /// The program's, until another one's is asked for; `make()` makes it.
    template <class Make>
    [[nodiscard]] Kept& of(Program const& program, Make const& make) {
        if (all_.empty() || all_.front().program != program.number) bring_to_front(program, make);
        return all_.front().kept;
    }
    /// Of the program that was asked for last.
    [[nodiscard]] Kept& last() noexcept { return all_.front().kept; }

private:
    static constexpr std::size_t max_programs = 16;

    struct One {
        std::uint64_t program = 0;
        Kept kept;
    };

    template <class Make>
    void bring_to_front(Program const& program, Make const& make) {
        auto found = std::find_if(all_.begin(), all_.end(), [&program](One const& one) {
            return one.program == program.number;
        });
        if (found == all_.end()) {
            if (all_.size() == max_programs) all_.pop_back();
            found = all_.insert(all_.end(), One{program.number, make()});
        }
        std::rotate(all_.begin(), found, found + 1);
    }

    std::vector<One> all_; // the last used first
};

} // namespace sallyport::contract
