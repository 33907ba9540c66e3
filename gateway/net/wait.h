// A wait that mostly is one of a socket for its next bytes: an awaitable without a frame of its
// own.
#pragma once

#include "gateway/net/event.h"

#include <coroutine>

namespace sallyport::net {

/// `co_await` it once, at once. Two of them are in every request, so it is no Task: a frame costs
/// 150 instructions, most of them its opening and its end.
class [[nodiscard]] Wait {
public:
    /// Who is waited for: says how the wait ended, when its coroutine goes on.
    class Ending {
    public:
        virtual Error end_wait() noexcept = 0;

    protected:
        ~Ending() = default;
    };
    enum class Until : bool { notified, next_turn };

    /// There is nothing to wait for.
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
