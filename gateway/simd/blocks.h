// Sixteen bytes of a text at a time, in the vector registers that every target has (an extension of
// GCC and clang): for the loops that look at every byte that comes in.
#pragma once

#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sallyport::simd {

/// Compared as signed numbers: a byte that is not ASCII is below all others. Of a comparison's
/// result each byte has all bits, or none.
using Block = signed char __attribute__((vector_size(16)));

[[nodiscard]] inline Block load_block(char const* at) noexcept {
    Block block;
    std::memcpy(&block, at, sizeof block);
    return block;
}

/// Bit i: whether byte i of a comparison's result holds.
[[nodiscard]] inline unsigned mask_of(Block is_so) noexcept {
#if defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(is_so)));
#else
    std::array<signed char, sizeof(Block)> bytes;
    std::memcpy(bytes.data(), &is_so, sizeof is_so);
    unsigned mask = 0;
    for (unsigned i = 0; i < bytes.size(); ++i)
        mask |= bytes[i] != 0 ? 1U << i : 0U;
    return mask;
#endif
}

} // namespace sallyport::simd
