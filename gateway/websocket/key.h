// The key of a handshake, and the value that shows that it was understood (RFC 6455, 1.3).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace sallyport::websocket {

/// Base64 of 16 bytes, and of a SHA-1 hash.
inline constexpr std::size_t key_size = 24;
inline constexpr std::size_t accept_size = 28;

/// A value of `size` characters.
template <std::size_t size>
struct HandshakeText {
    std::array<char, size> characters;

    [[nodiscard]] std::string_view text() const noexcept {
        return {characters.data(), characters.size()};
    }
};
using Key = HandshakeText<key_size>;
using Accept = HandshakeText<accept_size>;

/// RFC 6455, 4.1: 22 characters of base64, and `==`. Bits of the last one that belong to no byte
/// may be set: nothing decodes a key, and other servers accept such keys.
[[nodiscard]] bool is_key(std::string_view text) noexcept;

/// A random key for a request to an upstream. Nothing: there are no random bytes.
[[nodiscard]] std::optional<Key> make_key() noexcept;

/// RFC 6455, 4.2.2: the value of Sec-WebSocket-Accept for a key. Nothing: OpenSSL has no SHA-1.
[[nodiscard]] std::optional<Accept> accept_of(std::string_view key) noexcept;

} // namespace sallyport::websocket
