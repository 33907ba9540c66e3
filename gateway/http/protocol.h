// The HTTP version of a message, and its names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::http {

enum class Protocol : std::uint8_t { http_1_0, http_1_1, http_2 };

namespace detail {

inline constexpr std::array<std::string_view, 3> protocol_names{"HTTP/1.0", "HTTP/1.1", "HTTP/2.0"};

} // namespace detail

/// As in logs: "HTTP/1.1".
[[nodiscard]] constexpr std::string_view name_of(Protocol protocol) noexcept {
    return detail::protocol_names[static_cast<std::size_t>(protocol)];
}

/// As in Via, without the protocol name (RFC 9110, 7.6.3): "1.1".
[[nodiscard]] constexpr std::string_view version_of(Protocol protocol) noexcept {
    return name_of(protocol).substr(sizeof "HTTP/" - 1);
}

} // namespace sallyport::http
