// From a text to its tape in one pass: for the texts that clients mostly send, in place of
// simdjson's two and of a walk over what they have made.
#pragma once

#include "gateway/contract/evaluate/facts.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::contract {

// So many bytes behind a text are read too, whatever they are.
inline constexpr std::size_t read_beyond = 64;

// True: `text` is JSON that we let through, an array or an object; the tape at `words`, which has
// room for one of simdjson's, says what that would say, and `facts` has read it. Its strings are
// where they are in the text. False: nothing is known.
//
// It gives up at whatever is rare: faults of any kind, escapes, exponents, numbers of 16 digits and
// more, `-0`, texts of 16 MiB. So no verdict against a text is its own, and it need not say what is
// wrong.
[[nodiscard]] bool build_tape(std::string_view text, std::size_t max_depth, Guide guide,
                              std::uint64_t* words, Facts& facts);

} // namespace sallyport::contract
