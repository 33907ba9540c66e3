// What simdjson does not tell about a JSON text: why and where it is none, its numbers as written,
// halves of surrogates.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/report.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

struct Fault {
    Malformed reason = Malformed::none;
    std::size_t offset = 0;
};

/// A second reader of RFC 8259, slow and plain. It says what is wrong with a text that simdjson
/// refused, and the fuzz test compares the two. It looks at bytes only: duplicate names are not its
/// business.
[[nodiscard]] Fault find_fault(std::string_view text, std::size_t max_depth);

/// The first `\u` escape of a surrogate without its other half. `text` has been found to be JSON.
[[nodiscard]] Fault find_lone_surrogate(std::string_view text) noexcept;

/// Where the numbers of a text stand. `text` need not be JSON: strings are skipped by their quotes.
struct NumberPlace {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
};
void find_numbers(std::string_view text, std::vector<NumberPlace>& out);

/// Puts `0` and spaces in the place of every number that simdjson may fail on though it is one:
/// those beyond 64 bits and those beyond double. `copy` becomes `text` with these changes and
/// `padding` bytes behind. Returns how many were replaced; nothing that is not a number changes, so
/// that no other fault disappears.
[[nodiscard]] std::size_t replace_large_numbers(std::string_view text, std::size_t padding,
                                                std::string& copy);

/// The texts of a document's numbers by their place on the tape, found on first use: most bodies
/// need none.
class NumberTexts {
public:
    void reset(std::string_view text) noexcept {
        text_ = text;
        places_.clear();
        indices_.clear();
        ready_ = false;
    }
    /// The number at `at`, as it was written.
    [[nodiscard]] std::string_view of(Tape const& tape, TapeIndex at);

private:
    std::string_view text_;
    std::vector<NumberPlace> places_;
    std::vector<TapeIndex> indices_; // ascending, one for each place
    bool ready_ = false;
};

} // namespace sallyport::contract
