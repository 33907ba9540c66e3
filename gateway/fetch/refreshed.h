// A value that is fetched in the background and kept up to date: key sets, tokens of the gateway's
// own.
#pragma once

#include "gateway/fetch/fetcher.h"
#include "gateway/fetch/schedule.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace sallyport::fetch {

/// The result of one attempt. `value` null: it failed, for the reason in `failure`.
template <class T>
struct Loaded {
    std::shared_ptr<T const> value;
    std::optional<std::chrono::seconds> fresh_for; // Response::fresh_for, or what the value says
    std::string note;                              // of the value, for operators; never a secret
    Failure failure;
    /// Of a value that expires by itself: for how long it may be used.
    std::optional<std::chrono::seconds> usable_for = {};
};

/// The last value, or none: written by one thread, read by many.
class Published {
public:
    void publish(std::shared_ptr<void const> value);
    [[nodiscard]] std::shared_ptr<void const> get() const;
    /// Changes with each value. For readers that keep a copy: no lock, no counting of references.
    [[nodiscard]] std::uint64_t generation() const noexcept {
        return generation_.load(std::memory_order_acquire);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<void const> value_;
    std::atomic<std::uint64_t> generation_{0};
};

/// What a fetch on request has come to.
enum class OnRequest : std::uint8_t {
    loaded,
    recent, // none has begun: the last one, a success, began less than `least_between` ago
    failed, // it failed or takes too long; or none has begun, because the last one had failed
};

/// Without the type of the value. Shared by its owner and its coroutine on the fetching thread.
class Refresher {
public:
    using Load = std::function<net::Task<Loaded<void>>(Environment& environment)>;

    /// For status pages. Any thread.
    struct Facts {
        std::uint64_t successes = 0;
        std::uint64_t failures = 0;
        std::optional<std::chrono::system_clock::time_point> last_success;
        Failure last_failure; // of the last attempt; none: it succeeded
        std::string note;
    };

    Refresher(Fetcher& fetcher, std::string name, ScheduleSettings const& settings, Load load);
    /// Ends it; an attempt that is running ends by itself, and its result is not used.
    ~Refresher();
    Refresher(Refresher const&) = delete;
    Refresher& operator=(Refresher const&) = delete;

    [[nodiscard]] Published const& published() const noexcept;
    [[nodiscard]] Facts facts() const;
    [[nodiscard]] net::Task<OnRequest> refresh(net::Loop& loop, std::chrono::milliseconds time);

private:
    struct State;

    static net::Task<> run(Environment& environment, std::shared_ptr<State> state);
    static net::Task<> attempt(Environment& environment, std::shared_ptr<State> state);
    static net::Task<OnRequest> wait_for_attempt(Environment& environment,
                                                 std::shared_ptr<State> state,
                                                 std::chrono::milliseconds time);

    Fetcher& fetcher_; // for refresh() alone: this may be destroyed after it
    std::shared_ptr<Inbox> inbox_;
    std::shared_ptr<State> state_;
};

/// Owned by a snapshot, or by what outlives snapshots; any thread makes and destroys it, also after
/// the fetcher. Its first attempt begins at once.
template <class T>
class Refreshed {
public:
    /// Makes the task of one attempt, on the fetching thread: one fetch() or several. It must limit
    /// its own time, as fetch() does.
    using Load = std::function<net::Task<Loaded<T>>(Environment& environment)>;

    /// `name`: for operators, in events and on the status page.
    Refreshed(Fetcher& fetcher, std::string name, ScheduleSettings const& settings, Load load)
        : refresher_{fetcher, std::move(name), settings, WithoutType{std::move(load)}} {}

    /// The last value; null: none was loaded yet, or the last one has expired. Takes a lock: on the
    /// path of requests use Latest.
    [[nodiscard]] std::shared_ptr<T const> get() const {
        return std::static_pointer_cast<T const>(refresher_.published().get());
    }
    [[nodiscard]] std::uint64_t generation() const noexcept {
        return refresher_.published().generation();
    }

    /// On the thread of `loop`: begins an attempt now, unless one has begun less than
    /// `least_between` ago, and returns when it has ended, or after `time`, or at once if none may
    /// begin. For example for a token whose key is not known yet.
    [[nodiscard]] net::Task<OnRequest> refresh(net::Loop& loop, std::chrono::milliseconds time) {
        return refresher_.refresh(loop, time);
    }

    [[nodiscard]] Refresher::Facts facts() const { return refresher_.facts(); }

private:
    struct WithoutType {
        Load load;

        net::Task<Loaded<void>> operator()(Environment& environment) const {
            return convert(load(environment));
        }
        static net::Task<Loaded<void>> convert(net::Task<Loaded<T>> task) {
            auto loaded = co_await std::move(task);
            co_return Loaded<void>{std::move(loaded.value), loaded.fresh_for,
                                   std::move(loaded.note), std::move(loaded.failure),
                                   loaded.usable_for};
        }
    };

    Refresher refresher_;
};

/// A reader of one thread: its value, without a lock unless there is another one. `refreshed`
/// outlives it.
template <class T>
class Latest {
public:
    explicit Latest(Refreshed<T> const& refreshed) : refreshed_{refreshed} {}

    /// Null: there is none. Valid until the next call; copy value() to keep it.
    [[nodiscard]] T const* get() {
        auto const generation = refreshed_.generation();
        if (generation != generation_) {
            value_ = refreshed_.get();
            generation_ = generation;
        }
        return value_.get();
    }
    /// As of the last get().
    [[nodiscard]] std::shared_ptr<T const> const& value() const noexcept { return value_; }

private:
    Refreshed<T> const& refreshed_;
    std::uint64_t generation_ = 0;
    std::shared_ptr<T const> value_;
};

} // namespace sallyport::fetch
