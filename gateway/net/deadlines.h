// Deadlines that are cheap to move: a lazy timer wheel, one per loop, over one Asio
// timer.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/net/list_link.h"

#include <boost/asio/basic_waitable_timer.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace sallyport::net {

class Wheel;

/// Calls back at a given time unless it is moved or disarmed before. A member of the object that it
/// guards, used on the loop's thread; at most one tick late, never early. Expires once per arming.
class Deadline : private ListLink {
public:
    /// Called at the bottom of the call stack; may destroy this and other deadlines.
    using Callback = void (*)(void* context) noexcept;

    Deadline(Wheel& wheel, Callback callback, void* context) noexcept
        : wheel_{wheel}, callback_{callback}, context_{context} {}
    ~Deadline();
    Deadline(Deadline const&) = delete;
    Deadline& operator=(Deadline const&) = delete;

    /// A deadline that calls (object.*method)().
    template <auto method, class Object>
    static Deadline calling(Wheel& wheel, Object& object) noexcept {
        return Deadline(
            wheel, [](void* context) noexcept { (static_cast<Object*>(context)->*method)(); },
            &object);
    }

    /// A later time than before costs one store; an earlier one moves it in the wheel.
    void arm_at(Clock::time_point at);
    void arm_after(Clock::duration time) { arm_at(Clock::now() + time); }
    void disarm() noexcept { at_ = never; }

    [[nodiscard]] bool is_armed() const noexcept { return at_ != never; }
    /// Whether the last arming ended with the callback.
    [[nodiscard]] bool has_expired() const noexcept { return expired_; }
    [[nodiscard]] Clock::time_point at() const noexcept { return at_; }

private:
    friend class Wheel;
    static constexpr Clock::time_point never = Clock::time_point::max();

    Wheel& wheel_;
    Callback callback_;
    void* context_;
    Clock::time_point at_ = never;
    Clock::time_point due_{}; // when the slot that holds it is visited
    bool expired_ = false;
};

/// The wheel without a clock: tests advance it by hand. A deadline further away than one revolution
/// is put into the last slot within reach, and moved on when that slot is visited.
class Wheel {
public:
    static constexpr Clock::duration tick = std::chrono::milliseconds(50);
    static constexpr std::size_t slots = 512; // 25.6 s a revolution

    explicit Wheel(Clock::time_point start) : start_{start} {}
    virtual ~Wheel() = default;
    Wheel(Wheel const&) = delete;
    Wheel& operator=(Wheel const&) = delete;

    /// Calls every deadline that is due at `now`.
    void advance(Clock::time_point now);

    /// Deadlines in the wheel, including disarmed ones whose slot has not been visited yet.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

protected:
    /// Called before the first deadline is put into an empty wheel; skip_to() brings the wheel up
    /// to date.
    virtual void wake() {}
    /// Only while the wheel is empty.
    void skip_to(Clock::time_point now) noexcept;

private:
    friend class Deadline;

    [[nodiscard]] std::uint64_t tick_of(Clock::time_point at) const noexcept;
    void hang(Deadline& deadline);
    void unhang(Deadline& deadline) noexcept;
    void place(Deadline& deadline) noexcept;
    void visit(Deadline& deadline);

protected:
    [[nodiscard]] Clock::time_point time_of(std::uint64_t ticks) const noexcept;
    std::uint64_t now_ = 0; // the last tick that was visited

private:
    Clock::time_point start_;
    std::size_t size_ = 0;
    std::array<ListLink, slots> slots_;
};

/// The wheel of a loop. Its timer runs only while the wheel holds deadlines.
class Deadlines final : public Wheel {
public:
    /// `context`: runs the callbacks.
    explicit Deadlines(asio::io_context& context);

    /// Releases the io_context before that is destroyed.
    void stop() noexcept { timer_.reset(); }

private:
    struct OnTick;
    using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;

    void wake() override;
    void wait_for_tick();
    void on_tick();

    std::optional<Timer> timer_;
    bool ticking_ = false;
};

} // namespace sallyport::net
