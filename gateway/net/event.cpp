// A wake-up for one coroutine.
#include "gateway/net/event.h"

#include <boost/asio/post.hpp>

#include <cassert>

namespace sallyport::net {

// A named type with a trivial destructor: g++ 12.2 destroys the captures of a lambda twice where it
// is a temporary inside a co_await expression.
struct Event::Suspend {
    Event* event;

    void operator()(Handler&& handler) const {
        if (event->take()) {
            asio::post(std::move(handler));
        } else {
            event->keep(std::move(handler));
        }
    }
};

void Waiters::drop() {
    // A dropped handler destroys its coroutine through the executor, so that no event of that
    // coroutine goes away under this loop.
    while (first_ != nullptr)
        first_->release();
}

Event::~Event() {
    if (waiter_) release();
}

Task<> Event::wait() {
    return asio::async_result<asio::use_awaitable_t<Executor>, void()>::initiate(Suspend{this},
                                                                                 use_task);
}

void Event::notify() {
    if (waiter_) {
        asio::post(release());
    } else {
        notified_ = true;
    }
}

void Event::notify_now() {
    if (waiter_) {
        auto handler = release();
        std::move(handler)();
    } else {
        notified_ = true;
    }
}

void Event::keep(Handler&& handler) {
    assert(!waiter_ && "two coroutines wait for one event");
    waiter_.emplace(std::move(handler));
    previous_ = nullptr;
    next_ = waiters_.first_;
    if (next_ != nullptr) next_->previous_ = this;
    waiters_.first_ = this;
}

Event::Handler Event::release() {
    if (previous_ != nullptr) {
        previous_->next_ = next_;
    } else {
        waiters_.first_ = next_;
    }
    if (next_ != nullptr) next_->previous_ = previous_;
    previous_ = next_ = nullptr;
    Handler handler = std::move(*waiter_);
    waiter_.reset();
    return handler;
}

} // namespace sallyport::net
