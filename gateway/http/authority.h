// The authority of a target or Host field: strict parsing into host and port, and comparison of
// hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sallyport::http {

struct Authority {
    std::string_view text; // all of it, as sent
    std::string_view host; // as sent; an IPv6 address with its brackets
    std::optional<std::uint16_t> port;
};

inline constexpr std::size_t max_host_size = 255; // RFC 1035, 2.3.4

/// RFC 9110, 7.2 and RFC 3986, 3.2: uri-host [ ":" port ], never empty, without userinfo. Of
/// reg-name only the unreserved characters: no resolvable host has others, and hosts are logged and
/// forwarded. Empty result if the text is anything else.
[[nodiscard]] std::optional<Authority> parse_authority(std::string_view text) noexcept;

/// RFC 3986, 6.2.2.1: compares hosts case-insensitively; ports as written.
[[nodiscard]] bool is_same_authority(Authority const& a, Authority const& b) noexcept;

/// The host in lower case, without a trailing dot, written to `storage`: the form that routes use.
/// Empty if `storage` is smaller than the host.
[[nodiscard]] std::string_view normalized_host(Authority const& authority,
                                               std::span<char> storage) noexcept;

} // namespace sallyport::http
