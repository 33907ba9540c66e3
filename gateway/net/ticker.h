// A periodic callback on a loop, until it is stopped.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/basic_waitable_timer.hpp>

#include <functional>
#include <optional>

namespace sallyport::net {

/// For the control loop; connections have deadlines. Cancelling Asio's timer is not enough: if it
/// has expired and its handler is already queued, the handler runs nevertheless, and a handler that
/// waits again would keep its loop from ever ending.
class Ticker {
public:
    Ticker(Executor executor, std::function<void()> on_tick);
    Ticker(Ticker const&) = delete;
    Ticker& operator=(Ticker const&) = delete;

    /// The first tick comes after one period; restarts if it is running.
    void start(Clock::duration period);
    /// No tick after this call.
    void stop();

private:
    void wait();

    asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor> timer_;
    std::function<void()> on_tick_;
    std::optional<Clock::duration> period_;
};

} // namespace sallyport::net
