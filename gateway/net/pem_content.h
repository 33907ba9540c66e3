// Describes for operators what a file contains that should hold a certain kind of PEM block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::net {

enum class PemKind : std::uint8_t { certificate, private_key, revocation_list };

struct PemFault {
    std::string what; // "holds a private key, not a certificate"
    std::string hint; // what to do; may be empty
};

/// Whether a block of that kind begins in the text (RFC 7468, 2); for keys, any kind of private
/// key.
[[nodiscard]] bool has_pem(std::string_view text, PemKind kind) noexcept;

/// Whether the text contains a NUL byte. Readers of PEM skip it or take it for the end.
[[nodiscard]] bool has_nul(std::string_view text) noexcept;
/// Describes the first NUL byte of a text that has one, by its place.
[[nodiscard]] PemFault describe_nul(std::string_view text);

/// Why the text contains nothing of the wanted kind. Never quotes any of it.
[[nodiscard]] PemFault describe_missing(std::string_view text, PemKind wanted);

} // namespace sallyport::net
