// A periodic callback on a loop, until it is stopped.
#include "gateway/net/ticker.h"

#include <utility>

namespace sallyport::net {

Ticker::Ticker(Executor executor, std::function<void()> on_tick)
    : timer_{std::move(executor)}, on_tick_{std::move(on_tick)} {}

void Ticker::start(Clock::duration period) {
    period_ = period;
    wait();
}

void Ticker::stop() {
    period_.reset();
    timer_.cancel();
}

void Ticker::wait() {
    timer_.expires_after(*period_);
    timer_.async_wait([this](Error aborted) {
        if (aborted || !period_) return;
        on_tick_();
        if (period_) wait();
    });
}

} // namespace sallyport::net
