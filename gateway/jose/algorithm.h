// The signature algorithms of tokens (RFC 7518, 3.1; RFC 8037, 3.1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::jose {

/// Those that are verified. There is no `none`, and none with SHA-1.
enum class Algorithm : std::uint8_t { rs256, ps256, es256, es384, eddsa, hs256 };

inline constexpr std::array<std::string_view, 6> algorithm_names{"RS256", "PS256", "ES256",
                                                                 "ES384", "EdDSA", "HS256"};

/// The name as `alg` has it.
[[nodiscard]] constexpr std::string_view to_string(Algorithm algorithm) {
    return algorithm_names[static_cast<std::size_t>(algorithm)];
}

/// By its exact name, of which EdDSA has two; none: it is not verified here.
[[nodiscard]] std::optional<Algorithm> find_algorithm(std::string_view name) noexcept;

} // namespace sallyport::jose
