// Facts that plugins learn over the network: each is fetched once at a time, however many exchanges
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

/// For `Plugin::learn()`. One per worker and kind of fact, on the worker's thread. A fetch belongs
/// to no exchange: it goes on when the one that began it has given up or gone. Nothing is
/// remembered: the plugin that uses the fact decides about that.
///
/// `Fact` is what a fetch brings, failures included: all that wait get the same one.
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

    /// The fact with this key. `fetch(key)` makes the task that brings it, and is called where no
    /// such task is under way; it bounds its own time. Null: it did not come within `time`, or its
    /// task ended with an exception.
    template <class Fetch>
    net::Task<std::shared_ptr<Fact const>> get(std::string key, std::chrono::milliseconds time,
                                               Fetch& fetch) {
        return wait_for(flight_of(std::move(key), fetch), time);
    }

    /// How many fetches are under way.
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

    /// An exchange that waits; it may be destroyed while it does.
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
            // All that wait learn that there is no fact: they refuse.
            flight->fact = nullptr;
        }
        flight->has_ended = true;
        // Whoever asks from now on fetches anew.
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
