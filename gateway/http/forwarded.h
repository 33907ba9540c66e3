// Who the client is, according to the proxies in front of the gateway.
#pragma once

#include "gateway/http/authority.h"
#include "gateway/http/head.h"
#include "gateway/http/refusal.h"
#include "gateway/text/networks.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::http {

/// Which fields of trusted proxies count. `forwarded` stands alone.
struct ForwardedFields {
    bool forwarded = false; // RFC 7239: its parameters for, proto and host
    bool x_forwarded_for = true;
    bool x_forwarded_proto = true;
    bool x_forwarded_host = false; // many proxies pass on what a client wrote there
};

/// Who may say who the client is, and how.
struct TrustedProxies {
    std::vector<text::Network> networks;
    ForwardedFields fields;

    /// `address`: as text, without port.
    [[nodiscard]] bool has(std::string_view address) const noexcept {
        return text::is_in(networks, address);
    }
};

/// A client as trusted proxies describe it.
struct ForwardedClient {
    std::string address;           // in canonical spelling, without port
    std::optional<bool> is_https;  // empty: not said
    std::optional<Authority> host; // views into the head; empty: not said
};

/// At most so many proxies in a row are read.
inline constexpr std::size_t max_forwarded_hops = 32;

/// Reads the fields of a request that came from the trusted proxy `peer`, from the right: the last
/// element names the peer's client; if that is a trusted proxy too, the element before names its
/// client, and so on. The first address that is not trusted is the client; if all are, the one
/// furthest to the left. What stands to the left of the client was written by strangers, and is not
/// read. Scheme and host are those of the client's element; an X-Forwarded-Proto or
/// X-Forwarded-Host with fewer elements than hops was set once: its first element counts.
///
/// Without any field the client is `peer` itself (a health check). Refused: an element on the way
/// to the client that is empty, not an address (`unknown` and obfuscated names too: RFC 7239, 6.2
/// and 6.3), or malformed; a scheme or host of the client that is empty or malformed; a Forwarded
/// line that does not have the form of RFC 7239, 4, but for white space behind a semicolon, which
/// is sent; more than max_forwarded_hops trusted proxies.
Refused read_forwarded(FieldTable const& fields, TrustedProxies const& proxies,
                       std::string_view peer, ForwardedClient& client);

} // namespace sallyport::http
