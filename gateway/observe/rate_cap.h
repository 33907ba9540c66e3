// A cap on log lines that clients can cause without a request, such as failed handshakes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sallyport::observe {

enum class Pass : std::uint8_t { yes, no };

/// A token bucket for one thread: `burst` at once, then one per `every`.
class RateCap {
public:
    using Clock = std::chrono::steady_clock;

    RateCap(std::uint32_t burst, Clock::duration every) noexcept
        : burst_{burst}, every_{every}, tokens_{burst} {}

    /// Whether an event at `now` may pass; those that may not are counted.
    Pass take(Clock::time_point now) noexcept {
        if (now - filled_ >= every_) {
            auto const earned = (now - filled_) / every_;
            auto const missing = static_cast<Clock::rep>(burst_ - tokens_);
            tokens_ += static_cast<std::uint32_t>(std::min<Clock::rep>(earned, missing));
            filled_ += earned * every_;
        }
        if (tokens_ == 0) {
            ++suppressed_;
            return Pass::no;
        }
        --tokens_;
        return Pass::yes;
    }

    [[nodiscard]] std::uint64_t suppressed() const noexcept { return suppressed_; }

private:
    std::uint32_t burst_;
    Clock::duration every_;
    std::uint32_t tokens_;
    Clock::time_point filled_{};
    std::uint64_t suppressed_ = 0;
};

} // namespace sallyport::observe
