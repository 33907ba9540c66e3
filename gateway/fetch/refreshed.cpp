// A value that is fetched in the background and kept up to date.
#include "gateway/fetch/refreshed.h"

#include <algorithm>
#include <random>
#include <vector>

namespace sallyport::fetch {

using net::Clock;

void Published::publish(std::shared_ptr<void const> value) {
    {
        std::lock_guard const lock{mutex_};
        value_.swap(value);
        generation_.fetch_add(1, std::memory_order_release);
    }
    // The old one is destroyed here, without the lock.
}

std::shared_ptr<void const> Published::get() const {
    std::lock_guard const lock{mutex_};
    return value_;
}

struct Refresher::State {
    State(Fetcher& its_fetcher, std::string its_name, ScheduleSettings const& settings,
          Load its_load)
        : fetcher{its_fetcher}, name{std::move(its_name)}, load{std::move(its_load)},
          schedule{settings} {}

    void note(Loaded<void> loaded);
    void note_success(Loaded<void>& loaded);
    void expire();
    void report(RefreshEvent::Kind kind, Failure const& failure);

    Fetcher& fetcher; // outlives it
    std::string const name;
    Load const load;
    Published published;

    // Of the fetching thread:
    Schedule schedule;
    std::minstd_rand random{std::random_device{}()};
    net::Event* woken = nullptr;      // of the coroutine that waits for the next attempt
    bool is_wanted = false;           // an attempt now
    bool is_running = false;          // an attempt
    bool has_ended = false;           // its owner is gone
    std::vector<net::Event*> waiting; // for the end of the attempt

    mutable std::mutex mutex; // of the facts
    Facts facts;
};

void Refresher::State::report(RefreshEvent::Kind kind, Failure const& failure) {
    fetcher.report({kind, name, facts.note, failure});
}

void Refresher::State::note_success(Loaded<void>& loaded) {
    bool const is_new = !schedule.expires() || loaded.note != facts.note;
    bool const was_failing = schedule.is_failing();
    auto const jitter = std::uniform_real_distribution<double>{0.0, 1.0}(random);
    schedule.succeeded(Clock::now(), loaded.fresh_for, loaded.usable_for, jitter);
    bool const has_changed = loaded.value != published.get();
    published.publish(std::move(loaded.value));
    if (has_changed) fetcher.report_change();
    {
        std::lock_guard const lock{mutex};
        ++facts.successes;
        facts.last_success = std::chrono::system_clock::now();
        facts.last_failure = {};
        facts.note = std::move(loaded.note);
    }
    if (was_failing) report(RefreshEvent::Kind::recovered, {});
    if (is_new) report(RefreshEvent::Kind::loaded, {});
}

void Refresher::State::note(Loaded<void> loaded) {
    if (loaded.value != nullptr) return note_success(loaded);
    bool const is_first = !schedule.is_failing();
    auto const jitter = std::uniform_real_distribution<double>{0.0, 1.0}(random);
    schedule.failed(Clock::now(), jitter);
    {
        std::lock_guard const lock{mutex};
        ++facts.failures;
        facts.last_failure = loaded.failure;
    }
    if (is_first) report(RefreshEvent::Kind::failed, loaded.failure);
}

void Refresher::State::expire() {
    schedule.expired();
    published.publish(nullptr);
    report(RefreshEvent::Kind::expired, facts.last_failure);
}

Refresher::Refresher(Fetcher& fetcher, std::string name, ScheduleSettings const& settings,
                     Load load)
    : fetcher_{fetcher}, inbox_{fetcher.inbox()}, state_{std::make_shared<State>(
                                                      fetcher, std::move(name), settings,
                                                      std::move(load))} {
    fetcher_.post([state = state_](Environment& environment) {
        net::start(environment.loop.context(), run(environment, state));
    });
}

Refresher::~Refresher() {
    // Not by way of post(), which would start a thread. Without one, nothing runs.
    inbox_->post([state = state_] {
        state->has_ended = true;
        if (state->woken != nullptr) state->woken->notify();
    });
}

Published const& Refresher::published() const noexcept {
    return state_->published;
}

Refresher::Facts Refresher::facts() const {
    std::lock_guard const lock{state_->mutex};
    return state_->facts;
}

net::Task<> Refresher::attempt(Environment& environment, std::shared_ptr<State> state) {
    state->is_wanted = false;
    state->is_running = true;
    state->schedule.began(Clock::now());
    Loaded<void> loaded;
    try {
        auto task = state->load(environment);
        loaded = co_await std::move(task);
    } catch (std::exception const&) {
        loaded = {};
        loaded.failure = {Cause::unusable, "an exception"};
    }
    state->is_running = false;
    if (!state->has_ended) state->note(std::move(loaded));
    for (auto* const event : state->waiting)
        event->notify();
}

namespace {

// The event by which the waiting coroutine is woken, while it exists.
class Woken {
public:
    Woken(net::Event*& place, net::Event& event) : place_{place} { place_ = &event; }
    ~Woken() { place_ = nullptr; }
    Woken(Woken const&) = delete;
    Woken& operator=(Woken const&) = delete;

private:
    net::Event*& place_;
};

// An event in a list, while its coroutine exists.
class Listed {
public:
    Listed(std::vector<net::Event*>& list, net::Event& event) : list_{list}, event_{event} {
        list_.push_back(&event_);
    }
    ~Listed() { std::erase(list_, &event_); }
    Listed(Listed const&) = delete;
    Listed& operator=(Listed const&) = delete;

private:
    std::vector<net::Event*>& list_;
    net::Event& event_;
};

} // namespace

net::Task<> Refresher::run(Environment& environment, std::shared_ptr<State> state) {
    while (!state->has_ended) {
        auto trying = attempt(environment, state);
        co_await std::move(trying);
        for (;;) {
            auto const now = Clock::now();
            // Before a value expires its source is asked, also where this comes late.
            if (state->has_ended || state->is_wanted || state->schedule.next() <= now) break;
            auto const expires = state->schedule.expires();
            if (expires && *expires <= now) {
                state->expire();
                continue;
            }
            auto at = state->schedule.next();
            if (auto const next = state->schedule.expires()) at = std::min(at, *next);
            Cutoff cutoff{environment.loop, at};
            Woken const woken{state->woken, cutoff.woken()};
            co_await cutoff.woken().wait();
        }
    }
}

net::Task<OnRequest> Refresher::wait_for_attempt(Environment& environment,
                                                 std::shared_ptr<State> state,
                                                 std::chrono::milliseconds time) {
    if (!state->is_running) {
        if (!state->schedule.may_begin(Clock::now()))
            co_return state->schedule.is_failing() ? OnRequest::failed : OnRequest::recent;
        state->is_wanted = true;
        if (state->woken != nullptr) state->woken->notify();
    }
    auto const successes = state->facts.successes;
    auto const before = successes + state->facts.failures;
    Cutoff cutoff{environment.loop, Clock::now() + time};
    Listed const listed{state->waiting, cutoff.woken()};
    while (!cutoff.is_over() && !state->has_ended
           && before == state->facts.successes + state->facts.failures)
        co_await cutoff.woken().wait();
    co_return state->facts.successes > successes ? OnRequest::loaded : OnRequest::failed;
}

net::Task<OnRequest> Refresher::refresh(net::Loop& loop, std::chrono::milliseconds time) {
    Fetcher::Job<OnRequest> job = [state = state_, time](Environment& environment) {
        return wait_for_attempt(environment, state, time);
    };
    auto waiting = fetcher_.run<OnRequest>(loop, std::move(job));
    auto const came_to = co_await std::move(waiting);
    co_return came_to.value_or(OnRequest::failed);
}

} // namespace sallyport::fetch
