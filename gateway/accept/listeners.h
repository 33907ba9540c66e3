// The open listeners of the running gateway, updated when the configuration changes.
#pragma once

#include "gateway/accept/acceptor.h"
#include "gateway/accept/listening_socket.h"
#include "gateway/accept/successor.h"

#include <memory>
#include <string>
#include <vector>

namespace sallyport::accept {

/// On the control loop.
class Listeners {
public:
    /// `inherited`: searched before a socket is opened; unused ones are closed when the first
    /// snapshot is adopted. It outlives the listeners.
    Listeners(net::Executor acceptors_run_on, std::vector<std::unique_ptr<Worker>> const& workers,
              ConnectionLimits& limits, observe::LogRing& ring, observe::ControlLog& control_log,
              InheritedSockets& inherited);

    /// Sockets for a snapshot that may become active.
    struct Prepared {
        struct Socket {
            std::string listener;
            config::Address configured;
            Listening listening;
        };
        std::vector<Socket> sockets;       // of listeners that are not open yet
        std::vector<std::string> problems; // empty: all could be opened
    };
    /// Opens the missing sockets; without effect if the result is destroyed.
    Prepared prepare(lifecycle::Snapshot const& snapshot);

    /// Accepts on the prepared sockets, and stops the listeners that the snapshot does not have.
    void adopt(lifecycle::Snapshot const& snapshot, Prepared prepared);

    /// Stops all: connections in the queues are still accepted.
    void stop();

    struct Status {
        std::string name;
        std::string address;
    };
    [[nodiscard]] std::vector<Status> status() const;

    /// For a successor.
    [[nodiscard]] std::vector<NamedDescriptor> descriptors() const;

private:
    struct Open {
        std::string name;
        config::Address configured;
        std::shared_ptr<Acceptor> acceptor;
    };
    [[nodiscard]] Open const* find(std::string const& name,
                                   config::Address const& configured) const;
    [[nodiscard]] static bool is_gone(Open const& open, lifecycle::Snapshot const& snapshot);
    [[nodiscard]] Listening take_over(config::Address const& address,
                                      lifecycle::Snapshot const& snapshot) const;
    void stop(std::shared_ptr<Acceptor> acceptor);

    net::Executor executor_;
    std::vector<std::unique_ptr<Worker>> const& workers_;
    ConnectionLimits& limits_;
    observe::LogRing& ring_;
    observe::ControlLog& control_log_;
    InheritedSockets& inherited_;
    std::vector<Open> open_;
};

} // namespace sallyport::accept
