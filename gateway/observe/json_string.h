// Reads the inside of JSON strings: runs of ordinary bytes, and escapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::observe {

/// One escape of a JSON string (RFC 8259, 7).
struct Escape {
    std::size_t size = 0; // in the text; 0: it is none
    std::uint32_t code_point = 0;
};

/// `text` begins with the backslash. A surrogate must come in a pair, or the text has no UTF-8
/// form.
Escape read_escape(std::string_view text) noexcept;

/// The number of leading bytes of `text` that neither end a JSON string, nor begin an escape, nor
/// are forbidden in it.
std::size_t ordinary_prefix(std::string_view text) noexcept;

} // namespace sallyport::observe
