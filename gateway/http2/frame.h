// What stands at the head of each frame of HTTP/2 (RFC 9113, 4.1 and 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::http2 {

/// What a client sends first (RFC 9113, 3.4).
inline constexpr std::string_view client_preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

inline constexpr std::size_t frame_head_size = 9;
/// RFC 9113, 6.5.2: the value of SETTINGS_MAX_FRAME_SIZE that holds without a setting. We never
/// announce another one, and never send larger frames.
inline constexpr std::size_t most_frame_payload = 16'384;
/// Also the largest window (RFC 9113, 6.9.1).
inline constexpr std::uint32_t most_stream_id = 0x7FFF'FFFF;

enum class FrameType : std::uint8_t {
    data = 0,
    headers = 1,
    priority = 2,
    rst_stream = 3,
    settings = 4,
    push_promise = 5,
    ping = 6,
    goaway = 7,
    window_update = 8,
    continuation = 9,
    priority_update = 16, // RFC 9218, 7.1
};

namespace flags {
inline constexpr std::uint8_t end_stream = 0x01; // DATA, HEADERS
inline constexpr std::uint8_t ack = 0x01;        // SETTINGS, PING
inline constexpr std::uint8_t end_headers = 0x04;
inline constexpr std::uint8_t padded = 0x08;
inline constexpr std::uint8_t priority = 0x20;
} // namespace flags

struct FrameHead {
    std::uint32_t length = 0; // of the payload, in bytes
    FrameType type = FrameType::data;
    std::uint8_t flags = 0;
    std::uint32_t stream = 0; // without the reserved bit

    [[nodiscard]] bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
};

/// The 16 or 32 bits at `at`, in the order of the network.
[[nodiscard]] inline std::uint16_t get_16(char const* at) noexcept {
    auto const byte = [at](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(at[i]));
    };
    return static_cast<std::uint16_t>((byte(0) << 8) | byte(1));
}
[[nodiscard]] inline std::uint32_t get_32(char const* at) noexcept {
    return (std::uint32_t{get_16(at)} << 16) | get_16(at + 2);
}

/// The head of the frame at `at`, of frame_head_size bytes. RFC 9113, 4.1: the reserved bit is
/// ignored.
[[nodiscard]] inline FrameHead get_frame_head(char const* at) noexcept {
    auto const length_and_type = get_32(at);
    return {length_and_type >> 8, static_cast<FrameType>(length_and_type & 0xFF),
            static_cast<std::uint8_t>(at[4]), get_32(at + 5) & most_stream_id};
}

} // namespace sallyport::http2
