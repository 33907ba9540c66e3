// A limit on memory that all workers share.
#include "gateway/net/budget.h"

namespace sallyport::net {

Granted Budget::take(std::size_t bytes, Claim claim) noexcept {
    std::size_t const most = claim == Claim::whole ? limit() : limit() / 2;
    std::size_t before = used();
    do {
        // Compared in this form so that nothing can overflow.
        if (before > most || bytes > most - before) return Granted::no;
    } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return Granted::yes;
}

Granted Budget::take_of_share(Held& held, std::size_t bytes, std::size_t own) noexcept {
    auto const share = share_.load(std::memory_order_relaxed);
    std::size_t before = held.load(std::memory_order_relaxed);
    do {
        bool const fits = before <= share && bytes <= share - before;
        if (!fits && before > own) return Granted::no;
    } while (!held.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return Granted::yes;
}

Granted Reservation::grow_to(std::size_t bytes, Claim claim) noexcept {
    if (bytes <= bytes_) return Granted::yes;
    if (budget_ == nullptr) return Granted::no;
    auto const more = bytes - bytes_;
    is_over_share_ =
        held_ != nullptr && budget_->take_of_share(*held_, more, bytes_) == Granted::no;
    if (is_over_share_) return Granted::no;
    if (budget_->take(more, claim) == Granted::no) {
        if (held_ != nullptr) held_->fetch_sub(more, std::memory_order_relaxed);
        return Granted::no;
    }
    bytes_ = bytes;
    return Granted::yes;
}

} // namespace sallyport::net
