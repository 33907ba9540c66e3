// Addresses to listen on, endpoints of upstreams, host names and paths, parsed without looking
// anything up.
#pragma once

#include "config/config.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::config {

/// `127.0.0.1:8443`, `[::1]:8443`; no names, no zones.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

/// Whether only processes of this machine can connect to it: RFC 1122, 3.2.1.3; RFC 4291, 2.5.3.
[[nodiscard]] bool is_loopback(Address const& address);

struct ParsedEndpoint {
    std::optional<Endpoint> endpoint; // without its origin
    std::string problem;              // why there is none; it repeats nothing that could be secret
    std::string hint;
};

/// Absolute, of segments that are neither empty nor dots alone, without escapes and `;` (RFC 3986,
/// 3.3): every reader of it sees the same path.
[[nodiscard]] bool is_plain_path(std::string_view path);

/// `http://host[:port][/path]`, `https://host[:port][/path]`, `unix:/path`.
[[nodiscard]] ParsedEndpoint parse_endpoint(std::string_view text);

/// Whether both have the same host and port, or the same socket; their schemes and paths may
/// differ. A host may be written in several ways (letter case, IPv6), and this machine has several
/// names and addresses. Nothing is looked up.
[[nodiscard]] bool have_same_address(Endpoint const& one, Endpoint const& other);

/// Letters, digits, `-`, `_` and dots (a name as DNS has it), an IPv4 address, or an IPv6 address
/// in brackets.
[[nodiscard]] bool is_host(std::string_view text);

/// A host, and a port if there is a colon: RFC 9110, 7.2.
[[nodiscard]] bool is_authority(std::string_view text);
/// `http://` or `https://` with a host, perhaps a port, a plain path and a query.
[[nodiscard]] bool is_url(std::string_view text);

} // namespace sallyport::config
