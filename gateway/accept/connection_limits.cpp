// How many connections there may be, in all and from one address.
#include "gateway/accept/connection_limits.h"

namespace sallyport::accept {

void ConnectionLimits::set(std::uint32_t all, std::uint32_t per_address) {
    std::lock_guard const lock{mutex_};
    all_ = all;
    per_address_ = per_address;
}

Admission ConnectionLimits::admit(std::string const& address) {
    auto const admission = judge(address);
    if (admission != Admission::admitted) refused_.fetch_add(1, std::memory_order_relaxed);
    return admission;
}

Admission ConnectionLimits::judge(std::string const& address) {
    std::lock_guard const lock{mutex_};
    if (open_ >= all_) return Admission::too_many;
    auto const found = open_by_address_.find(address);
    if (found == open_by_address_.end()) {
        open_by_address_.emplace(address, 1);
    } else {
        if (found->second >= per_address_) return Admission::too_many_from_address;
        ++found->second;
    }
    ++open_;
    return Admission::admitted;
}

void ConnectionLimits::release(std::string const& address) noexcept {
    std::lock_guard const lock{mutex_};
    --open_;
    auto const found = open_by_address_.find(address);
    if (found != open_by_address_.end() && --found->second == 0) open_by_address_.erase(found);
}

} // namespace sallyport::accept
