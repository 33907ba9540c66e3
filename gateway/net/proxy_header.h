// The header of the PROXY protocol, versions 1 and 2: a proxy sends it before all other bytes of a
// connection, to say whose connection it is (HAProxy's proxy-protocol.txt).
#pragma once

#include "gateway/net/executor.h"
#include "gateway/net/stream.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::net {

class Socket;

/// What a header says.
struct ProxyHeader {
    /// Empty: the proxy itself has connected, or does not know the client (LOCAL, UNKNOWN, UNSPEC).
    std::optional<Peer> client;
    bool client_has_tls = false; // PP2_TYPE_SSL: the proxy has terminated TLS
    std::string protocol;        // PP2_TYPE_ALPN; empty: not said
    std::string authority;       // PP2_TYPE_AUTHORITY, in lower case; empty: not said
};

enum class ProxyHeaderState { complete, unfinished, malformed };

struct ParsedProxyHeader {
    ProxyHeaderState state = ProxyHeaderState::unfinished;
    ProxyHeader header;
    std::size_t size = 0;         // of the complete header, in bytes
    std::string_view problem; // why it is malformed: a constant
};

/// Longer headers are malformed. The protocol asks receivers for 536 bytes; certificates of clients
/// in PP2_TYPE_SSL can make it longer.
inline constexpr std::size_t max_proxy_header = 4096;

/// Parses the header at the beginning of `bytes`; what follows it is not looked at. Version 1 is
/// taken to the letter (section 2.1). Of version 2: the commands LOCAL and PROXY, TCP over IPv4 and
/// IPv6; PP2_TYPE_AUTHORITY has to be a name, and the checksum of PP2_TYPE_CRC32C right, if they are
/// there (2.2.2, 2.2.3).
[[nodiscard]] ParsedProxyHeader parse_proxy_header(std::string_view bytes);

/// Takes the header from a socket, and no byte behind it. Malformed: `problem` says why. Other
/// errors are those of the socket; eof before the first byte is common, since load balancers check
/// in this way whether a port is open.
struct ReceivedProxyHeader {
    ProxyHeader header;
    Error error;
    std::string_view problem; // not empty: malformed, or not complete at the end
};
[[nodiscard]] Task<ReceivedProxyHeader> receive_proxy_header(Socket& socket);

} // namespace sallyport::net
