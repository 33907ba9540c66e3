// A wait, usually for a socket's next bytes: an awaitable without a coroutine
// frame.
#pragma once

#include "gateway/net/event.h"

#include <coroutine>

namespace sallyport::net {

/// `co_await` it once, at once. Each request has two of them, so it is not a Task: a frame costs
/// 150 instructions, most of them to create and destroy it.
class [[nodiscard]] Wait {
public:
    /// The object that is waited for; end_wait() returns the result of the wait when the coroutine
    /// resumes.
    class Ending {
    public:
        virtual Error end_wait() noexcept = 0;

    protected:
        ~Ending() = default;
    };
    enum class Until : bool { notified, next_turn };

    /// A wait that ends at once, with `error`.
    [[nodiscard]] static Wait ended(Error error = {}) noexcept { return Wait{error}; }

    Wait(Event& event, Ending& ending, Until until = Until::notified) noexcept
        : event_{&event}, ending_{&ending}, until_{until} {}

    [[nodiscard]] bool await_ready() const noexcept { return event_ == nullptr; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) const {
        if (until_ == Until::notified) {
            event_->wait().await_suspend(waiter);
        } else {
            event_->next_turn().await_suspend(waiter);
        }
    }
    [[nodiscard]] Error await_resume() const noexcept {
        return event_ == nullptr ? error_ : ending_->end_wait();
    }

private:
    explicit Wait(Error error) noexcept : error_{error} {}

    Event* event_ = nullptr;
    Ending* ending_ = nullptr;
    Until until_ = Until::notified;
    Error error_;
};

} // namespace sallyport::net
