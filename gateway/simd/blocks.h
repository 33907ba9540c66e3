// Sixteen bytes of a text at a time, in the vector registers of every target (an extension of GCC
// and clang): for loops over every byte of the input.
#pragma once

#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sallyport::simd {

/// Comparisons are signed: a byte that is not ASCII is less than all others. Each byte of their
/// result has all bits set, or none.
using Block = signed char __attribute__((vector_size(16)));

/// Reads 16 bytes from `at`, which need not be aligned.
[[nodiscard]] inline Block load_block(char const* at) noexcept {
    Block block;
    std::memcpy(&block, at, sizeof block);
    return block;
}

/// Bit i of the result is set if byte i of a comparison is true; bits 16 and above are 0.
[[nodiscard]] inline unsigned mask_of(Block comparison) noexcept {
#if defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(comparison)));
#else
    std::array<signed char, sizeof(Block)> bytes;
    std::memcpy(bytes.data(), &comparison, sizeof comparison);
    unsigned mask = 0;
    for (unsigned i = 0; i < bytes.size(); ++i)
        mask |= bytes[i] != 0 ? 1U << i : 0U;
    return mask;
#endif
}

} // namespace sallyport::simd
