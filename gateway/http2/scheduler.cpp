// Which stream sends next (RFC 9218, 10).
#include "gateway/http2/scheduler.h"

namespace sallyport::http2 {

bool goes_before(SendTurn const& one, SendTurn const& other) noexcept {
    auto const a = one.urgency();
    auto const b = other.urgency();
    if (a.level != b.level) return a.level < b.level;
    return !a.incremental && !b.incremental && one.stream() < other.stream();
}

void Scheduler::List::insert_before(SendTurn* next, SendTurn& turn) noexcept {
    auto* const previous = next == nullptr ? last : next->previous_;
    turn.previous_ = previous;
    turn.next_ = next;
    (previous != nullptr ? previous->next_ : first) = &turn;
    (next != nullptr ? next->previous_ : last) = &turn;
}

void Scheduler::List::remove(SendTurn& turn) noexcept {
    (turn.previous_ != nullptr ? turn.previous_->next_ : first) = turn.next_;
    (turn.next_ != nullptr ? turn.next_->previous_ : last) = turn.previous_;
    turn.previous_ = turn.next_ = nullptr;
}

Scheduler::~Scheduler() {
    for (auto* turn = first(); turn != nullptr; turn = first())
        remove(*turn);
}

Scheduler::List& Scheduler::list_of(SendTurn const& turn) noexcept {
    auto& level = levels_[turn.urgency_.level];
    return turn.urgency_.incremental ? level.incremental : level.in_order;
}

void Scheduler::add(SendTurn& turn) noexcept {
    if (turn.is_waiting()) return;
    turn.scheduler_ = this;
    ++count_;
    auto& list = list_of(turn);
    auto* next = turn.urgency_.incremental ? nullptr : list.first;
    while (next != nullptr && next->stream_ < turn.stream_)
        next = next->next_;
    list.insert_before(next, turn);
}

void Scheduler::remove(SendTurn& turn) noexcept {
    if (!turn.is_waiting()) return;
    list_of(turn).remove(turn);
    turn.scheduler_ = nullptr;
    --count_;
}

void Scheduler::change(SendTurn& turn, Urgency urgency) noexcept {
    bool const waits = turn.is_waiting();
    remove(turn);
    turn.urgency_ = urgency;
    if (waits) add(turn);
}

SendTurn* Scheduler::first() const noexcept {
    if (count_ == 0) return nullptr;
    for (auto const& level : levels_) {
        auto* const in_order = level.in_order.first;
        auto* const incremental = level.incremental.first;
        if (in_order == nullptr && incremental == nullptr) continue;
        if (in_order == nullptr) return incremental;
        if (incremental == nullptr) return in_order;
        return level.incremental_is_next ? incremental : in_order;
    }
    return nullptr;
}

void Scheduler::has_sent(SendTurn& turn) noexcept {
    if (!turn.is_waiting()) return;
    auto& level = levels_[turn.urgency_.level];
    level.incremental_is_next = !turn.urgency_.incremental;
    if (!turn.urgency_.incremental) return;
    level.incremental.remove(turn);
    level.incremental.insert_before(nullptr, turn);
}

} // namespace sallyport::http2
