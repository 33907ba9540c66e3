// A limit on memory that all workers share (limits.buffered_bodies): reserved before it is used.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace sallyport::net {

enum class Granted : bool { no, yes };

// What somebody waits for may take the whole budget; what could be done without leaves its last
// half to that.
enum class Claim : bool { whole, first_half };

class Budget {
public:
    explicit Budget(std::size_t limit) : limit_(limit) {}
    Budget(Budget const&) = delete;
    Budget& operator=(Budget const&) = delete;

    std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
    std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
    // What is out beyond a lower limit stays out; nothing new is granted until it came back.
    void set_limit(std::size_t limit) noexcept { limit_.store(limit, std::memory_order_relaxed); }

private:
    friend class Reservation;
    Granted take(std::size_t bytes, Claim claim) noexcept;
    void give_back(std::size_t bytes) noexcept {
        used_.fetch_sub(bytes, std::memory_order_relaxed);
    }

    std::atomic<std::size_t> limit_;
    // A line of its own: all workers write it.
    alignas(64) std::atomic<std::size_t> used_{0};
};

// Bytes taken from a budget; given back on destruction.
class Reservation {
public:
    Reservation() = default;
    explicit Reservation(Budget& budget) : budget_(&budget) {}
    ~Reservation() { release(); }
    Reservation(Reservation&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Reservation& operator=(Reservation&& other) noexcept {
        if (this != &other) {
            release();
            budget_ = std::exchange(other.budget_, nullptr);
            bytes_ = std::exchange(other.bytes_, 0);
        }
        return *this;
    }

    std::size_t bytes() const noexcept { return bytes_; }

    // Makes this `bytes` large; where the budget does not allow it, what was reserved stays as it
    // was. Never shrinks. A reservation without a budget is refused everything but nothing.
    [[nodiscard]] Granted grow_to(std::size_t bytes, Claim claim = Claim::whole) noexcept;

    void release() noexcept {
        if (budget_ != nullptr && bytes_ != 0) budget_->give_back(bytes_);
        bytes_ = 0;
    }

private:
    Budget* budget_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace sallyport::net
