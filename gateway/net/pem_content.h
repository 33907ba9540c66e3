// What stands in a file that should be PEM and is not what was asked for: in words for operators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::net {

enum class PemKind : std::uint8_t { certificate, private_key };

struct PemFault {
    std::string what; // "holds a private key, not a certificate"
    std::string hint; // what to do; may be empty
};

/// Whether a block of that kind begins in the text (RFC 7468, 2): of keys every kind of private
/// key.
[[nodiscard]] bool has_pem(std::string_view text, PemKind kind) noexcept;

/// Whether there is a NUL byte, and where. Readers of PEM skip it, or take it for the end.
[[nodiscard]] bool has_nul(std::string_view text) noexcept;
[[nodiscard]] PemFault describe_nul(std::string_view text);

/// Why there is nothing of the wanted kind in the text. Never repeats any of it.
[[nodiscard]] PemFault describe_missing(std::string_view text, PemKind wanted);

} // namespace sallyport::net
