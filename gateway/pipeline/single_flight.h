// Facts that plugins fetch over the network: each is fetched once at a time, however many exchanges
// wait for it.
#pragma once

#include "gateway/net/deadlines.h"
#include "gateway/net/event.h"
#include "gateway/net/loop.h"

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::pipeline {

/// For `Plugin::learn()`. One per worker and kind of fact, on the worker's thread. A fetch does not
/// belong to an exchange: it continues when the one that began it has ended. Results are not
/// stored: caching is up to the plugin that uses them.
///
/// `Fact` is the result of a fetch, failures included: all waiting exchanges get the same one.
template <class Fact>
class SingleFlight {
public:
    explicit SingleFlight(net::Loop& loop) : loop_{loop} {}
    ~SingleFlight() {
        for (auto& [key, flight] : flights_)
            flight->owner = nullptr;
    }
    SingleFlight(SingleFlight const&) = delete;
    SingleFlight& operator=(SingleFlight const&) = delete;

    /// The fact with this key. `fetch(key)` makes the task that fetches it, and is called only if
    /// no such task is running; it must limit its own time. Null: no result within `time`, or the
    /// task ended with an exception.
    template <class Fetch>
    net::Task<std::shared_ptr<Fact const>> get(std::string key, std::chrono::milliseconds time,
                                               Fetch& fetch) {
        return wait_for(flight_of(std::move(key), fetch), time);
    }

    /// Whether a fetch with this key is running.
    [[nodiscard]] bool has(std::string_view key) const { return flights_.contains(key); }
    /// The number of running fetches.
    [[nodiscard]] std::size_t size() const noexcept { return flights_.size(); }

private:
    struct Waiting;
    struct Flight {
        SingleFlight* owner;
        std::string key;
        std::vector<Waiting*> waiting;
        std::shared_ptr<Fact const> fact;
        bool has_ended = false;
    };
    using Shared = std::shared_ptr<Flight>;

    /// A waiting exchange, which may be destroyed meanwhile.
    struct Waiting {
        Waiting(net::Loop& loop, Flight& its_flight)
            : flight{its_flight}, woken{loop.waiters()},
              deadline{net::Deadline::calling<&Waiting::give_up>(loop.deadlines(), *this)} {
            flight.waiting.push_back(this);
        }
        ~Waiting() { std::erase(flight.waiting, this); }
        Waiting(Waiting const&) = delete;
        Waiting& operator=(Waiting const&) = delete;
        void give_up() { woken.notify_now(); }

        Flight& flight;
        net::Event woken;
        net::Deadline deadline;
    };

    template <class Fetch>
    Shared flight_of(std::string key, Fetch& fetch) {
        auto const found = flights_.find(key);
        if (found != flights_.end()) return found->second;
        auto flight = std::make_shared<Flight>(Flight{this, std::move(key), {}, {}, false});
        flights_.emplace(flight->key, flight);
        net::start(loop_.context(), run(flight, fetch(std::string_view{flight->key})));
        return flight;
    }

    [[nodiscard]] static net::Task<> run(Shared flight, net::Task<Fact> fetching) {
        try {
            auto fact = co_await std::move(fetching);
            flight->fact = std::make_shared<Fact const>(std::move(fact));
        } catch (std::exception const&) {
            // All waiting exchanges get no fact, and refuse.
            flight->fact = nullptr;
        }
        flight->has_ended = true;
        // Later calls start a new fetch.
        if (flight->owner != nullptr) flight->owner->flights_.erase(flight->key);
        for (Waiting* const waiting : flight->waiting)
            waiting->woken.notify();
    }

    net::Task<std::shared_ptr<Fact const>> wait_for(Shared flight, std::chrono::milliseconds time) {
        if (flight->has_ended) co_return flight->fact;
        Waiting waiting{loop_, *flight};
        waiting.deadline.arm_after(time);
        co_await waiting.woken.wait();
        co_return flight->fact;
    }

    net::Loop& loop_;
    std::map<std::string, Shared, std::less<>> flights_;
};

} // namespace sallyport::pipeline
