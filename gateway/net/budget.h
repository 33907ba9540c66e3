// A limit on memory that all workers share (limits.buffered_bodies): reserved before it is used.
#pragma once

#include "gateway/net/shares.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sallyport::net {

enum class Granted : bool { no, yes };

/// `whole`: may use the whole budget, for work that a request waits for. `first_half`: only while
/// less than half is used, for work that could be left undone.
enum class Claim : bool { whole, first_half };

class Budget {
public:
    /// `limit`: bytes for all owners together; `share`: bytes for each owner (net::Shares).
    explicit Budget(std::size_t limit, std::size_t share = SIZE_MAX)
        : limit_{limit}, share_{share} {}
    Budget(Budget const&) = delete;
    Budget& operator=(Budget const&) = delete;

    [[nodiscard]] std::size_t limit() const noexcept {
        return limit_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t used() const noexcept {
        return used_.load(std::memory_order_relaxed);
    }
    /// Bytes reserved beyond a lower limit stay reserved; nothing new is granted until enough is
    /// released.
    void set_limit(std::size_t limit) noexcept { limit_.store(limit, std::memory_order_relaxed); }
    /// Sets how many bytes all reservations of one owner may hold together while others need them.
    void set_share(std::size_t share) noexcept { share_.store(share, std::memory_order_relaxed); }

private:
    friend class Reservation;
    // The bytes that one owner holds.
    using Held = std::atomic<std::size_t>;

    // As long as no more than `most` are used.
    Granted take(std::size_t bytes, std::size_t most) noexcept;
    // Up to how many bytes may be used for an owner that holds `held` to get more, of them `own` by
    // the calling reservation: its only one may take the last byte, so that one body is always
    // possible.
    [[nodiscard]] std::size_t most_for(std::size_t held, std::size_t own,
                                       std::size_t bytes) const noexcept;
    void give_back(std::size_t bytes) noexcept {
        used_.fetch_sub(bytes, std::memory_order_relaxed);
    }
    // Owners that hash to the same slot have one share: an exact table would need a lock. The
    // numbers come from a random key.
    Held& held_by(std::uint64_t owner) noexcept { return held_[owner % held_.size()]; }

    std::atomic<std::size_t> limit_;
    std::atomic<std::size_t> share_;
    // On a cache line of its own: all workers write it.
    alignas(64) std::atomic<std::size_t> used_{0};
    alignas(64) std::array<Held, 8192> held_{};
};

/// Bytes reserved from a budget; released on destruction.
class Reservation {
public:
    Reservation() = default;
    /// Not counted in any owner's share.
    explicit Reservation(Budget& budget) : budget_{&budget} {}
    /// Counted in the share of `owner`, a random number.
    Reservation(Budget& budget, std::uint64_t owner)
        : budget_{&budget}, held_{&budget.held_by(owner)} {}
    ~Reservation() { release(); }
    Reservation(Reservation&& other) noexcept
        : budget_{std::exchange(other.budget_, nullptr)}, held_{other.held_},
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
    /// Whether the last refusal was because of what the owner holds already.
    [[nodiscard]] bool is_over_share() const noexcept { return is_over_share_; }

    /// Grows to `bytes` bytes in total; never shrinks. If the budget refuses, the reservation keeps
    /// its size. A reservation without a budget can only have size zero.
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
    Budget::Held* held_ = nullptr; // null: not counted in a share
    std::size_t bytes_ = 0;
    bool is_over_share_ = false;
};

} // namespace sallyport::net
