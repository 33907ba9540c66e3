// The head of a frame (RFC 6455, 5.2): bits, opcodes and sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sallyport::websocket {

enum class Opcode : std::uint8_t {
    continuation = 0x0,
    text = 0x1,
    binary = 0x2,
    close = 0x8,
    ping = 0x9,
    pong = 0xA,
};

inline constexpr std::uint8_t fin = 0x80;
inline constexpr std::uint8_t rsv1 = 0x40;
inline constexpr std::uint8_t all_reserved_bits = 0x70;
inline constexpr std::uint8_t opcode_bits = 0x0F;
/// Of an opcode: a control frame (RFC 6455, 5.5).
inline constexpr std::uint8_t control_bit = 0x08;
inline constexpr std::uint8_t masked = 0x80;
inline constexpr std::uint8_t length_bits = 0x7F;

/// Lengths that announce a longer number of 2 and of 8 bytes.
inline constexpr std::uint8_t length_of_2_bytes = 126;
inline constexpr std::uint8_t length_of_8_bytes = 127;

inline constexpr std::size_t least_head_size = 2;
inline constexpr std::size_t mask_size = 4;
inline constexpr std::size_t most_head_size = least_head_size + 8 + mask_size;
inline constexpr std::size_t most_control_payload = 125;

/// Which reserved bits extensions may set.
struct ReservedBits {
    std::uint8_t of_first = 0; // of the first frame of a message
    std::uint8_t of_any = 0;   // of every other one
};

} // namespace sallyport::websocket
