// A limit on memory that all workers share.
#include "gateway/net/budget.h"

namespace sallyport::net {

Granted Budget::take(std::size_t bytes, Claim claim) noexcept {
    std::size_t const most = claim == Claim::whole ? limit() : limit() / 2;
    std::size_t before = used();
    do {
        // Compared so that nothing can wrap around.
        if (before > most || bytes > most - before) return Granted::no;
    } while (!used_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return Granted::yes;
}

Granted Reservation::grow_to(std::size_t bytes, Claim claim) noexcept {
    if (bytes <= bytes_) return Granted::yes;
    if (budget_ == nullptr || budget_->take(bytes - bytes_, claim) == Granted::no)
        return Granted::no;
    bytes_ = bytes;
    return Granted::yes;
}

} // namespace sallyport::net
