// A lazy timer wheel over one Asio timer.
#include "gateway/net/deadlines.h"

#include <algorithm>

namespace sallyport::net {

Deadline::~Deadline() {
    if (is_linked()) wheel_.unhang(*this);
}

void Deadline::arm_at(Clock::time_point at) {
    expired_ = false;
    at_ = at;
    if (is_linked()) {
        // Its slot is visited at most one tick after `at`, and checks it again then.
        if (at_ > due_ - Wheel::tick) return;
        wheel_.unhang(*this);
    }
    wheel_.hang(*this);
}

Clock::time_point Wheel::time_of(std::uint64_t ticks) const noexcept {
    return start_ + static_cast<Clock::rep>(ticks) * tick;
}

// The first tick at or after `at`, so that nothing expires early.
std::uint64_t Wheel::tick_of(Clock::time_point at) const noexcept {
    if (at <= start_) return 0;
    auto const since = at - start_;
    return static_cast<std::uint64_t>(since / tick) + (since % tick != Clock::duration::zero());
}

void Wheel::skip_to(Clock::time_point now) noexcept {
    if (size_ == 0 && now > start_)
        now_ = std::max(now_, static_cast<std::uint64_t>((now - start_) / tick));
}

void Wheel::hang(Deadline& deadline) {
    if (size_ == 0) wake();
    ++size_;
    place(deadline);
}

void Wheel::place(Deadline& deadline) noexcept {
    auto const at = std::clamp(tick_of(deadline.at_), now_ + 1, now_ + slots - 1);
    deadline.due_ = time_of(at);
    deadline.link_before(slots_[at % slots]);
}

void Wheel::unhang(Deadline& deadline) noexcept {
    deadline.unlink();
    --size_;
}

void Wheel::advance(Clock::time_point now) {
    if (now < start_) return;
    auto const target = static_cast<std::uint64_t>((now - start_) / tick);
    // One revolution visits every slot, however long the loop was blocked.
    if (target > now_ + slots) now_ = target - slots;
    while (now_ < target && size_ > 0) {
        auto& slot = slots_[++now_ % slots];
        // Emptied first: a deadline that is put back meanwhile must not be visited twice.
        ListLink due;
        if (slot.is_linked()) {
            due.link_before(slot);
            slot.unlink();
        }
        while (due.is_linked())
            visit(static_cast<Deadline&>(*due.next));
    }
    now_ = std::max(now_, target);
}

void Wheel::visit(Deadline& deadline) {
    if (deadline.at_ == Deadline::never) return unhang(deadline);
    if (tick_of(deadline.at_) > now_) {
        deadline.unlink();
        return place(deadline);
    }
    unhang(deadline);
    deadline.at_ = Deadline::never;
    deadline.expired_ = true;
    deadline.callback_(deadline.context_); // may have destroyed it
}

struct Deadlines::OnTick {
    Deadlines* deadlines;
    void operator()(Error error) const {
        if (!error) deadlines->on_tick();
    }
};

Deadlines::Deadlines(asio::io_context& context) : Wheel{Clock::now()}, timer_{context} {}

void Deadlines::wake() {
    skip_to(Clock::now());
    if (!ticking_ && timer_) wait_for_tick();
}

void Deadlines::wait_for_tick() {
    ticking_ = true;
    timer_->expires_at(time_of(now_ + 1));
    timer_->async_wait(OnTick{this});
}

void Deadlines::on_tick() {
    // `ticking_` stays set during the callbacks, which may add deadlines: the timer is set once,
    // below.
    advance(Clock::now());
    ticking_ = false;
    if (size() > 0) wait_for_tick();
}

} // namespace sallyport::net
