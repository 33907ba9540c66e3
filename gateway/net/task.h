// Task<T>: a coroutine of one thread, which starts when it is awaited and is suspended only if it
// has to wait.
#pragma once

#include <boost/asio/io_context.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace sallyport::net {

/// The part of every task that does not depend on its result: its continuation and the allocation
/// of its frame. Frames come from free lists of the thread, so that a request in steady state
/// allocates none.
class TaskPromise {
public:
    static void* operator new(std::size_t size);
    static void operator delete(void* frame, std::size_t size) noexcept;

    TaskPromise() = default;
    TaskPromise(TaskPromise const&) = delete;
    TaskPromise& operator=(TaskPromise const&) = delete;

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_always final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { exception_ = std::current_exception(); }

    /// Runs the task until it waits, then its awaiter, and so on, from the bottom of the call
    /// stack. Throws what a task without an awaiter throws.
    void resume();

    /// Destroys the task and everything that awaits it, without running any of it.
    void destroy() noexcept { outermost().self_.destroy(); }

    void set_awaiting(TaskPromise& awaiting) noexcept { awaiting_ = &awaiting; }

protected:
    void set_self(std::coroutine_handle<> self) noexcept { self_ = self; }
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    TaskPromise& outermost() noexcept;

    std::coroutine_handle<> self_;
    TaskPromise* awaiting_ = nullptr;
    std::exception_ptr exception_;
};

template <class T = void>
class [[nodiscard]] Task;

template <class T>
class TaskPromiseOf : public TaskPromise {
public:
    Task<T> get_return_object() noexcept;

    template <class Value = T>
    void return_value(Value&& value) {
        value_.emplace(std::forward<Value>(value));
    }
    T take() {
        rethrow();
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
};

template <>
class TaskPromiseOf<void> : public TaskPromise {
public:
    Task<void> get_return_object() noexcept;

    void return_void() const noexcept {}
    void take() const { rethrow(); }
};

/// Owns a coroutine that has not begun or is being awaited, or the value of a function that needed
/// no coroutine. `co_await` it once.
template <class T>
class [[nodiscard]] Task {
public:
    using promise_type = TaskPromiseOf<T>;
    using Handle = std::coroutine_handle<promise_type>;
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    explicit Task(Handle handle) noexcept : handle_{handle} {}
    Task(Task&& other) noexcept
        : handle_{std::exchange(other.handle_, nullptr)}, value_{std::move(other.value_)} {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) handle_.destroy();
    }

    /// For plain functions that usually succeed without waiting: no coroutine frame is made.
    [[nodiscard]] static Task ended(Value value = {}) { return Task{std::move(value)}; }
    /// Whether it holds a value, which take() then returns without a wait.
    [[nodiscard]] bool has_ended() const noexcept { return value_.has_value(); }
    Value take() && { return std::move(*value_); }

    struct Awaiter {
        Task& task;

        /// A task that ends without waiting, as most do, does not suspend its awaiter.
        [[nodiscard]] bool await_ready() const {
            if (task.has_ended()) return true;
            task.handle_.resume();
            return task.handle_.done();
        }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> awaiting) const noexcept {
            task.handle_.promise().set_awaiting(awaiting.promise());
        }
        [[nodiscard]] T await_resume() const {
            if (task.handle_) return task.handle_.promise().take();
            if constexpr (!std::is_void_v<T>) return std::move(*task.value_);
        }
    };
    Awaiter operator co_await() && noexcept { return {*this}; }

    /// Transfers ownership of the coroutine to the caller, which resumes it. Not for a task that
    /// has ended.
    Handle release() && noexcept { return std::exchange(handle_, nullptr); }

private:
    explicit Task(Value&& value) : value_{std::move(value)} {}

    Handle handle_;
    std::optional<Value> value_;
};

template <class T>
Task<T> TaskPromiseOf<T>::get_return_object() noexcept {
    auto const self = std::coroutine_handle<TaskPromiseOf>::from_promise(*this);
    set_self(self);
    return Task<T>{self};
}

inline Task<void> TaskPromiseOf<void>::get_return_object() noexcept {
    auto const self = std::coroutine_handle<TaskPromiseOf>::from_promise(*this);
    set_self(self);
    return Task<void>{self};
}

/// Runs `task` until it first waits; from then on the event that it waits for owns it. Call it on
/// the thread of its loop, whose run() does not return before the task has ended. Exceptions of the
/// task propagate from here, or from the code that resumed it last.
void start(boost::asio::io_context& context, Task<> task);

} // namespace sallyport::net
