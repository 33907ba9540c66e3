// Listening sockets: opened here, or taken over from a predecessor or from systemd.
#pragma once

#include "config/config.h"
#include "gateway/accept/successor.h"
#include "gateway/net/descriptor.h"
#include "gateway/net/stream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr_storage;

namespace sallyport::accept {

/// A listening socket.
struct Listening {
    net::FileDescriptor descriptor;
    std::string address; // with the bound port
};

/// Whether a descriptor is a socket that listens.
[[nodiscard]] bool listens(int descriptor);

/// The socket of a listener, bound, or why it cannot be.
struct Opened {
    Listening listening;
    std::string problem; // empty: it is listening
};
/// Binds and listens on a configured address; with port 0 the system chooses one.
[[nodiscard]] Opened open_listener(config::Address const& address);

/// An IPv4 client of an IPv6 socket gets its IPv4 address: limits and logs use a single form.
[[nodiscard]] net::Peer to_peer(sockaddr_storage const& from);

/// Sockets that were listening before this process began, so that no connection is refused when one
/// program replaces another: from systemd's socket activation (sd_listen_fds(3)), or from a
/// predecessor. Unused ones are closed.
class InheritedSockets {
public:
    InheritedSockets() = default;
    /// Those of systemd, from environment variables (which are removed), and these.
    explicit InheritedSockets(std::vector<NamedDescriptor> const& of_predecessor);

    /// The socket with the listener's name, or with its address; its bound address must match in
    /// both cases.
    Listening take(std::string_view name, config::Address const& address);

    /// Descriptions of those that no listener has taken.
    [[nodiscard]] std::vector<std::string> left_over() const;
    void close_left_over() { sockets_.clear(); }

private:
    struct Socket {
        std::string name; // as named by the previous owner; may be empty
        config::Address bound;
        net::FileDescriptor descriptor;
    };
    void add(int descriptor, std::string name);

    std::vector<Socket> sockets_;
};

} // namespace sallyport::accept
