// A point in time until which a test waits for a fact; no test sleeps.
#pragma once

#include <algorithm>
#include <chrono>

namespace sallyport::test {

/// Long enough for a sanitized build on a busy machine: a test that passes never waits this long.
inline constexpr std::chrono::milliseconds patience{30'000};

/// Copied by value: one limit spans all the waits of one step.
class TimeLimit {
public:
    explicit TimeLimit(std::chrono::milliseconds wait = patience)
        : end_(std::chrono::steady_clock::now() + wait) {}

    [[nodiscard]] bool has_passed() const { return std::chrono::steady_clock::now() >= end_; }

    /// Milliseconds left, for poll(2): never negative, which would mean no limit.
    [[nodiscard]] int left() const {
        auto const left =
            std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
        return static_cast<int>(
            std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 600'000));
    }

private:
    std::chrono::steady_clock::time_point end_;
};

} // namespace sallyport::test
