// From the tokens that simdjson's first stage finds to the tape: for the texts that clients mostly
// send, in place of its second stage and of a walk over what that has made.
#pragma once

#include "gateway/contract/evaluate/facts.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::contract {

// Where each bracket, comma, colon, string, number and word of a text begins. simdjson has found
// the text to be UTF-8, its strings closed and without controls; behind the tokens stands the
// text's size.
struct Tokens {
    std::string_view text; // no backslash in it, and 24 bytes, whatever they are, behind it
    std::uint32_t const* first = nullptr;
    std::size_t count = 0;
};

// True: `text` is JSON that we let through, an array or an object; the tape at `words`, which has
// room for one of simdjson's, says what that would say, and `facts` has read it. Its strings are
// where they are in the text. False: nothing is known.
//
// It gives up at whatever is rare: faults of any kind, exponents, numbers of 16 digits and more,
// `-0`, texts of 16 MiB. So no verdict against a text is its own, and it need not say what is
// wrong.
[[nodiscard]] bool build_tape(Tokens const& tokens, std::size_t max_depth, Guide guide,
                              std::uint64_t* words, Facts& facts);

} // namespace sallyport::contract
