// Error codes of HTTP/2, in RST_STREAM and GOAWAY (RFC 9113, 7).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sallyport::http2 {

enum class ErrorCode : std::uint32_t {
    no_error = 0,
    protocol_error = 1,
    internal_error = 2,
    flow_control_error = 3,
    settings_timeout = 4,
    stream_closed = 5,
    frame_size_error = 6,
    refused_stream = 7,
    cancel = 8,
    compression_error = 9,
    connect_error = 10,
    enhance_your_calm = 11,
    inadequate_security = 12,
    http_1_1_required = 13,
};

/// As the RFC writes it: "PROTOCOL_ERROR".
[[nodiscard]] constexpr std::string_view name_of(ErrorCode code) noexcept {
    constexpr std::array<std::string_view, 14> names{"NO_ERROR",
                                                     "PROTOCOL_ERROR",
                                                     "INTERNAL_ERROR",
                                                     "FLOW_CONTROL_ERROR",
                                                     "SETTINGS_TIMEOUT",
                                                     "STREAM_CLOSED",
                                                     "FRAME_SIZE_ERROR",
                                                     "REFUSED_STREAM",
                                                     "CANCEL",
                                                     "COMPRESSION_ERROR",
                                                     "CONNECT_ERROR",
                                                     "ENHANCE_YOUR_CALM",
                                                     "INADEQUATE_SECURITY",
                                                     "HTTP_1_1_REQUIRED"};
    auto const index = static_cast<std::uint32_t>(code);
    return index < names.size() ? names[index] : "unknown";
}

} // namespace sallyport::http2
