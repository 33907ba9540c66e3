// The admin listener: plain HTTP for monitoring systems and operators, on the control loop.
#pragma once

#include "gateway/admin/pages.h"
#include "gateway/net/descriptor.h"
#include "gateway/net/executor.h"

#include <boost/asio/basic_waitable_timer.hpp>

#include <functional>
#include <memory>

namespace sallyport::admin {

/// What the listener needs from the gateway.
struct Gateway {
    std::function<Facts()> facts;
    /// Calls back on the control loop once every worker's loop has turned; never if one is
    /// stuck.
    std::function<void(std::function<void()> alive)> check_liveness;
};

/// One listening socket and its connections. Serves until it is destroyed or closed, which closes
/// the open connections.
class Listener {
public:
    /// `socket` is listening.
    Listener(net::asio::io_context& control, net::FileDescriptor socket,
             AllowedClients allowed_clients, Gateway gateway);
    ~Listener();
    Listener(Listener const&) = delete;
    Listener& operator=(Listener const&) = delete;

    [[nodiscard]] int descriptor() const noexcept;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace sallyport::admin
