// The maximum of a number within a span of time that ends now.
#pragma once

#include "gateway/net/executor.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sallyport::upstream {

/// Decisions only; the caller reads the clock. Keeps a maximum for each of three windows of half
/// the span: a value counts for one span at least, and for one and a half at most.
class RecentPeak {
public:
    using Clock = net::Clock;

    /// `span`: more than zero.
    explicit RecentPeak(Clock::duration span) noexcept
        : window_{std::max(span / 2, Clock::duration{1})} {}

    /// Records `count` at `now`. A `now` before that of an earlier call counts as that one.
    void note(std::size_t count, Clock::time_point now) noexcept {
        if (now >= ends_) turn_to(now);
        most_[0] = std::max(most_[0], count);
    }
    /// As of the last note().
    [[nodiscard]] std::size_t value() const noexcept {
        return std::max({most_[0], most_[1], most_[2]});
    }
    /// value() does not fall before this time.
    [[nodiscard]] Clock::time_point falls_at() const noexcept { return ends_; }

private:
    /// Rare: not inlined into note().
    [[gnu::noinline]] void turn_to(Clock::time_point now) noexcept {
        auto const passed = (now - ends_) / window_ + 1;
        for (auto i = std::min<Clock::rep>(passed, 3); i > 0; --i)
            most_ = {0, most_[0], most_[1]};
        ends_ += passed * window_;
    }

    Clock::duration window_;
    Clock::time_point ends_{};          // of the current window
    std::array<std::size_t, 3> most_{}; // in that, and in those before it
};

} // namespace sallyport::upstream
