// UTF-8 (RFC 3629): the length of one sequence, and code points counted and decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

// The length of the well-formed sequence that `text` begins with; 0: it begins with none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

// How many code points; `text` is well-formed.
[[nodiscard]] std::size_t count_code_points(std::string_view text) noexcept;

// The code point that `text` begins with; `text` is well-formed and not empty.
[[nodiscard]] char32_t first_code_point(std::string_view text) noexcept;

void append_utf8(std::string& out, char32_t code_point);

} // namespace sallyport::contract
