// Selects the endpoint of an upstream for the next attempt.
#include "gateway/upstream/balance.h"

#include <algorithm>

namespace sallyport::upstream {

void Balance::set_addresses(std::size_t endpoint, std::vector<Address> const& addresses) {
    auto& known = endpoints_[endpoint].candidates;
    std::vector<Candidate> fresh;
    for (auto const& address : addresses) {
        auto const is_same = [&](Candidate const& candidate) {
            return candidate.address == address;
        };
        if (std::any_of(fresh.begin(), fresh.end(), is_same)) continue;
        auto const old = std::find_if(known.begin(), known.end(), is_same);
        fresh.push_back(old != known.end() ? *old : Candidate{next_id_++, address});
    }
    known = std::move(fresh);
}

bool Balance::has_addresses() const noexcept {
    return std::any_of(endpoints_.begin(), endpoints_.end(),
                       [](Endpoint const& endpoint) { return !endpoint.candidates.empty(); });
}

bool Balance::is_good(Endpoint const& endpoint, Clock::time_point now) const noexcept {
    return std::any_of(endpoint.candidates.begin(), endpoint.candidates.end(),
                       [&](Candidate const& candidate) { return candidate.pause_end <= now; });
}

Balance::Round Balance::begin(Clock::time_point now) {
    Round round;
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
        round.first = turn_;
        turn_ = turn_ + 1 == endpoints_.size() ? 0 : turn_ + 1;
        if (is_good(endpoints_[round.first], now)) break;
    }
    return round;
}

namespace {

bool was_tried(Balance::Round const& round, std::uint64_t id) {
    return std::find(round.tried.begin(), round.tried.end(), id) != round.tried.end();
}

} // namespace

Balance::Candidate* Balance::find_good(Endpoint& endpoint, Round const& round,
                                       Clock::time_point now) noexcept {
    auto const count = endpoint.candidates.size();
    for (std::size_t i = 0; i < count; ++i) {
        auto const at = (endpoint.turn + i) % count;
        auto& candidate = endpoint.candidates[at];
        if (candidate.pause_end > now || was_tried(round, candidate.id)) continue;
        endpoint.turn = at + 1;
        return &candidate;
    }
    return nullptr;
}

Balance::Target Balance::take(std::size_t endpoint, Candidate& candidate, Round& round,
                              Clock::time_point now) {
    round.tried.push_back(candidate.id);
    // After a pause one request retries the address; the others wait for its result.
    if (candidate.failures > 0)
        candidate.pause_end = std::max(candidate.pause_end, now + first_pause);
    return {endpoint, candidate.id, candidate.address};
}

std::optional<Balance::Target> Balance::next(Round& round, Clock::time_point now) {
    if (round.tried.size() == most_attempts) return std::nullopt;
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
        auto const at = (round.first + i) % endpoints_.size();
        if (auto* const good = find_good(endpoints_[at], round, now))
            return take(at, *good, round, now);
    }
    // All are skipped: the one whose pause ends first is better than none.
    Candidate* best = nullptr;
    std::size_t best_endpoint = 0;
    for (std::size_t at = 0; at < endpoints_.size(); ++at) {
        for (auto& candidate : endpoints_[at].candidates) {
            if (was_tried(round, candidate.id)) continue;
            if (best != nullptr && best->pause_end <= candidate.pause_end) continue;
            best = &candidate;
            best_endpoint = at;
        }
    }
    if (best == nullptr) return std::nullopt;
    return take(best_endpoint, *best, round, now);
}

Balance::Candidate* Balance::find(std::uint64_t id) noexcept {
    for (auto& endpoint : endpoints_)
        for (auto& candidate : endpoint.candidates)
            if (candidate.id == id) return &candidate;
    return nullptr; // its name has other addresses now
}

void Balance::succeeded(std::uint64_t id) noexcept {
    auto* const candidate = find(id);
    if (candidate == nullptr) return;
    candidate->failures = 0;
    candidate->pause_end = {};
}

void Balance::failed(std::uint64_t id, Clock::time_point begun, Clock::time_point now) noexcept {
    auto* const candidate = find(id);
    if (candidate == nullptr) return;
    bool const is_counted_already = candidate->failures > 0 && begun <= candidate->failed_at;
    if (is_counted_already) return;
    candidate->failed_at = now;
    auto const pause = first_pause * (1U << std::min(candidate->failures, 4U));
    ++candidate->failures;
    candidate->pause_end = now + std::min<Clock::duration>(pause, longest_pause);
}

} // namespace sallyport::upstream
