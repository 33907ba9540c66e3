// A wake-up for one coroutine, which is suspended until other code on the same thread notifies it.
#pragma once

#include "gateway/net/executor.h"

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sallyport::net {

class Event;

/// All events of a loop that have a waiting coroutine. A waiting coroutine owns its event and the
/// event owns the coroutine, so the loop uses this list to destroy them when it ends.
class Waiters {
public:
    explicit Waiters(asio::io_context& context) : context_{context} {}
    ~Waiters() { drop(); }
    Waiters(Waiters const&) = delete;
    Waiters& operator=(Waiters const&) = delete;

    /// Destroys every waiting coroutine without resuming it.
    void drop() noexcept;

private:
    friend class Event;

    struct List {
        Event* first = nullptr;
        Event* last = nullptr;

        void push_back(Event& event) noexcept;
        void remove(Event& event) noexcept;
    };

    void wake(Event& event);
    void wake_posted();
    void wake_last(Event& event);
    void post_last();
    void wake_posted_last();
    List& list_of(Event const& event) noexcept;
    void drop(List& list) noexcept;

    asio::io_context& context_;
    List waiting_;
    List woken_; // their resumption is posted
    List last_;  // resumed after all other ready handlers
    bool turn_posted_ = false;
    bool last_posted_ = false;
    std::vector<TaskPromise*> orphans_; // their event has been destroyed
};

/// One slot, one thread, no allocation. At most one coroutine waits at a time, and the event
/// outlives its wait. A notification without a waiter is kept (once) for the next wait.
class Event {
public:
    explicit Event(Waiters& waiters) : waiters_{waiters} {}
    ~Event();
    Event(Event const&) = delete;
    Event& operator=(Event const&) = delete;

    struct Wait {
        Event& event;

        [[nodiscard]] bool await_ready() const noexcept { return event.take(); }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> waiter) const noexcept {
            event.keep(waiter.promise());
        }
        void await_resume() const noexcept {}
    };
    struct NextTurn {
        Event& event;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> waiter) const {
            event.keep(waiter.promise());
            event.notify();
        }
        void await_resume() const noexcept {}
    };
    /// Suspends until the loop's next turn: all other ready handlers run first.
    [[nodiscard]] NextTurn next_turn() noexcept { return {*this}; }

    struct LastTurn {
        Event& event;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> waiter) const {
            event.keep(waiter.promise());
            event.waiters_.wake_last(event);
        }
        void await_resume() const noexcept {}
    };
    /// Like next_turn(), before work that takes long: one such coroutine is resumed at a time, and
    /// between two of them all other ready handlers run, including new bytes and connections.
    [[nodiscard]] LastTurn last_turn() noexcept { return {*this}; }

    /// Suspends until notified; returns at once if a notification was kept.
    [[nodiscard]] Wait wait() noexcept { return {*this}; }

    /// Resumes the waiter at the loop's next turn (posted): safe from anywhere on the loop's
    /// thread.
    void notify();

    /// Resumes the waiter before it returns. Only for code at the bottom of the call stack (the
    /// poller, a timer): the resumed code may destroy the caller and this event.
    void notify_now();

    /// Consumes a kept notification; `true` if there was one, so that the caller need not wait.
    bool take() noexcept { return std::exchange(notified_, false); }

    /// Discards a kept notification.
    void clear() noexcept { notified_ = false; }

    [[nodiscard]] bool has_waiter() const noexcept {
        return waiter_ != nullptr && turn_ == Turn::none;
    }

private:
    friend class Waiters;

    enum class Turn : std::uint8_t { none, next, last }; // the list that it is in

    void keep(TaskPromise& waiter) noexcept;
    TaskPromise* release() noexcept;

    Waiters& waiters_;
    Event* previous_ = nullptr;
    Event* next_ = nullptr;
    TaskPromise* waiter_ = nullptr;
    Turn turn_ = Turn::none;
    bool notified_ = false;
};

} // namespace sallyport::net
