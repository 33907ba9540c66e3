// Resolves the names of endpoints, off the path of requests.
#include "gateway/upstream/resolve.h"

#include "gateway/net/held_signals.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

namespace sallyport::upstream {

namespace asio = net::asio;

// Shared by the subscription, which may end, and by results posted before.
struct Resolver::Subscription::Delivery {
    std::weak_ptr<State> state;
    net::Executor executor;
    Subscriber* subscriber; // null once it has ended; used on the loop's thread only
    std::size_t index;

    static void post(std::shared_ptr<Delivery> const& to, std::vector<Address> addresses) {
        asio::post(to->executor, [to, addresses = std::move(addresses)] {
            if (to->subscriber != nullptr) to->subscriber->resolved(to->index, addresses);
        });
    }
};

// The state of a name.
struct Resolver::Entry {
    Name name;
    std::vector<Address> addresses; // the last successful result
    net::Error error;
    bool is_resolved = false;
    std::vector<std::shared_ptr<Subscription::Delivery>> deliveries;
};

// Shared with the thread, which may outlive the resolver inside getaddrinfo.
struct Resolver::State {
    OnChange on_change;
    LookUp look_up;
    std::chrono::milliseconds period{};

    std::mutex mutex; // held during a callback, so that there is none after the end
    std::condition_variable changed;
    std::vector<std::unique_ptr<Entry>> entries;
    bool has_work = false;
    bool ended = false;

    void take(Entry& entry, net::Result<std::vector<Address>> const& found);
    std::vector<Name> names();
    void run_once();
};

void Resolver::State::take(Entry& entry, net::Result<std::vector<Address>> const& found) {
    auto const error = found ? net::Error{} : found.error();
    if (entry.error != error && on_change)
        on_change(entry.name.host, error ? error.message() : std::string{});
    entry.error = error;
    // The order changes with every result, which is not a change by itself.
    bool const is_new =
        found
        && !(found->size() == entry.addresses.size()
             && std::is_permutation(found->begin(), found->end(), entry.addresses.begin()));
    bool const is_first = !std::exchange(entry.is_resolved, true);
    if (is_new) entry.addresses = *found;
    if (!is_new && !is_first) return;
    for (auto const& delivery : entry.deliveries)
        Subscription::Delivery::post(delivery, entry.addresses);
}

std::vector<Name> Resolver::State::names() {
    std::lock_guard const lock{mutex};
    has_work = false;
    std::erase_if(entries, [](auto const& entry) { return entry->deliveries.empty(); });
    std::vector<Name> all;
    for (auto const& entry : entries)
        all.push_back(entry->name);
    return all;
}

void Resolver::State::run_once() {
    for (auto const& name : names()) {
        auto const found = look_up(name);
        std::lock_guard const lock{mutex};
        if (ended) return;
        for (auto const& entry : entries)
            if (entry->name == name) take(*entry, found);
    }
}

Resolver::Resolver(OnChange on_change)
    : Resolver(std::move(on_change), upstream::look_up, default_period) {}

Resolver::Resolver(OnChange on_change, LookUp look_up, std::chrono::milliseconds period)
    : state_{std::make_shared<State>()} {
    state_->on_change = std::move(on_change);
    state_->look_up = std::move(look_up);
    state_->period = period;
    // Detached: a lookup cannot be interrupted, and the end must not wait for it. So it may outlive
    // the thread that handles signals.
    net::HeldSignals const held;
    std::thread{run, state_}.detach();
}

Resolver::~Resolver() {
    stop();
}

void Resolver::stop() {
    std::lock_guard const lock{state_->mutex};
    state_->ended = true;
    state_->changed.notify_all();
}

void Resolver::run(std::shared_ptr<State> state) {
    for (;;) {
        state->run_once();
        std::unique_lock lock{state->mutex};
        state->changed.wait_for(lock, state->period,
                                [&] { return state->ended || state->has_work; });
        if (state->ended) return;
    }
}

Resolver::Subscription Resolver::subscribe(Name name, net::Executor executor,
                                           Subscriber& subscriber, std::size_t index) {
    Subscription subscription;
    subscription.delivery_ = std::make_shared<Subscription::Delivery>(
        Subscription::Delivery{state_, executor, &subscriber, index});
    std::lock_guard const lock{state_->mutex};
    auto& entries = state_->entries;
    auto here = std::find_if(entries.begin(), entries.end(),
                             [&](auto const& entry) { return entry->name == name; });
    if (here == entries.end()) {
        entries.push_back(std::make_unique<Entry>());
        here = std::prev(entries.end());
        (*here)->name = std::move(name);
        state_->has_work = true;
        state_->changed.notify_all();
    }
    auto& entry = **here;
    entry.deliveries.push_back(subscription.delivery_);
    if (entry.is_resolved) Subscription::Delivery::post(subscription.delivery_, entry.addresses);
    return subscription;
}

Resolver::Subscription::~Subscription() {
    if (!delivery_) return;
    delivery_->subscriber = nullptr;
    auto const state = delivery_->state.lock();
    if (!state) return;
    std::lock_guard const lock{state->mutex};
    for (auto const& entry : state->entries)
        std::erase(entry->deliveries, delivery_);
}

Resolver::Subscription::Subscription(Subscription&& other) noexcept = default;

Resolver::Subscription& Resolver::Subscription::operator=(Subscription&& other) noexcept {
    std::swap(delivery_, other.delivery_);
    return *this;
}

void Resolver::refresh() {
    std::lock_guard const lock{state_->mutex};
    state_->has_work = true;
    state_->changed.notify_all();
}

} // namespace sallyport::upstream
