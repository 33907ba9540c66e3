// Secrets that are made here, or read from standard input, and their hashes.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::commands {

inline constexpr std::size_t secret_length = 43; // of those that are made here: 256 bits
inline constexpr std::size_t key_id_length = 20;

/// Letters and digits, from the system's randomness: safe in YAML, shells, URLs and the fields of
/// RFC 7617 and 6750. `length` of them; nullopt: there is no randomness.
[[nodiscard]] std::optional<std::string> random_text(std::size_t length);

/// `sha256:` and its digits.
[[nodiscard]] std::string hash_text(std::span<unsigned char const> digest);
/// hash_text() of the secret; nullopt: OpenSSL has no SHA-256.
[[nodiscard]] std::optional<std::string> hash_of(std::string_view secret);

/// A secret from standard input, without the line end behind it; a terminal does not show what is
/// typed. Nullopt, and the reason is in `err`: it is no secret for which a fast hash would do.
[[nodiscard]] std::optional<std::string> read_secret(std::istream& in, std::ostream& err);

} // namespace sallyport::commands
