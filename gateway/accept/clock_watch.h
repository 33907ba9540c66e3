// Reports changes of the wall clock: credentials expire by it, and the log uses its
// time.
#pragma once

#include "gateway/net/ticker.h"

#include <chrono>
#include <cstdint>
#include <functional>

namespace sallyport::accept {

/// On the control loop. Waits and measurements use the monotonic clock: a jump has no effect on
/// them.
class ClockWatch {
public:
    /// Jumps count from the construction on, also those before `start()`.
    /// `jumped`: called with the size of a jump; forward is positive.
    ClockWatch(net::asio::io_context& control,
               std::function<void(std::chrono::milliseconds by)> jumped);

    void start();
    void stop();

    [[nodiscard]] std::uint64_t jumps() const noexcept { return jumps_; }

private:
    void look();

    net::Ticker ticker_;
    std::function<void(std::chrono::milliseconds)> jumped_;
    std::chrono::nanoseconds offset_; // from the wall clock to the monotonic clock
    std::uint64_t jumps_ = 0;
};

} // namespace sallyport::accept
