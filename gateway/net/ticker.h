// Something that is done again and again on a loop, until it is stopped.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/basic_waitable_timer.hpp>

#include <functional>
#include <optional>

namespace sallyport::net {

/// For the control loop; connections have deadlines. It is not enough to cancel Asio's timer: where
/// its time has come already, and only its turn has not, the handler is called all the same, and
/// one that waits anew would keep its loop from ever ending.
class Ticker {
public:
    Ticker(Executor executor, std::function<void()> on_tick);
    Ticker(Ticker const&) = delete;
    Ticker& operator=(Ticker const&) = delete;

    /// The first time after one period; anew where it runs already.
    void start(Clock::duration period);
    /// No tick from here on.
    void stop();

private:
    void wait();

    asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor> timer_;
    std::function<void()> on_tick_;
    std::optional<Clock::duration> period_;
};

} // namespace sallyport::net
