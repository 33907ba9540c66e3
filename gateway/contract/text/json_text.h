// What simdjson does not report about a JSON text: why and where it is invalid, the texts of its
// numbers, and lone surrogates.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/report.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// A reason why a text is malformed, and the offset of the invalid byte.
struct Fault {
    Malformed reason = Malformed::none;
    std::size_t offset = 0;
};

/// A second, simple and slow parser of RFC 8259. It finds the fault of a text that simdjson
/// refused, and the fuzz test compares the two. It does not find duplicate names. `none`: the text
/// is valid.
[[nodiscard]] Fault find_fault(std::string_view text, std::size_t max_depth);

/// The first `\u` escape of a surrogate without its other half. `text` is valid JSON.
[[nodiscard]] Fault find_lone_surrogate(std::string_view text) noexcept;

/// The places of the numbers of a text. `text` need not be JSON: strings are skipped by their
/// quotes.
struct NumberPlace {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
};
/// Appends the places to `out`.
void find_numbers(std::string_view text, std::vector<NumberPlace>& out);

/// Replaces every number that simdjson may refuse although it is valid (beyond 64 bits or double)
/// by `0` and spaces. `copy` becomes `text` with these changes and `padding` bytes after it.
/// Returns the number of replacements. Only numbers are changed, so that all other faults remain.
[[nodiscard]] std::size_t replace_large_numbers(std::string_view text, std::size_t padding,
                                                std::string& copy);

/// The texts of a document's numbers by their place on the tape, found on first use: most bodies
/// need none.
class NumberTexts {
public:
    /// Starts a new text, which must outlive its use.
    void reset(std::string_view text) noexcept {
        text_ = text;
        places_.clear();
        indices_.clear();
        ready_ = false;
    }
    /// The number at `at` as it was sent.
    [[nodiscard]] std::string_view of(Tape const& tape, TapeIndex at);

private:
    std::string_view text_;
    std::vector<NumberPlace> places_;
    std::vector<TapeIndex> indices_; // ascending, one per place
    bool ready_ = false;
};

} // namespace sallyport::contract
