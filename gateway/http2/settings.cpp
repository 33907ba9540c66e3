// What a client says of itself by SETTINGS (RFC 9113, 6.5).
#include "gateway/http2/settings.h"

#include "gateway/http2/frame_writer.h"

#include <algorithm>

namespace sallyport::http2 {

namespace {

constexpr std::size_t most_settings = 32; // five are registered for clients

constexpr std::uint32_t least_max_frame = 16'384;
constexpr std::uint32_t most_max_frame = (1U << 24) - 1;

ErrorCode apply(SettingId id, std::uint32_t value, PeerSettings& settings) noexcept {
    switch (id) {
    case SettingId::header_table_size:
        settings.smallest_table_size = std::min(settings.smallest_table_size, value);
        break;
    case SettingId::enable_push:
    case SettingId::enable_connect_protocol: // RFC 8441, 3
    case SettingId::no_rfc7540_priorities:   // RFC 9218, 2.1
        if (value > 1) return ErrorCode::protocol_error;
        break;
    case SettingId::initial_window_size:
        if (value > most_window) return ErrorCode::flow_control_error;
        settings.initial_window_size = value;
        break;
    case SettingId::max_frame_size:
        if (value < least_max_frame || value > most_max_frame) return ErrorCode::protocol_error;
        break;
    case SettingId::max_concurrent_streams: // of those that we would begin
    case SettingId::max_header_list_size:   // advisory
        break;
    }
    return ErrorCode::no_error; // RFC 9113, 6.5.2: unknown ones are ignored
}

} // namespace

ErrorCode apply_settings(std::string_view entries, PeerSettings& settings) noexcept {
    if (entries.size() > most_settings * setting_frame_size) return ErrorCode::enhance_your_calm;
    settings.smallest_table_size = initial_table_size;
    for (; !entries.empty(); entries.remove_prefix(setting_frame_size)) {
        auto const id = static_cast<SettingId>(get_16(entries.data()));
        auto const error = apply(id, get_32(entries.data() + 2), settings);
        if (error != ErrorCode::no_error) return error;
    }
    return ErrorCode::no_error;
}

} // namespace sallyport::http2
