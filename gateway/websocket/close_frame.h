// Close frames of our own (RFC 6455, 5.5.1).
#pragma once

#include "gateway/websocket/frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::websocket {

/// RFC 6455, 7.4.1.
enum class CloseCode : std::uint16_t {
    going_away = 1001,
    protocol_error = 1002,
    policy_violation = 1008,
};

inline constexpr std::size_t close_code_size = 2;
inline constexpr std::size_t most_close_reason = most_control_payload - close_code_size;

using Mask = std::array<unsigned char, mask_size>;

/// Four bytes that cannot be foreseen (RFC 6455, 5.3). Nothing: there are no random bytes.
[[nodiscard]] std::optional<Mask> random_mask() noexcept;

/// A whole frame.
class CloseFrame {
public:
    /// `reason`: UTF-8; of more than most_close_reason bytes, as many characters as fit.
    /// `mask`: for a server; null for a client, whose frames have none (RFC 6455, 5.1).
    CloseFrame(CloseCode code, std::string_view reason, Mask const* mask) noexcept;

    [[nodiscard]] std::string_view bytes() const noexcept { return {bytes_.data(), size_}; }

private:
    void put(std::uint8_t byte) noexcept { bytes_[size_++] = static_cast<char>(byte); }

    std::array<char, least_head_size + mask_size + most_control_payload> bytes_{};
    std::size_t size_ = 0;
};

} // namespace sallyport::websocket
