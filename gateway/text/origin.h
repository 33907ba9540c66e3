// Hosts, and origins of web pages as browsers send them (RFC 6454, 6.2).
#pragma once

#include "gateway/text/ascii.h"
#include "gateway/text/digits.h"
#include "gateway/text/networks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::text {

/// Letters, digits, `-`, `_` and dots (a name as DNS has it), an IPv4 address, or an IPv6 address
/// in brackets, without a zone.
[[nodiscard]] inline bool is_host(std::string_view text) noexcept {
    constexpr std::size_t longest = 253; // RFC 1035, 2.3.4, without the final dot
    if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
        auto const address = text.substr(1, text.size() - 2);
        return address.find(':') != std::string_view::npos
               && address.find('%') == std::string_view::npos && parse_ip(address).has_value();
    }
    if (text.empty() || text.size() > longest || text.front() == '.') return false;
    if (text.find("..") != std::string_view::npos) return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
    });
}

/// Why a text is no origin.
enum class OriginFault : std::uint8_t {
    none,
    malformed,
    has_path,
    bad_port,
    default_port, // that of its scheme, which browsers leave out
};

/// Scheme, `://`, host, and a port where the scheme has another one; in lower case. `null` and
/// patterns are none.
[[nodiscard]] inline OriginFault judge_origin(std::string_view text) noexcept {
    auto const is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    // RFC 3986, 3.1
    auto const is_of_scheme = [](char c) {
        return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.';
    };
    auto const colon = text.find("://");
    if (colon == std::string_view::npos) return OriginFault::malformed;
    auto const scheme = text.substr(0, colon);
    if (scheme.empty() || is_digit(scheme.front()) || !is_letter_or_digit(scheme.front())
        || !std::all_of(scheme.begin(), scheme.end(), is_of_scheme))
        return OriginFault::malformed;
    auto const host = text.substr(colon + 3);
    if (host.find('/') != std::string_view::npos) return OriginFault::has_path;
    auto const end = host.find(':', host.starts_with('[') ? host.find(']') : 0);
    if (end != std::string_view::npos) {
        auto const port = parse_digits<std::uint16_t>(host.substr(end + 1));
        if (!port || *port == 0) return OriginFault::bad_port;
        if ((scheme == "http" && *port == 80) || (scheme == "https" && *port == 443))
            return OriginFault::default_port;
    }
    auto const name = host.substr(0, end);
    if (!is_host(name) || name.ends_with('.') || std::any_of(text.begin(), text.end(), is_upper))
        return OriginFault::malformed;
    return OriginFault::none;
}

} // namespace sallyport::text
