// A wake-up for one coroutine: what suspends until another part of the same thread says go.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/async_result.hpp>

#include <optional>
#include <utility>

namespace sallyport::net {

class Event;

// All events of a loop on which somebody waits, so that the loop can let go of the coroutines when
// it ends: a waiting coroutine owns its event, and its event owns the coroutine.
class Waiters {
public:
    Waiters() = default;
    Waiters(Waiters const&) = delete;
    Waiters& operator=(Waiters const&) = delete;

    // Destroys, without resuming, every coroutine that waits.
    void drop();

private:
    friend class Event;
    Event* first_ = nullptr;
};

// One slot, one thread, no allocation. At most one coroutine waits at a time, and the event
// outlives its wait. A notification that nobody waits for is kept (once) for the next wait.
class Event {
public:
    explicit Event(Waiters& waiters) : waiters_(waiters) {}
    ~Event();
    Event(Event const&) = delete;
    Event& operator=(Event const&) = delete;

    // Suspends until notified; returns at the loop's next turn when it was notified before.
    [[nodiscard]] Task<> wait();

    // Wakes the waiter at the loop's next turn (posted): safe from anywhere on the loop's thread.
    void notify();

    // Resumes the waiter before it returns. Only for code at the bottom of the stack (the poller, a
    // timer): what runs may destroy the caller, and this event.
    void notify_now();

    // Takes a kept notification: a caller that gets `true` need not wait.
    bool take() noexcept { return std::exchange(notified_, false); }

    // Forgets a kept notification.
    void clear() noexcept { notified_ = false; }

    bool has_waiter() const noexcept { return waiter_.has_value(); }

private:
    friend class Waiters;
    using Handler = asio::async_result<asio::use_awaitable_t<Executor>, void()>::handler_type;
    struct Suspend;

    void keep(Handler&& handler);
    Handler release();

    Waiters& waiters_;
    Event* previous_ = nullptr;
    Event* next_ = nullptr;
    std::optional<Handler> waiter_;
    bool notified_ = false;
};

} // namespace sallyport::net
