// The thread in which the gateway makes its own requests, and how coroutines of other threads use
// it.
#pragma once

#include "gateway/fetch/fetch.h"
#include "gateway/fetch/inbox.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace sallyport::fetch {

/// What operators learn of something that is kept up to date (refreshed.h).
struct RefreshEvent {
    enum class Kind : std::uint8_t {
        loaded,    // for the first time, or with another `note`
        failed,    // the first failure after a success
        recovered, // the first success after a failure
        expired,   // failed for so long that the last value is not used any more
    };
    Kind kind;
    std::string_view name;
    std::string_view note; // what was loaded, for example the ids of keys
    Failure const& failure;
};

/// One for the process; outlives the coroutines that use it. Its thread (`fetch`) starts with the
/// first use, so that a gateway that fetches nothing has none.
class Fetcher {
public:
    /// Called on the fetching thread.
    using OnRefresh = std::function<void(RefreshEvent const& event)>;
    /// Makes a task on the fetching thread. Copied: it holds what is moved behind a shared pointer.
    template <class T>
    using Job = std::function<net::Task<T>(Environment& environment)>;

    explicit Fetcher(OnRefresh on_refresh = {}, Names::LookUp look_up = net::look_up);
    ~Fetcher();
    Fetcher(Fetcher const&) = delete;
    Fetcher& operator=(Fetcher const&) = delete;

    /// Ends the thread, and all that it does, without waiting for results. Call it while the loops
    /// of all that wait still exist; they get nothing more. Nothing begins afterwards.
    void stop() noexcept;

    /// On the thread of `loop`: the result of fetch() on the fetching thread. If the caller is
    /// destroyed meanwhile, the fetch goes on until its own end.
    [[nodiscard]] net::Task<Result> fetch(net::Loop& loop, Request request);

    /// The same for any job, which must limit its own time. Nothing: it threw, or this has stopped.
    template <class T>
    [[nodiscard]] net::Task<std::optional<T>> run(net::Loop& loop, Job<T> job);

    /// Any thread: `start` is called on the fetching thread. False: this has stopped.
    bool post(std::function<void(Environment&)> start);

    /// Shared with those who may post after the end.
    [[nodiscard]] std::shared_ptr<Inbox> const& inbox() const noexcept { return inbox_; }
    void report(RefreshEvent const& event) const {
        if (on_refresh_) on_refresh_(event);
    }

    /// Any thread.
    [[nodiscard]] std::uint64_t count(Cause cause) const noexcept {
        return counts_[static_cast<std::size_t>(cause)].load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool has_started() const;

    /// Any thread: `on_change` is called on the fetching thread after a value that is kept up to
    /// date has changed. It replaces the one of the last call.
    void notify_of_changes(std::function<void()> on_change);
    /// On the fetching thread.
    void report_change() const {
        if (on_change_) on_change_();
    }

private:
    // What a coroutine of another loop waits for. Shared with the fetching thread, because the
    // coroutine may be destroyed meanwhile.
    template <class T>
    struct Errand {
        explicit Errand(net::Loop& loop) : work{loop.executor()} {}

        std::optional<T> result; // written before the end is posted
        // On the loop's thread only:
        net::Event* event = nullptr; // null: no coroutine waits
        bool has_ended = false;
        // The loop must not run out of work while it waits for another thread.
        net::asio::executor_work_guard<net::Executor> work;
    };
    template <class T>
    struct Waiting {
        Waiting(net::Loop& loop, Errand<T>& its_errand)
            : errand{its_errand}, event{loop.waiters()} {
            errand.event = &event;
        }
        ~Waiting() { errand.event = nullptr; }
        Waiting(Waiting const&) = delete;
        Waiting& operator=(Waiting const&) = delete;

        Errand<T>& errand;
        net::Event event;
    };

    template <class T>
    static net::Task<> carry_out(Environment& environment, std::shared_ptr<Errand<T>> errand,
                                 Job<T> job, net::Executor back);
    bool ensure_started();
    void run_loop() noexcept;

    OnRefresh on_refresh_;
    std::function<void()> on_change_; // of the fetching thread
    Counts counts_{};
    net::Loop loop_;
    std::shared_ptr<Inbox> inbox_;
    Names names_;
    Environment environment_;
    net::asio::executor_work_guard<net::Executor> work_;
    mutable std::mutex mutex_; // of the two below
    std::thread thread_;
    bool has_stopped_ = false;
};

template <class T>
net::Task<> Fetcher::carry_out(Environment& environment, std::shared_ptr<Errand<T>> errand,
                               Job<T> job, net::Executor back) {
    try {
        auto task = job(environment);
        errand->result.emplace(co_await std::move(task));
    } catch (std::exception const&) {
        errand->result.reset();
    }
    net::asio::post(back, [errand = std::move(errand)] {
        errand->has_ended = true;
        errand->work.reset();
        if (errand->event != nullptr) errand->event->notify();
    });
}

template <class T>
net::Task<std::optional<T>> Fetcher::run(net::Loop& loop, Job<T> job) {
    auto const errand = std::make_shared<Errand<T>>(loop);
    auto const back = loop.executor();
    bool const is_posted = post([errand, job = std::move(job), back](Environment& environment) {
        net::start(environment.loop.context(), carry_out<T>(environment, errand, job, back));
    });
    if (!is_posted) co_return std::nullopt;
    Waiting<T> waiting{loop, *errand};
    while (!errand->has_ended)
        co_await waiting.event.wait();
    co_return std::move(errand->result);
}

} // namespace sallyport::fetch
