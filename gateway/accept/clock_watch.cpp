// Reports changes of the wall clock.
#include "gateway/accept/clock_watch.h"

#include <utility>

namespace sallyport::accept {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::chrono::seconds period{2};
// Time daemons slew what is less.
constexpr std::chrono::seconds least{1};

nanoseconds offset_now() {
    auto const day = std::chrono::system_clock::now().time_since_epoch();
    auto const steady = net::Clock::now().time_since_epoch();
    return std::chrono::duration_cast<nanoseconds>(day)
           - std::chrono::duration_cast<nanoseconds>(steady);
}

} // namespace

ClockWatch::ClockWatch(net::asio::io_context& control, std::function<void(milliseconds by)> jumped)
    : ticker_{control.get_executor(), [this] { look(); }}, jumped_{std::move(jumped)},
      offset_{offset_now()} {}

void ClockWatch::start() {
    ticker_.start(period);
}

void ClockWatch::stop() {
    ticker_.stop();
}

void ClockWatch::look() {
    auto const offset = offset_now();
    auto const by = offset - std::exchange(offset_, offset);
    if (by < least && by > -least) return;
    ++jumps_;
    jumped_(std::chrono::duration_cast<milliseconds>(by));
}

} // namespace sallyport::accept
