// Per-thread data for each contract in use.
#pragma once

#include "gateway/contract/schema/program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sallyport::contract {

/// A `Kept` for each program, made on first use. The entries used least recently are dropped, so
/// that those of replaced contracts disappear after a reload.
template <class Kept>
class ByProgram {
public:
    /// The entry of `program`, made by `make()` if there is none; valid until it is called for
    /// another program.
    template <class Make>
    [[nodiscard]] Kept& of(Program const& program, Make const& make) {
        if (all_.empty() || all_.front().program != program.number) bring_to_front(program, make);
        return all_.front().kept;
    }
    /// The entry of the last call of of().
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

    std::vector<One> all_; // most recently used first
};

} // namespace sallyport::contract
