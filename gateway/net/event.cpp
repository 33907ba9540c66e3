// A wake-up for one coroutine.
#include "gateway/net/event.h"

#include <boost/asio/post.hpp>

#include <cassert>

namespace sallyport::net {

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

void Waiters::wake_posted() {
    turn_posted_ = false;
    // One, then a turn of its own for the rest: a waiter may throw, or wake others without end.
    if (woken_.first == nullptr) return;
    auto* const waiter = woken_.first->release();
    if (woken_.first != nullptr) {
        turn_posted_ = true;
        asio::post(context_, [this] { wake_posted(); });
    }
    waiter->resume();
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
