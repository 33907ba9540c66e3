// Names and addresses of servers: what can be told without a lookup, and the system's lookup.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/generic/stream_protocol.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::net {

using Address = asio::generic::stream_protocol::endpoint;

/// A DNS name and a port.
struct Name {
    std::string host;
    std::uint16_t port = 0;

    friend bool operator==(Name const&, Name const&) = default;
};

/// Without a lookup: empty if `name` is not an IP address.
[[nodiscard]] std::optional<Address> literal_address(Name const& name);

/// The address of a unix socket; empty if the path is too long for one.
[[nodiscard]] std::optional<Address> unix_address(std::string const& path);

/// getaddrinfo(3): blocks, possibly for many seconds. At least one address, in the order of the
/// system's preference (RFC 6724), or the error.
[[nodiscard]] Result<std::vector<Address>> look_up(Name const& name);

} // namespace sallyport::net
