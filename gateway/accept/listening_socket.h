// Sockets that listen: opened here, or taken over from whoever held them before.
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

/// A socket that listens.
struct Listening {
    net::FileDescriptor descriptor;
    std::string address; // with the port that was bound
};

/// Whether a descriptor is a socket that listens.
[[nodiscard]] bool listens(int descriptor);

/// The address of a listener, bound: or why it cannot be.
struct Opened {
    Listening listening;
    std::string problem; // empty: it listens
};
[[nodiscard]] Opened open_listener(config::Address const& address);

/// An IPv4 client of an IPv6 socket keeps its IPv4 address: limits and logs know one spelling.
[[nodiscard]] net::Peer to_peer(sockaddr_storage const& from);

/// Sockets that were listening before this process began, so that no connection is refused while
/// one program follows another: of systemd's socket activation (sd_listen_fds(3)), or of a
/// predecessor. What nobody takes is closed.
class InheritedSockets {
public:
    InheritedSockets() = default;
    /// Those of systemd, which the environment tells of (it is forgotten there), and these.
    explicit InheritedSockets(std::vector<NamedDescriptor> const& of_predecessor);

    /// By the listener's name, or by its address: both have to fit what is bound.
    Listening take(std::string_view name, config::Address const& address);

    /// Descriptions of those that no listener has taken.
    [[nodiscard]] std::vector<std::string> left_over() const;
    void close_left_over() { sockets_.clear(); }

private:
    struct Socket {
        std::string name; // as whoever had it called it; may be empty
        config::Address bound;
        net::FileDescriptor descriptor;
    };
    void add(int descriptor, std::string name);

    std::vector<Socket> sockets_;
};

} // namespace sallyport::accept
