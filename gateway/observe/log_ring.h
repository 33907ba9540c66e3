// A ring of whole lines between one worker and the log's writer thread: no lock, no system call, no
// allocation.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::observe {

/// Wakes the writer when a ring is half full: one system call for all rings until the writer has
/// woken up.
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

    /// Called by the writer before it reads the rings: later requests signal again.
    void accept() noexcept { requested_.store(false, std::memory_order_relaxed); }

private:
    int event_descriptor_;
    std::atomic<bool> requested_{false};
};

enum class Pushed : std::uint8_t { yes, dropped };

/// Memory mapped from the system; only pages that were written count.
class RingMemory {
public:
    explicit RingMemory(std::size_t size); // throws std::bad_alloc
    RingMemory(RingMemory const&) = delete;
    RingMemory& operator=(RingMemory const&) = delete;
    ~RingMemory();

    [[nodiscard]] char* get() const noexcept { return memory_; }

private:
    char* memory_;
    std::size_t size_;
};

/// One producer (the worker that owns the number), one consumer (the writer). Positions count bytes
/// since the start and never wrap in practice; each side publishes only whole lines, so the
/// readable part always ends in a line feed.
class LogRing {
public:
    /// The space that one reservation keeps free: a line of this size fits, whatever else is
    /// written.
    static constexpr std::size_t reserved_line = std::size_t{8} << 10;

    /// `capacity`: bytes, a power of two.
    LogRing(std::size_t capacity, LogWakeUp& wake_up)
        : memory_{capacity}, capacity_{capacity}, wakes_at_{std::min(capacity / 2, most_asleep)},
          wake_up_{wake_up} {}

    /// Producer: the number of the next line, taken before its push so that a dropped line leaves a
    /// gap.
    std::uint64_t take_seq() noexcept { return next_seq_++; }

    /// Producer: reserves space for one line, until release_reservation().
    [[nodiscard]] bool reserve() noexcept {
        if (!has_room(reserved_line)) return false;
        reserved_ += reserved_line;
        return true;
    }

    /// Producer: just before the push of the line.
    void release_reservation() noexcept { reserved_ -= reserved_line; }

    /// Producer: whether a line of this size would not be dropped.
    [[nodiscard]] bool has_room(std::size_t size) noexcept {
        auto const head = head_.load(std::memory_order_relaxed);
        if (head - known_tail_ + reserved_ + size <= capacity_) return true;
        look_at_tail();
        if (head - known_tail_ + reserved_ + size <= capacity_) return true;
        wake_up_.request();
        return false;
    }

    /// Producer: `line` ends in its only line feed. A line that does not fit is dropped and
    /// counted.
    Pushed push(std::string_view line) noexcept {
        auto head = rewound(head_.load(std::memory_order_relaxed));
        if (head - known_tail_ + line.size() > wakes_at_) {
            look_at_tail();
            if (head - known_tail_ + line.size() > wakes_at_) wake_up_.request();
        }
        if (head - known_tail_ + reserved_ + line.size() > capacity_) {
            dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            return Pushed::dropped;
        }
        auto const offset = offset_of(head);
        auto const first = line.size() < capacity_ - offset ? line.size() : capacity_ - offset;
        std::memcpy(memory_.get() + offset, line.data(), first);
        if (first != line.size())
            std::memcpy(memory_.get(), line.data() + first, line.size() - first);
        head_.store(head + line.size(), std::memory_order_release);
        return Pushed::yes;
    }

    /// Consumer: all whole lines in the ring, in order; the second part is empty unless they wrap.
    [[nodiscard]] std::array<std::string_view, 2> readable() const noexcept {
        auto const head = head_.load(std::memory_order_acquire);
        auto const tail = tail_before(head);
        auto const size = static_cast<std::size_t>(head - tail);
        auto const offset = offset_of(tail);
        auto const first = size < capacity_ - offset ? size : capacity_ - offset;
        return {std::string_view{memory_.get() + offset, first},
                std::string_view{memory_.get(), size - first}};
    }

    /// Consumer: frees the first `size` bytes of readable().
    void release(std::size_t size) noexcept {
        auto const tail = tail_before(head_.load(std::memory_order_acquire));
        tail_.store(tail + size, std::memory_order_release);
    }

    /// Any thread.
    [[nodiscard]] std::uint64_t dropped() const noexcept {
        return dropped_.load(std::memory_order_relaxed);
    }

private:
    /// Above this many unread bytes the writer is woken.
    static constexpr std::size_t most_asleep = std::size_t{512} << 10;
    /// Beyond this position an empty ring restarts at its beginning.
    static constexpr std::size_t rewinds_behind = std::size_t{256} << 10;

    [[nodiscard]] std::size_t offset_of(std::uint64_t position) const noexcept {
        return static_cast<std::size_t>(position) & (capacity_ - 1);
    }

    // The tail never moves backwards: after a rewind the consumer follows later.
    void look_at_tail() noexcept {
        known_tail_ = std::max(known_tail_, tail_.load(std::memory_order_acquire));
    }

    // So that no more of a large ring is touched than is filled at once.
    std::uint64_t rewound(std::uint64_t head) noexcept {
        auto const offset = offset_of(head);
        if (offset < rewinds_behind || tail_.load(std::memory_order_acquire) != head) return head;
        rewound_at_.store(head, std::memory_order_relaxed);
        head += capacity_ - offset;
        known_tail_ = head;
        head_.store(head, std::memory_order_release); // publishes the rewound position too
        return head;
    }

    // The consumer's position after it has seen `head`: the start if the ring was rewound there.
    [[nodiscard]] std::uint64_t tail_before(std::uint64_t head) const noexcept {
        auto const tail = tail_.load(std::memory_order_relaxed);
        if (head == tail || tail != rewound_at_.load(std::memory_order_relaxed)) return tail;
        return tail - offset_of(tail) + capacity_;
    }

    RingMemory memory_;
    std::size_t capacity_;
    std::size_t wakes_at_;
    LogWakeUp& wake_up_;
    /// Each side writes a cache line of its own.
    alignas(64) std::atomic<std::uint64_t> head_{0};
    std::atomic<std::uint64_t> rewound_at_{UINT64_MAX};
    std::uint64_t known_tail_ = 0;
    std::uint64_t next_seq_ = 0;
    std::size_t reserved_ = 0;
    std::atomic<std::uint64_t> dropped_{0};
    alignas(64) std::atomic<std::uint64_t> tail_{0};
};

} // namespace sallyport::observe
