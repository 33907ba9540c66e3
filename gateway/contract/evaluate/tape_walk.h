// From simdjson's tokens to the tape in one pass, which also finds property names, their
// duplicates, and takes the first look at each value.
#pragma once

#include "gateway/contract/evaluate/facts.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simdjson::dom {
class parser;
}

namespace sallyport::contract {

/// Number of readable bytes that are needed after a text, whatever they are.
inline constexpr std::size_t read_beyond = 64;

/// The result of lay_tape().
enum class Laid : std::uint8_t {
    done,
    has_twins, // JSON with a duplicate name in an object
    refused,   // not JSON, or nested too deep, or half a surrogate, or a number beyond 64 bits
};

/// Writes the tape of `text` to `parser.doc`, as simdjson does, and the facts about its values to
/// `facts`. `parser` has capacity for the text. A string without escapes stays in the text. If the
/// result is not `done`, tape and facts are undefined.
[[nodiscard]] Laid lay_tape(simdjson::dom::parser& parser, std::string_view text,
                            std::size_t max_depth, Guide guide, Facts& facts);

} // namespace sallyport::contract
