// A wake-up for one coroutine.
#include "gateway/net/event.h"

#include <boost/asio/post.hpp>

#include <cassert>
#include <chrono>

namespace sallyport::net {

namespace {

// After this time the rest of those that were woken wait for the loop's next turn, as the rest of a
// batch of the poller does.
constexpr std::chrono::milliseconds longest_turn{2};

} // namespace

void Waiters::List::push_back(Event& event) noexcept {
    event.previous_ = last;
    event.next_ = nullptr;
    (last != nullptr ? last->next_ : first) = &event;
    last = &event;
}

void Waiters::List::remove(Event& event) noexcept {
    (event.previous_ != nullptr ? event.previous_->next_ : first) = event.next_;
    (event.next_ != nullptr ? event.next_->previous_ : last) = event.previous_;
    event.previous_ = event.next_ = nullptr;
}

void Waiters::drop() noexcept {
    // Destroying one coroutine may wake another.
    while (waiting_.first != nullptr || woken_.first != nullptr || last_.first != nullptr
           || !orphans_.empty()) {
        drop(waiting_);
        drop(woken_);
        drop(last_);
        while (!orphans_.empty()) {
            auto* const orphan = orphans_.back();
            orphans_.pop_back();
            orphan->destroy();
        }
    }
}

void Waiters::drop(List& list) noexcept {
    while (list.first != nullptr)
        list.first->release()->destroy();
}

void Waiters::wake(Event& event) {
    waiting_.remove(event);
    woken_.push_back(event);
    event.turn_ = Event::Turn::next;
    if (std::exchange(turn_posted_, true)) return;
    asio::post(context_, [this] { wake_posted(); });
}

// All that were woken before it, in one turn: the io_context polls before each. What they wake
// waits for the next one, so that they cannot wake each other without end.
void Waiters::wake_posted() {
    // The end of those whose turn it is.
    Event mark{*this};
    woken_.push_back(mark);
    // A waiter may throw, or the time may be over: the rest has a turn of its own.
    struct Rest {
        Waiters& waiters;
        Event& mark;
        ~Rest() {
            waiters.woken_.remove(mark);
            waiters.turn_posted_ = waiters.woken_.first != nullptr;
            if (!waiters.turn_posted_) return;
            asio::post(waiters.context_, [woken = &waiters] { woken->wake_posted(); });
        }
    };
    Rest const rest{*this, mark};
    // The clock is read only if there is more than one.
    bool const is_one = woken_.first->next_ == &mark;
    auto const began = is_one ? Clock::time_point{} : Clock::now();
    while (woken_.first != &mark) {
        woken_.first->release()->resume();
        if (woken_.first != &mark && Clock::now() - began >= longest_turn) return;
    }
}

void Waiters::wake_last(Event& event) {
    waiting_.remove(event);
    last_.push_back(event);
    event.turn_ = Event::Turn::last;
    if (!std::exchange(last_posted_, true)) post_last();
}

void Waiters::post_last() {
    // Twice: between the two the io_context polls for other ready handlers and queues them before
    // the second.
    asio::post(context_, [this] { asio::post(context_, [this] { wake_posted_last(); }); });
}

void Waiters::wake_posted_last() {
    last_posted_ = false;
    if (last_.first == nullptr) return;
    auto* const waiter = last_.first->release();
    if (last_.first != nullptr) {
        last_posted_ = true;
        post_last();
    }
    waiter->resume();
}

Waiters::List& Waiters::list_of(Event const& event) noexcept {
    switch (event.turn_) {
    case Event::Turn::next: return woken_;
    case Event::Turn::last: return last_;
    case Event::Turn::none: break;
    }
    return waiting_;
}

Event::~Event() {
    // Not destroyed here: the waiter may use the object that is being destroyed.
    if (waiter_ != nullptr) waiters_.orphans_.push_back(release());
}

void Event::notify() {
    if (has_waiter()) {
        waiters_.wake(*this);
    } else {
        notified_ = true;
    }
}

void Event::notify_now() {
    if (has_waiter()) {
        release()->resume();
    } else {
        notified_ = true;
    }
}

void Event::keep(TaskPromise& waiter) noexcept {
    assert(waiter_ == nullptr && "two coroutines wait for one event");
    waiter_ = &waiter;
    waiters_.waiting_.push_back(*this);
}

TaskPromise* Event::release() noexcept {
    waiters_.list_of(*this).remove(*this);
    turn_ = Turn::none;
    return std::exchange(waiter_, nullptr);
}

} // namespace sallyport::net
