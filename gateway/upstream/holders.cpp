// Counts the connections of a pool per caller, and queues the waiting exchanges.
#include "gateway/upstream/holders.h"

#include <algorithm>
#include <utility>

namespace sallyport::upstream {

void Queued::join(Holders& holders, Holder& holder) noexcept {
    link_before(holder.line_);
    holders_ = &holders;
    holder_ = &holder;
    ++holders.waiting_;
    ++holder.waiting;
    holders.give_turn(holder);
}

void Queued::leave() noexcept {
    if (holders_ == nullptr) return;
    --std::exchange(holders_, nullptr)->waiting_;
    unlink();
    if (--holder_->waiting == 0) holder_->unlink();
}

Holder& Holders::of(pipeline::CallerKey caller) {
    if (auto const known = known_.find(caller); known != known_.end()) return known->second;
    if (known_.size() >= most_known_) forget_idle();
    return known_[caller];
}

void Holders::forget_idle() noexcept {
    std::erase_if(known_, [](auto const& known) {
        return known.second.held == 0 && known.second.waiting == 0;
    });
    most_known_ = std::max(least_kept, 2 * known_.size());
}

Queued& Holders::next() const noexcept {
    return static_cast<Queued&>(*next_holder().line_.next);
}

Holder& Holders::serve_next() noexcept {
    auto& holder = next_holder();
    take(holder);
    next().leave();
    holder.unlink();
    if (holder.waiting != 0) give_turn(holder);
    return holder;
}

void Holders::give_turn(Holder& holder) noexcept {
    if (!holder.is_linked() && !has_its_share(holder)) holder.link_before(turns_);
}

} // namespace sallyport::upstream
