// What a client says of itself by SETTINGS (RFC 9113, 6.5).
#pragma once

#include "gateway/http2/error_code.h"
#include "gateway/http2/frame.h"
#include "gateway/http2/window.h"

#include <cstdint>
#include <string_view>

namespace sallyport::http2 {

/// RFC 9113, 6.5.2: the size of the table of field lines without a setting.
inline constexpr std::uint32_t initial_table_size = 4'096;

/// The settings that matter to a server that pushes nothing. Its frames never exceed 16,384 bytes,
/// which every client takes.
struct PeerSettings {
    /// The smallest size among the entries of the last frame, which matters to an encoder without
    /// a table (RFC 7541, 4.2).
    std::uint32_t smallest_table_size = initial_table_size;
    std::uint32_t initial_window_size = initial_window;
};

/// RFC 9113, 6.5.2: applies the entries of one frame in their order. `no_error`, or that of the
/// connection. More than 32 entries: ENHANCE_YOUR_CALM.
[[nodiscard]] ErrorCode apply_settings(std::string_view entries, PeerSettings& settings) noexcept;

} // namespace sallyport::http2
