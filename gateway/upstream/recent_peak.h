// The most of something at once within a span of time that ends now.
#pragma once

#include "gateway/net/executor.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sallyport::upstream {

/// Decides, and does nothing; the clock is its caller's. A maximum for each of three windows of
/// half the span: what was noted counts for one span at least, and for one and a half at most.
class RecentPeak {
public:
    using Clock = net::Clock;

    /// `span`: longer than nothing.
    explicit RecentPeak(Clock::duration span) noexcept
        : window_{std::max(span / 2, Clock::duration{1})} {}

    /// There are `count` at `now`. A `now` before that of an earlier call counts as that one.
    void note(std::size_t count, Clock::time_point now) noexcept {
        if (now >= ends_) turn_to(now);
        most_[0] = std::max(most_[0], count);
    }
    /// As of the last note().
    [[nodiscard]] std::size_t value() const noexcept {
        return std::max({most_[0], most_[1], most_[2]});
    }
    /// Before this value() does not fall.
    [[nodiscard]] Clock::time_point falls_at() const noexcept { return ends_; }

private:
    /// Seldom: it stays out of who notes.
    [[gnu::noinline]] void turn_to(Clock::time_point now) noexcept {
        auto const passed = (now - ends_) / window_ + 1;
        for (auto i = std::min<Clock::rep>(passed, 3); i > 0; --i)
            most_ = {0, most_[0], most_[1]};
        ends_ += passed * window_;
    }

    Clock::duration window_;
    Clock::time_point ends_{};          // of the window that lasts
    std::array<std::size_t, 3> most_{}; // in that, and in those before it
};

} // namespace sallyport::upstream
