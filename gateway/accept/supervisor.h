// Notifications to systemd, and its watchdog: sd_notify(3).
#pragma once

#include "gateway/net/ticker.h"

#include <chrono>
#include <functional>
#include <string>

namespace sallyport::accept {

/// Without systemd (no NOTIFY_SOCKET) it does nothing. On the control loop.
class Supervisor {
public:
    /// `is_alive`: called before each watchdog notification.
    Supervisor(net::asio::io_context& control, std::function<bool()> is_alive);

    /// The service is ready; `status` is its one-line description.
    void ready(std::string const& status);
    /// A reload has begun; ready() ends it.
    void reloading();
    /// The service is stopping.
    void stopping(std::string const& status);
    /// Ends the watchdog notifications.
    void stop();

private:
    void feed_watchdog();

    net::Ticker watchdog_;
    std::function<bool()> is_alive_;
    std::chrono::microseconds period_{0};
};

} // namespace sallyport::accept
