// When something that is kept up to date is fetched again.
#include "gateway/fetch/schedule.h"

#include <algorithm>

namespace sallyport::fetch {

namespace {

net::Clock::duration less_jitter(net::Clock::duration time, double jitter) {
    constexpr double share = 0.1;
    auto const part = static_cast<double>(time.count()) * share * std::clamp(jitter, 0.0, 1.0);
    return time - net::Clock::duration{static_cast<net::Clock::rep>(part)};
}

} // namespace

void Schedule::succeeded(net::Clock::time_point now, std::optional<std::chrono::seconds> fresh_for,
                         std::optional<std::chrono::seconds> usable_for, double jitter) {
    failures_ = 0;
    auto const time = fresh_for ? std::clamp<net::Clock::duration>(*fresh_for, settings_.shortest,
                                                                   settings_.longest)
                                : settings_.interval;
    next_ = now + less_jitter(time, jitter);
    // A value that is fetched rarely must not expire before that, unless it does by itself.
    expires_ = now + (usable_for ? *usable_for : std::max(settings_.keep, time));
}

void Schedule::failed(net::Clock::time_point now, double jitter) {
    constexpr unsigned most_doublings = 20;
    auto const doublings = std::min(failures_++, most_doublings);
    auto const longest = std::max(settings_.interval, settings_.first_pause);
    auto const time = std::min(settings_.first_pause * (1U << doublings), longest);
    next_ = now + less_jitter(time, jitter);
}

} // namespace sallyport::fetch
