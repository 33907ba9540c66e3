// Which numbers are integers.
#pragma once

#include <string_view>

namespace sallyport::contract {

/// Whether readers of JSON take the number for an integer (JSON Schema 2020-12 validation, 6.1.1):
/// it has no fraction and, if it is written with an exponent, does not become infinite in a double
/// (RFC 8259, 6), as -1e400 does. `text`: a number.
[[nodiscard]] bool is_whole_number(std::string_view text) noexcept;

} // namespace sallyport::contract
