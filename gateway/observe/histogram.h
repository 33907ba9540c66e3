// A histogram of durations: one thread writes, any thread reads.
#pragma once

#include "gateway/observe/counter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sallyport::observe {

/// Upper bounds of the buckets of every histogram, in microseconds, inclusive; the last bucket has
/// none. From the gateway's own time (tens of microseconds) to the longest response time of
/// upstreams (minutes).
inline constexpr std::array<std::int64_t, 20> duration_bounds{
    50,        100,       250,        500,        1'000,      2'500,      5'000,
    10'000,    25'000,    50'000,     100'000,    250'000,    500'000,    1'000'000,
    2'500'000, 5'000'000, 10'000'000, 30'000'000, 60'000'000, 300'000'000};

class DurationHistogram {
public:
    static constexpr std::size_t buckets = duration_bounds.size() + 1;

    /// Adds one duration.
    void observe(std::int64_t microseconds) noexcept {
        auto const bound =
            std::lower_bound(duration_bounds.begin(), duration_bounds.end(), microseconds);
        counts_[static_cast<std::size_t>(bound - duration_bounds.begin())].add();
        sum_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(microseconds, 0)));
    }

    /// Not cumulative.
    [[nodiscard]] std::uint64_t count(std::size_t bucket) const noexcept {
        return counts_[bucket].value();
    }
    [[nodiscard]] std::uint64_t sum_of_microseconds() const noexcept { return sum_.value(); }

private:
    std::array<Counter, buckets> counts_;
    Counter sum_;
};

} // namespace sallyport::observe
