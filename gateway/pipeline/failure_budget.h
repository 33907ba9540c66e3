// How many failures a source may cause within a time, and for how long it is refused beyond them.
#pragma once

#include "gateway/pipeline/caller.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sallyport::pipeline {

struct FailureLimits {
    std::uint32_t failures = 0; // that a source may cause within `window`; the next one blocks it
    std::chrono::milliseconds window{};
    std::chrono::milliseconds first_block{};
    std::chrono::milliseconds longest_block{};
};

/// What one more failure of a source means.
struct CountedFailure {
    std::chrono::milliseconds blocked_for{}; // from now on; zero: it is not blocked
    bool begins = false;                     // with this failure
    std::uint32_t blocks = 0;                // in a row, this one included
    std::uint32_t limit = 0;                 // FailureLimits::failures
};

/// The failures of many sources of one kind, in bounded memory. Any thread: a part of it is locked
/// for a few instructions, and only when something has failed.
///
/// A source that fails again soon after a block (within its length, and within a window) is blocked
/// at once, twice as long as before. What fails during a block is not counted: it was not looked
/// at, or would have been refused in any case. Beyond `most_sources` the one that would be
/// forgotten first is forgotten.
class FailureBudget {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::size_t most_sources = 65'536;

    /// For later failures. Those that were counted stay.
    void configure(FailureLimits const& limits);

    /// Counts a failure of `source` at `now`.
    CountedFailure count(CallerKey source, Clock::time_point now);

    /// Counts a failure in advance if none of `source` is remembered, for example one of the window
    /// that has begun with it. False: there is one, and nothing is counted.
    [[nodiscard]] bool count_first(CallerKey source, Clock::time_point now);

    /// Whether the source is blocked, and for how much longer.
    [[nodiscard]] CountedFailure look_at(CallerKey source, Clock::time_point now) const;

    /// How many blocks have begun.
    [[nodiscard]] std::uint64_t blocks() const noexcept {
        return blocks_.load(std::memory_order_relaxed);
    }

private:
    struct Source {
        CallerKey key = 0;
        Clock::time_point window_began;
        Clock::time_point blocked_until;
        Clock::time_point forgotten_at; // the beginning of time: the place is free
        std::uint32_t failures = 0;     // since the window began
        std::uint32_t blocks = 0;       // in a row
    };
    // A source is in one set of one shard, at any of its places.
    static constexpr std::size_t shards = 64;
    static constexpr std::size_t places = 8;
    static constexpr std::size_t sets = most_sources / shards / places;

    struct Shard {
        mutable std::mutex mutex; // of the following members
        FailureLimits limits;
        std::vector<Source> sources; // empty until the first failure
    };

    [[nodiscard]] static Source* find(Shard& shard, CallerKey key, Clock::time_point now);
    [[nodiscard]] static Source& find_or_add(Shard& shard, CallerKey key, Clock::time_point now);
    CountedFailure block(Source& source, FailureLimits const& limits, Clock::time_point now);
    [[nodiscard]] Shard& shard_of(CallerKey key) const noexcept { return shards_[key % shards]; }

    mutable std::array<Shard, shards> shards_;
    std::atomic<std::uint64_t> blocks_{0};
};

} // namespace sallyport::pipeline
