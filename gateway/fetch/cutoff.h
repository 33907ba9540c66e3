// The deadline of one fetch: ends whatever the fetch waits for.
#pragma once

#include "gateway/net/deadlines.h"
#include "gateway/net/event.h"
#include "gateway/net/loop.h"
#include "gateway/net/stream.h"

namespace sallyport::fetch {

/// On the loop's thread. Whatever is still begun when it is over must not be waited for.
class Cutoff {
public:
    Cutoff(net::Loop& loop, net::Clock::time_point at)
        : woken_{loop.waiters()},
          deadline_{net::Deadline::calling<&Cutoff::expire>(loop.deadlines(), *this)}, at_{at} {
        deadline_.arm_at(at);
    }
    Cutoff(Cutoff const&) = delete;
    Cutoff& operator=(Cutoff const&) = delete;

    [[nodiscard]] bool is_over() const noexcept { return net::Clock::now() >= at_; }
    [[nodiscard]] net::Clock::duration left() const noexcept { return at_ - net::Clock::now(); }
    [[nodiscard]] net::Clock::time_point at() const noexcept { return at_; }

    /// Notified when it is over, and by what the fetch waits for besides its stream.
    net::Event& woken() noexcept { return woken_; }

    /// From now on this stream is interrupted. Null: none.
    void guard(net::Stream* stream) noexcept { stream_ = stream; }

private:
    void expire() noexcept {
        if (stream_ != nullptr) stream_->interrupt();
        woken_.notify();
    }

    net::Event woken_;
    net::Stream* stream_ = nullptr;
    net::Deadline deadline_;
    net::Clock::time_point at_;
};

} // namespace sallyport::fetch
