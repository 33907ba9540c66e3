// By when the next byte of a request body must have arrived.
#pragma once

#include "gateway/http/codec.h"
#include "gateway/net/executor.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sallyport::http {

/// Each byte adds time at the minimum rate. Fast bytes add no more than a minute in total:
/// otherwise a few bytes would be enough for many minutes afterwards.
class BodyPace {
public:
    /// For the next body.
    void begin() noexcept {
        due_ = {};
        credited_ = 0;
    }
    /// `arrived`: bytes of the body until `now`.
    [[nodiscard]] net::Clock::time_point due(net::Clock::time_point now, std::uint64_t arrived,
                                             ConnectionLimits const& limits) noexcept {
        if (due_ == net::Clock::time_point{}) due_ = now + limits.body_idle;
        auto const rate = std::max<std::uint64_t>(limits.minimum_rate, 1);
        auto const earned = std::chrono::microseconds{(arrived - credited_) * 1'000'000 / rate};
        credited_ = arrived;
        due_ = std::min(due_ + earned, now + limits.body_idle + limits.most_credit);
        return due_;
    }

private:
    net::Clock::time_point due_;
    std::uint64_t credited_ = 0; // bytes that have extended due_
};

} // namespace sallyport::http
