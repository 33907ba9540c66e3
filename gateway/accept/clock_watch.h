// Notices when somebody sets the clock of the day: credentials end by it, and the log is in its
// time.
#pragma once

#include "gateway/net/ticker.h"

#include <chrono>
#include <cstdint>
#include <functional>

namespace sallyport::accept {

/// On the control loop. What the gateway waits for and measures is in the clock that cannot be set:
/// a jump changes nothing else.
class ClockWatch {
public:
    /// A jump is one since here: what is done before `start()` reads the clock too.
    /// `jumped`: told by how much; forward is positive.
    ClockWatch(net::asio::io_context& control,
               std::function<void(std::chrono::milliseconds by)> jumped);

    void start();
    void stop();

    [[nodiscard]] std::uint64_t jumps() const noexcept { return jumps_; }

private:
    void look();

    net::Ticker ticker_;
    std::function<void(std::chrono::milliseconds)> jumped_;
    std::chrono::nanoseconds offset_; // of the clock of the day to the one that cannot be set
    std::uint64_t jumps_ = 0;
};

} // namespace sallyport::accept
