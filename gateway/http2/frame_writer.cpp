// Writes frames of HTTP/2 as bytes (RFC 9113, 4 and 6).
#include "gateway/http2/frame_writer.h"

#include <algorithm>
#include <cstring>

namespace sallyport::http2 {

namespace {

char* put_16(char* to, std::uint32_t value) noexcept {
    to[0] = static_cast<char>(value >> 8);
    to[1] = static_cast<char>(value);
    return to + 2;
}

char* put_32(char* to, std::uint32_t value) noexcept {
    return put_16(put_16(to, value >> 16), value & 0xFFFF);
}

} // namespace

char* put_frame_head(char* to, FrameHead const& head) noexcept {
    to = put_32(to, (head.length << 8) | static_cast<std::uint32_t>(head.type));
    *to++ = static_cast<char>(head.flags);
    return put_32(to, head.stream);
}

char* put_settings(char* to, std::span<Setting const> settings) noexcept {
    auto const length = static_cast<std::uint32_t>(settings.size() * setting_frame_size);
    to = put_frame_head(to, {length, FrameType::settings, 0, 0});
    for (auto const& setting : settings)
        to = put_32(put_16(to, static_cast<std::uint32_t>(setting.id)), setting.value);
    return to;
}

char* put_settings_ack(char* to) noexcept {
    return put_frame_head(to, {0, FrameType::settings, flags::ack, 0});
}

char* put_ping(char* to, std::string_view opaque, Ping kind) noexcept {
    constexpr std::uint32_t size = 8;
    auto const flag = kind == Ping::ack ? flags::ack : std::uint8_t{0};
    to = put_frame_head(to, {size, FrameType::ping, flag, 0});
    std::memcpy(to, opaque.data(), size);
    return to + size;
}

char* put_goaway(char* to, std::uint32_t last_stream, ErrorCode code) noexcept {
    to = put_frame_head(to, {8, FrameType::goaway, 0, 0});
    return put_32(put_32(to, last_stream), static_cast<std::uint32_t>(code));
}

char* put_reset(char* to, std::uint32_t stream, ErrorCode code) noexcept {
    to = put_frame_head(to, {4, FrameType::rst_stream, 0, stream});
    return put_32(to, static_cast<std::uint32_t>(code));
}

char* put_window_update(char* to, std::uint32_t stream, std::uint32_t increment) noexcept {
    to = put_frame_head(to, {4, FrameType::window_update, 0, stream});
    return put_32(to, increment);
}

char* put_head_frames(char* to, std::uint32_t stream, std::size_t block, http::Ends ends) noexcept {
    auto const frames = size_of_head_frames(block) / frame_head_size;
    auto* const begin = to + frame_head_size; // of the block
    auto const size_of = [block](std::size_t i) {
        return std::min(most_frame_payload, block - i * most_frame_payload);
    };
    // The last one first: each moves behind those before it.
    for (auto i = frames; i-- > 0;) {
        auto* const at = to + i * (most_frame_payload + frame_head_size);
        if (i != 0) std::memmove(at + frame_head_size, begin + i * most_frame_payload, size_of(i));
        auto flag = i + 1 == frames ? flags::end_headers : std::uint8_t{0};
        if (i == 0 && ends == http::Ends::yes) flag |= flags::end_stream;
        put_frame_head(at, {static_cast<std::uint32_t>(size_of(i)),
                            i == 0 ? FrameType::headers : FrameType::continuation, flag, stream});
    }
    return begin + block + (frames - 1) * frame_head_size;
}

char* put_data(char* to, std::uint32_t stream, std::string_view bytes, http::Ends ends) noexcept {
    auto const flag = ends == http::Ends::yes ? flags::end_stream : std::uint8_t{0};
    to = put_frame_head(to,
                        {static_cast<std::uint32_t>(bytes.size()), FrameType::data, flag, stream});
    // An empty view may be null, which memcpy() must not get (C17, 7.24.1).
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return to + bytes.size();
}

} // namespace sallyport::http2
