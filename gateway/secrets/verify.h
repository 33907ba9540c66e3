// Verifies secrets against stored hashes.
#pragma once

#include "gateway/secrets/stored_hash.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::secrets {

enum class Verified : std::uint8_t {
    right,
    wrong,
    failed, // it could not be computed: there is no memory
};

/// The most bytes of a secret that a hash of that kind depends on. 72 of bcrypt; libcrypt takes
/// 511.
[[nodiscard]] std::size_t longest_secret(Kind kind) noexcept;

/// Whether `secret` is that of `hash`. Takes as long as hash.cost() says, on this thread, and wipes
/// the memory that it needs. A secret that is longer than longest_secret(), or holds U+0000, is
/// wrong, after the same work: none is cut off.
[[nodiscard]] Verified verify(StoredHash const& hash, std::string_view secret);

} // namespace sallyport::secrets
