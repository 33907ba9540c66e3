// A limit on memory that all workers share.
#include "gateway/net/budget.h"

#include <algorithm>

namespace sallyport::net {

Granted Budget::take(std::size_t bytes, std::size_t most) noexcept {
    std::size_t before = used();
    do {
        // Compared in this form so that nothing can overflow.
        if (before > most || bytes > most - before) return Granted::no;
    } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return Granted::yes;
}

std::size_t Budget::most_for(std::size_t held, std::size_t own, std::size_t bytes) const noexcept {
    if (held <= own) return limit();
    Shares const shares{limit(), share_.load(std::memory_order_relaxed)};
    return shares.most_in_use(held, bytes);
}

Granted Reservation::grow_to(std::size_t bytes, Claim claim) noexcept {
    if (bytes <= bytes_) return Granted::yes;
    if (budget_ == nullptr) return Granted::no;
    auto const more = bytes - bytes_;
    auto const limit = budget_->limit();
    auto const whole = claim == Claim::whole ? limit : limit / 2;
    // Counted first, so that reservations of one owner that grow at once know of each other.
    auto most = whole;
    if (held_ != nullptr) {
        auto const held = held_->fetch_add(more, std::memory_order_relaxed);
        most = std::min(most, budget_->most_for(held, bytes_, more));
    }
    if (budget_->take(more, most) == Granted::yes) {
        is_over_share_ = false;
        bytes_ = bytes;
        return Granted::yes;
    }
    if (held_ != nullptr) held_->fetch_sub(more, std::memory_order_relaxed);
    is_over_share_ = most < whole && more <= whole - std::min(whole, budget_->used());
    return Granted::no;
}

} // namespace sallyport::net
