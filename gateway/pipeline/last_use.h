// When a secret of a credential was last used.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace sallyport::pipeline {

/// To the minute, by the wall clock. Any thread. Workers share it, and write it once a minute at
/// most: all other times it is only read.
class LastUse {
public:
    using TimePoint = std::chrono::system_clock::time_point;
    using Minutes = std::chrono::duration<std::int64_t, std::ratio<60>>;

    void note(TimePoint now) noexcept {
        auto const minute = std::chrono::floor<Minutes>(now.time_since_epoch()).count();
        // Two workers may be a moment apart: the earlier one does not write.
        if (minute > minute_.load(std::memory_order_relaxed)) [[unlikely]]
            minute_.store(minute, std::memory_order_relaxed);
    }

    /// The minute in which it was used; nothing: never, since the process has started.
    [[nodiscard]] std::optional<TimePoint> time() const noexcept {
        auto const minute = minute_.load(std::memory_order_relaxed);
        if (minute == 0) return std::nullopt;
        return TimePoint{Minutes{minute}};
    }

private:
    std::atomic<std::int64_t> minute_{0};
};

} // namespace sallyport::pipeline
