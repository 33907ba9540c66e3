// The admin listener of the running gateway, and how it follows the configuration.
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

    /// A socket for a configuration that may come into use.
    struct Prepared {
        std::optional<Listening> listening; // none: nothing is to be opened
        net::FileDescriptor same_place;     // where that stays, for other askers
        std::string problem;                // empty: what had to be opened could be
    };
    Prepared prepare(config::Config const& config, InheritedSockets& inherited);

    /// Serves what the configuration says, and no more what it does not.
    void adopt(config::Config const& config, Prepared prepared);
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
