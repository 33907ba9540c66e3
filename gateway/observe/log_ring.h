// A ring of whole lines between one worker and the log's writer thread: no lock, no system call, no
/// allocation.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace sallyport::observe {

/// How a ring that is half full wakes the writer: one system call for all rings until the writer
/// has awoken.
class LogWakeUp {
public:
    explicit LogWakeUp(int event_descriptor) noexcept : event_descriptor_{event_descriptor} {}

    /// Any thread.
    void request() noexcept {
        if (requested_.load(std::memory_order_relaxed)) return;
        if (!requested_.exchange(true, std::memory_order_relaxed)) signal();
    }

    /// Wakes even if a request is pending; safe in a signal handler.
    void signal() noexcept;

    /// The writer, before it looks at the rings: requests from here on signal again.
    void accept() noexcept { requested_.store(false, std::memory_order_relaxed); }

private:
    int event_descriptor_;
    std::atomic<bool> requested_{false};
};

enum class Pushed : std::uint8_t { yes, dropped };

/// One producer (the worker that owns the number), one consumer (the writer). Positions count bytes
/// since the start and never wrap in practice; each publishes only whole lines, so what can be read
/// always ends in a line feed.
class LogRing {
public:
    /// `capacity`: bytes, a power of two.
    LogRing(std::size_t capacity, LogWakeUp& wake_up)
        : memory_{std::make_unique_for_overwrite<char[]>(capacity)}, capacity_{capacity},
          wake_up_{wake_up} {}

    /// Producer: the number of the next line, taken before its push so that a dropped one leaves a
    /// gap.
    std::uint64_t take_seq() noexcept { return next_seq_++; }

    /// Producer: `line` ends in its only line feed. A line that does not fit is dropped and
    /// counted.
    Pushed push(std::string_view line) noexcept {
        auto const head = head_.load(std::memory_order_relaxed);
        if (head - known_tail_ + line.size() > capacity_ / 2) {
            known_tail_ = tail_.load(std::memory_order_acquire);
            if (head - known_tail_ + line.size() > capacity_ / 2) wake_up_.request();
            if (head - known_tail_ + line.size() > capacity_) {
                dropped_.store(dropped_.load(std::memory_order_relaxed) + 1,
                               std::memory_order_relaxed);
                return Pushed::dropped;
            }
        }
        auto const offset = static_cast<std::size_t>(head) & (capacity_ - 1);
        auto const first = line.size() < capacity_ - offset ? line.size() : capacity_ - offset;
        std::memcpy(memory_.get() + offset, line.data(), first);
        std::memcpy(memory_.get(), line.data() + first, line.size() - first);
        head_.store(head + line.size(), std::memory_order_release);
        return Pushed::yes;
    }

    /// Consumer: all whole lines that wait, in order; the second part is empty unless they wrap.
    std::array<std::string_view, 2> readable() const noexcept {
        auto const tail = tail_.load(std::memory_order_relaxed);
        auto const size = static_cast<std::size_t>(head_.load(std::memory_order_acquire) - tail);
        auto const offset = static_cast<std::size_t>(tail) & (capacity_ - 1);
        auto const first = size < capacity_ - offset ? size : capacity_ - offset;
        return {std::string_view{memory_.get() + offset, first},
                std::string_view{memory_.get(), size - first}};
    }

    /// Consumer: gives back the first `size` bytes of readable().
    void release(std::size_t size) noexcept {
        tail_.store(tail_.load(std::memory_order_relaxed) + size, std::memory_order_release);
    }

    /// Any thread.
    std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

private:
    std::unique_ptr<char[]> memory_;
    std::size_t capacity_;
    LogWakeUp& wake_up_;
    /// Each side's line of the cache is its own.
    alignas(64) std::atomic<std::uint64_t> head_{0};
    std::uint64_t known_tail_ = 0;
    std::uint64_t next_seq_ = 0;
    std::atomic<std::uint64_t> dropped_{0};
    alignas(64) std::atomic<std::uint64_t> tail_{0};
};

} // namespace sallyport::observe
