// When something that is kept up to date is fetched again: numbers and results in, times out.
#pragma once

#include "gateway/net/executor.h"

#include <chrono>
#include <optional>

namespace sallyport::fetch {

struct ScheduleSettings {
    /// From a success to the next fetch, where the response does not say how long it is fresh.
    net::Clock::duration interval = std::chrono::minutes{5};
    /// The bounds of what the response says.
    net::Clock::duration shortest = std::chrono::seconds{30};
    net::Clock::duration longest = std::chrono::hours{24};
    /// After a failure; doubled with each further one, up to `interval`.
    net::Clock::duration first_pause = std::chrono::seconds{1};
    /// How long a value is used from its fetch on, if all later ones fail.
    net::Clock::duration keep = std::chrono::hours{1};
    /// A fetch on request (Refreshed::refresh) begins at least so long after the last one began.
    net::Clock::duration least_between = std::chrono::seconds{10};
};

/// Decisions only: no clock, no randomness of its own.
class Schedule {
public:
    explicit Schedule(ScheduleSettings const& settings) : settings_{settings} {}

    void began(net::Clock::time_point now) noexcept { began_ = now; }
    /// `jitter`: from 0 to 1; a tenth of the time is subtracted by it, so that many gateways that
    /// start together do not fetch together, and no value is fetched later than it is fresh.
    /// `usable_for`: how long the value may be used, if it says so itself; else `keep` says it.
    void succeeded(net::Clock::time_point now, std::optional<std::chrono::seconds> fresh_for,
                   std::optional<std::chrono::seconds> usable_for, double jitter);
    void failed(net::Clock::time_point now, double jitter);

    /// When to fetch next.
    [[nodiscard]] net::Clock::time_point next() const noexcept { return next_; }
    /// When the value must not be used any more; none: there is no value.
    [[nodiscard]] std::optional<net::Clock::time_point> expires() const noexcept {
        return expires_;
    }
    void expired() noexcept { expires_.reset(); }
    /// Whether a fetch on request may begin now.
    [[nodiscard]] bool may_begin(net::Clock::time_point now) const noexcept {
        return !began_ || now - *began_ >= settings_.least_between;
    }
    [[nodiscard]] bool is_failing() const noexcept { return failures_ > 0; }

private:
    ScheduleSettings settings_;
    std::optional<net::Clock::time_point> began_;
    net::Clock::time_point next_{};
    std::optional<net::Clock::time_point> expires_;
    unsigned failures_ = 0; // in a row
};

} // namespace sallyport::fetch
