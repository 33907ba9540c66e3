// The version of HTTP that a message was read in, as it was understood and as it is told.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::http {

enum class Protocol : std::uint8_t { http_1_0, http_1_1 };

/// As logs say it: "HTTP/1.1".
[[nodiscard]] constexpr std::string_view name_of(Protocol protocol) noexcept {
    return protocol == Protocol::http_1_0 ? "HTTP/1.0" : "HTTP/1.1";
}

/// As Via says it, its protocol name left out (RFC 9110, 7.6.3): "1.1".
[[nodiscard]] constexpr std::string_view version_of(Protocol protocol) noexcept {
    return name_of(protocol).substr(sizeof "HTTP/" - 1);
}

} // namespace sallyport::http
