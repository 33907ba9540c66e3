// The admin listener of the running gateway, updated when the configuration changes.
#pragma once

#include "gateway/accept/listening_socket.h"
#include "gateway/accept/successor.h"
#include "gateway/admin/listener.h"
#include "gateway/observe/control_log.h"

#include <optional>
#include <string>
#include <vector>

namespace sallyport::accept {

/// On the control loop.
class AdminPort {
public:
    AdminPort(net::asio::io_context& control, admin::Gateway gateway,
              observe::ControlLog& control_log);

    /// A socket for a configuration that may become active.
    struct Prepared {
        std::optional<Listening> listening; // none: no socket has to be opened
        net::FileDescriptor same_place;     // if the listener stays: its socket, for other clients'
                                            // addresses
        std::string problem;                // empty: everything that had to be opened was opened
    };
    /// Opens the socket that `config` needs; no effect on the listener before adopt().
    Prepared prepare(config::Config const& config, InheritedSockets& inherited);

    /// Serves as configured, and stops what is no longer configured.
    void adopt(config::Config const& config, Prepared prepared);
    /// Stops serving and closes the socket.
    void close();

    /// For a successor.
    [[nodiscard]] std::vector<NamedDescriptor> descriptors() const;

private:
    net::asio::io_context& control_;
    admin::Gateway gateway_;
    observe::ControlLog& control_log_;
    std::optional<config::Admin> configured_;
    std::optional<admin::Listener> listener_;
};

} // namespace sallyport::accept
