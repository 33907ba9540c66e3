// What a worker counts: written by its thread alone, read by any.
#pragma once

#include <atomic>
#include <cstdint>

namespace sallyport::observe {

/// One writer: a load and a store, no locked instruction.
class Counter {
public:
    void add(std::uint64_t amount = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// Owned by one worker.
struct Counters {
    Counter connections_accepted;
    Counter handshakes_failed;
    Counter requests_passed;     // an upstream's answer was delivered whole
    Counter requests_refused;    // a denial of ours
    Counter requests_failed;     // an upstream or we failed
    Counter requests_broken_off; // the client left
    Counter violations_reported; // forwarded, at level report
    Counter bytes_in;
    Counter bytes_out;
    Counter lines_suppressed; // by a RateCap
};

} // namespace sallyport::observe
