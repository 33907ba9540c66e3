// Finds the end of a run of digits, sixteen at a time, since a number may be as long as a body.
#pragma once

#include "gateway/simd/blocks.h"
#include "gateway/text/ascii.h"

#include <cstddef>
#include <string_view>

namespace sallyport::contract {

using text::is_digit;

/// The index of the first byte at or after `at` that is not a digit; the size: there is none.
[[nodiscard]] inline std::size_t digits_from(std::string_view text, std::size_t at) noexcept {
    using simd::Block;
    while (at + sizeof(Block) <= text.size()) {
        Block const block = simd::load_block(text.data() + at);
        Block const is_other = (block < '0') | (block > '9');
        if (simd::mask_of(is_other) != 0) break;
        at += sizeof(Block);
    }
    while (at < text.size() && is_digit(text[at]))
        ++at;
    return at;
}

} // namespace sallyport::contract
