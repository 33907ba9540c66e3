// Counts the places that owners hold of those that all need, and queues what waits for one.
#include "gateway/net/holders.h"

#include <algorithm>
#include <utility>

namespace sallyport::net {

void Queued::join(Holders& holders, Holder& holder) noexcept {
    link_before(holder.line_);
    holders_ = &holders;
    holder_ = &holder;
    ++holders.waiting_;
    if (holder.waiting++ == 0) holder.link_before(holders.turns_);
}

void Queued::leave() noexcept {
    if (holders_ == nullptr) return;
    --std::exchange(holders_, nullptr)->waiting_;
    unlink();
    if (--holder_->waiting == 0) holder_->unlink();
}

Holder& Holders::of(OwnerKey owner) {
    if (auto const known = known_.find(owner); known != known_.end()) return known->second;
    if (known_.size() >= most_known_) forget_idle();
    return known_[owner];
}

void Holders::forget_idle() noexcept {
    std::erase_if(known_, [](auto const& known) {
        return known.second.held == 0 && known.second.waiting == 0;
    });
    most_known_ = std::max(least_kept, 2 * known_.size());
}

Queued* Holders::next() const noexcept {
    Holder const* beyond = nullptr;
    for (auto const* link = turns_.next; link != &turns_; link = link->next) {
        auto const& holder = static_cast<Holder const&>(*link);
        if (!is_entitled(holder)) continue;
        if (!has_its_share(holder)) return static_cast<Queued*>(holder.line_.next);
        if (beyond == nullptr) beyond = &holder;
    }
    return beyond == nullptr ? nullptr : static_cast<Queued*>(beyond->line_.next);
}

Holder& Holders::serve(Queued& next) noexcept {
    auto& holder = *next.holder_;
    take(holder);
    next.leave();
    if (holder.waiting != 0) {
        holder.unlink();
        holder.link_before(turns_);
    }
    return holder;
}

Queued* Holders::displaced_by(Holder const& holder) const noexcept {
    Holder const* longest = nullptr;
    for (auto const* link = turns_.next; link != &turns_; link = link->next) {
        auto const& one = static_cast<Holder const&>(*link);
        if (longest == nullptr || one.waiting > longest->waiting) longest = &one;
    }
    bool const is_longer = longest != nullptr && longest->waiting > holder.waiting + 1;
    return is_longer ? static_cast<Queued*>(longest->line_.previous) : nullptr;
}

} // namespace sallyport::net
