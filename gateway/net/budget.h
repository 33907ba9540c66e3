// A limit on memory that all workers share (limits.buffered_bodies): reserved before it is used.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sallyport::net {

enum class Granted : bool { no, yes };

/// What somebody waits for may take the whole budget; what could be done without leaves its last
/// half to that.
enum class Claim : bool { whole, first_half };

class Budget {
public:
    explicit Budget(std::size_t limit, std::size_t share = SIZE_MAX)
        : limit_(limit), share_(share) {}
    Budget(Budget const&) = delete;
    Budget& operator=(Budget const&) = delete;

    [[nodiscard]] std::size_t limit() const noexcept {
        return limit_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t used() const noexcept {
        return used_.load(std::memory_order_relaxed);
    }
    /// What is out beyond a lower limit stays out; nothing new is granted until it came back.
    void set_limit(std::size_t limit) noexcept { limit_.store(limit, std::memory_order_relaxed); }
    /// What the reservations of one owner may take together.
    void set_share(std::size_t share) noexcept { share_.store(share, std::memory_order_relaxed); }

private:
    friend class Reservation;
    // What one owner holds.
    using Held = std::atomic<std::size_t>;

    Granted take(std::size_t bytes, Claim claim) noexcept;
    // `own`: what of it is the reservation's that asks. A reservation that is its owner's only one
    // may grow beyond the share: one body is always possible.
    Granted take_of_share(Held& held, std::size_t bytes, std::size_t own) noexcept;
    void give_back(std::size_t bytes) noexcept {
        used_.fetch_sub(bytes, std::memory_order_relaxed);
    }
    // Owners whose numbers meet here have one share: a table that were exact would need a lock. The
    // numbers come from a random key.
    Held& held_by(std::uint64_t owner) noexcept { return held_[owner % held_.size()]; }

    std::atomic<std::size_t> limit_;
    std::atomic<std::size_t> share_;
    // A line of its own: all workers write it.
    alignas(64) std::atomic<std::size_t> used_{0};
    alignas(64) std::array<Held, 8192> held_{};
};

/// Bytes taken from a budget; given back on destruction.
class Reservation {
public:
    Reservation() = default;
    /// Of nobody's share.
    explicit Reservation(Budget& budget) : budget_(&budget) {}
    /// Of the share of `owner`, a number that is random.
    Reservation(Budget& budget, std::uint64_t owner)
        : budget_(&budget), held_(&budget.held_by(owner)) {}
    ~Reservation() { release(); }
    Reservation(Reservation&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), held_(other.held_),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Reservation& operator=(Reservation&& other) noexcept {
        if (this != &other) {
            release();
            budget_ = std::exchange(other.budget_, nullptr);
            held_ = other.held_;
            bytes_ = std::exchange(other.bytes_, 0);
        }
        return *this;
    }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    /// Why it was refused: its owner has used up its share.
    [[nodiscard]] bool is_over_share() const noexcept { return is_over_share_; }

    /// Makes this `bytes` large; where the budget does not allow it, what was reserved stays as it
    /// was. Never shrinks. A reservation without a budget is refused everything but nothing.
    [[nodiscard]] Granted grow_to(std::size_t bytes, Claim claim = Claim::whole) noexcept;

    void release() noexcept {
        if (budget_ != nullptr && bytes_ != 0) {
            budget_->give_back(bytes_);
            if (held_ != nullptr) held_->fetch_sub(bytes_, std::memory_order_relaxed);
        }
        bytes_ = 0;
    }

private:
    Budget* budget_ = nullptr;
    Budget::Held* held_ = nullptr; // null: of nobody's share
    std::size_t bytes_ = 0;
    bool is_over_share_ = false;
};

} // namespace sallyport::net
