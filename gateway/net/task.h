// Task<T>: a coroutine of one thread, that starts when it is awaited and runs on at once wherever
// nothing has to be waited for.
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

/// What every task has, whatever it returns: who goes on after it, and where its frame comes from.
/// Frames come from free lists of the thread, so that a request in steady state allocates none.
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

    /// Runs the task until it waits, then whoever awaited it, and so on: the bottom of the stack.
    /// What a task that nobody awaits throws comes out of here.
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

/// Owns a coroutine that has not begun, or that is being awaited; or holds the value of one that
/// was not needed. `co_await` it once.
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

    /// For plain functions that try at once and mostly succeed: no frame for them.
    [[nodiscard]] static Task ended(Value value = {}) { return Task{std::move(value)}; }
    /// Whether it is such a value, which take() then gives without a wait.
    [[nodiscard]] bool has_ended() const noexcept { return value_.has_value(); }
    Value take() && { return std::move(*value_); }

    struct Awaiter {
        Task& task;

        /// Nothing is suspended for a task that ends without waiting, which most do.
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

    /// The coroutine belongs to whoever resumes it from now on. Not of one that has ended.
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

/// Runs `task` until it first waits; from then on it belongs to what it waits for. On the thread of
/// its loop, whose run() does not return before the task has ended. What it throws comes out of
/// here, or of whatever resumed it last.
void start(boost::asio::io_context& context, Task<> task);

} // namespace sallyport::net
