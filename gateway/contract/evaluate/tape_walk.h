// From the tokens that simdjson finds in a text to its tape, in one walk: with the names of
// objects, their duplicates, and the first look at each value.
#pragma once

#include "gateway/contract/evaluate/facts.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simdjson::dom {
class parser;
}

namespace sallyport::contract {

/// So many bytes behind a text are read too, whatever they are.
inline constexpr std::size_t read_beyond = 64;

enum class Laid : std::uint8_t {
    done,
    has_twins, // JSON, in which an object holds a name twice
    refused,   // no JSON, or deeper than allowed, or half a surrogate, or a number beyond 64 bits
};

/// Puts the tape of `text` where simdjson would put it, `parser.doc`, and what is known of its
/// values into `facts`. `parser` has room for the text. A string without escapes stays where it is
/// in the text. Not `done`: nothing is known.
[[nodiscard]] Laid lay_tape(simdjson::dom::parser& parser, std::string_view text,
                            std::size_t max_depth, Guide guide, Facts& facts);

} // namespace sallyport::contract
