// Writes frames of HTTP/2 as bytes (RFC 9113, 4 and 6). Each function writes to `to`, which has
// room for it, and returns the end.
#pragma once

#include "gateway/http/chunk.h"
#include "gateway/http2/error_code.h"
#include "gateway/http2/frame.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sallyport::http2 {

/// RFC 9113, 6.5.2; RFC 8441, 3; RFC 9218, 2.1.
enum class SettingId : std::uint16_t {
    header_table_size = 1,
    enable_push = 2,
    max_concurrent_streams = 3,
    initial_window_size = 4,
    max_frame_size = 5,
    max_header_list_size = 6,
    enable_connect_protocol = 8,
    no_rfc7540_priorities = 9,
};

struct Setting {
    SettingId id;
    std::uint32_t value;
};

inline constexpr std::size_t setting_frame_size = 6; // of each entry
inline constexpr std::size_t ping_frame_size = frame_head_size + 8;
inline constexpr std::size_t goaway_frame_size = frame_head_size + 8;
inline constexpr std::size_t reset_frame_size = frame_head_size + 4;
inline constexpr std::size_t window_update_frame_size = frame_head_size + 4;

char* put_frame_head(char* to, FrameHead const& head) noexcept;
/// frame_head_size and setting_frame_size for each entry.
char* put_settings(char* to, std::span<Setting const> settings) noexcept;
/// frame_head_size.
char* put_settings_ack(char* to) noexcept;

enum class Ping : std::uint8_t { request, ack };
/// `opaque`: eight bytes.
char* put_ping(char* to, std::string_view opaque, Ping kind) noexcept;
char* put_goaway(char* to, std::uint32_t last_stream, ErrorCode code) noexcept;
char* put_reset(char* to, std::uint32_t stream, ErrorCode code) noexcept;
/// `stream` 0: of the connection. `increment`: 1 to 2^31-1.
char* put_window_update(char* to, std::uint32_t stream, std::uint32_t increment) noexcept;

/// The bytes that put_head_frames() adds to a block of that size.
[[nodiscard]] constexpr std::size_t size_of_head_frames(std::size_t block) noexcept {
    auto const frames = block == 0 ? 1 : (block + most_frame_payload - 1) / most_frame_payload;
    return frames * frame_head_size;
}
/// Makes HEADERS, and CONTINUATION for what does not fit into it, of the block that stands at
/// `to` + frame_head_size; there is room for size_of_head_frames() more than the block.
char* put_head_frames(char* to, std::uint32_t stream, std::size_t block, http::Ends ends) noexcept;
/// Copies `bytes`, at most most_frame_payload, behind the head of their DATA frame.
char* put_data(char* to, std::uint32_t stream, std::string_view bytes, http::Ends ends) noexcept;

} // namespace sallyport::http2
