// A number that one thread writes and any thread reads: no lock, no locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace sallyport::observe {

/// Only increases. One writer: a load and a store.
class Counter {
public:
    void add(std::uint64_t amount = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// Increases and decreases. One writer.
class Gauge {
public:
    void add(std::int64_t amount = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    void subtract(std::int64_t amount = 1) noexcept { add(-amount); }
    [[nodiscard]] std::int64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::int64_t> value_{0};
};

} // namespace sallyport::observe
