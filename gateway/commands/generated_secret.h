// Secrets that are made here, or read from standard input.
#pragma once

#include "gateway/secrets/stored_hash.h"

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::commands {

inline constexpr std::size_t secret_length = 43; // of those that are made here: 256 bits
inline constexpr std::size_t key_id_length = 20;

/// Letters and digits, from the system's randomness: safe in YAML, shells, URLs and the fields of
/// RFC 7617 and 6750. `length` of them; nullopt: there is no randomness.
[[nodiscard]] std::optional<std::string> random_text(std::size_t length);

/// A secret from standard input, without the line end behind it; a terminal does not show what is
/// typed. Nullopt, and the reason is in `err`: it is no secret for which a hash of that kind would
/// do.
[[nodiscard]] std::optional<std::string> read_secret(std::istream& in, std::ostream& err,
                                                     secrets::Kind kind = secrets::Kind::sha256);

} // namespace sallyport::commands
