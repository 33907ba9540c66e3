// What the program tells systemd about itself, and the watchdog: sd_notify(3).
#pragma once

#include "gateway/net/ticker.h"

#include <chrono>
#include <functional>
#include <string>

namespace sallyport::accept {

/// Without systemd (no NOTIFY_SOCKET) nothing is told to anybody. On the control loop.
class Supervisor {
public:
    /// `is_alive`: asked before each sign of life.
    Supervisor(net::asio::io_context& control, std::function<bool()> is_alive);

    void ready(std::string const& status);
    void reloading();
    void stopping(std::string const& status);
    /// No sign of life any more.
    void stop();

private:
    void feed_watchdog();

    net::Ticker watchdog_;
    std::function<bool()> is_alive_;
    std::chrono::microseconds period_{0};
};

} // namespace sallyport::accept
