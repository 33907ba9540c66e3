// The listeners of the running gateway: which are open, and how that follows the configuration.
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
    /// `inherited`: asked before a socket is opened; what is left when the first snapshot is
    /// adopted is closed. It outlives the listeners.
    Listeners(net::Executor acceptors_run_on, std::vector<std::unique_ptr<Worker>> const& workers,
              ConnectionLimits& limits, observe::LogRing& ring, observe::ControlLog& control_log,
              InheritedSockets& inherited);

    /// Sockets for a snapshot that may come into use.
    struct Prepared {
        struct Socket {
            std::string listener;
            config::Address configured;
            Listening listening;
        };
        std::vector<Socket> sockets;       // of listeners that are not open yet
        std::vector<std::string> problems; // empty: all could be opened
    };
    /// Opens what is missing, and nothing more: dropped, it never was.
    Prepared prepare(lifecycle::Snapshot const& snapshot);

    /// Accepts on what was prepared, and no more on what the snapshot does not have.
    void adopt(lifecycle::Snapshot const& snapshot, Prepared prepared);

    /// Stops all: who waits to be accepted is still let in.
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
