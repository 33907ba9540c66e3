// Selects the endpoint of an upstream, and its address, for the next attempt: in turn, skipping
// those that failed.
#pragma once

#include "gateway/net/look_up.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sallyport::upstream {

using net::Address;

/// Decisions only: no clock, no socket. One per worker and upstream, because a failure that only
/// one worker has seen costs another at most one connect timeout.
class Balance {
public:
    using Clock = net::Clock;

    struct Target {
        std::size_t endpoint;
        std::uint64_t id; // of this address; kept when a later list contains it
        Address address;
    };

    /// The attempts of one acquisition. No address is tried twice in a round.
    struct Round {
        std::size_t first = 0; // the endpoint that is tried first
        std::vector<std::uint64_t> tried;
    };

    /// More attempts would only delay the client's response.
    static constexpr std::size_t most_attempts = 4;
    /// How long a failed address is skipped: doubled with each consecutive failure.
    static constexpr Clock::duration first_pause = std::chrono::seconds{5};
    static constexpr Clock::duration longest_pause = std::chrono::seconds{60};

    explicit Balance(std::size_t endpoints) : endpoints_(endpoints) {}

    /// Addresses that are in the new list too keep their state.
    void set_addresses(std::size_t endpoint, std::vector<Address> const& addresses);

    /// A new round, beginning with the next endpoint in turn that is not skipped.
    Round begin(Clock::time_point now);

    /// The next address of the round: endpoints in turn, skipped ones last. Empty when all were
    /// tried, or the limit is reached.
    std::optional<Target> next(Round& round, Clock::time_point now);

    /// An attempt at this address succeeded: it is not skipped any more.
    void succeeded(std::uint64_t id) noexcept;
    /// `begun`: when the attempt began. Concurrent failures count as one.
    void failed(std::uint64_t id, Clock::time_point begun, Clock::time_point now) noexcept;

    [[nodiscard]] std::size_t endpoints() const noexcept { return endpoints_.size(); }
    /// Whether every address of the endpoint has failed and must not be retried yet.
    [[nodiscard]] bool is_passed_over(std::size_t endpoint, Clock::time_point now) const noexcept {
        return !is_good(endpoints_[endpoint], now);
    }
    /// Whether any endpoint has an address.
    [[nodiscard]] bool has_addresses() const noexcept;

private:
    struct Candidate {
        std::uint64_t id;
        Address address;
        unsigned failures = 0; // consecutive
        Clock::time_point failed_at{};
        Clock::time_point pause_end{};
    };
    struct Endpoint {
        std::vector<Candidate> candidates;
        std::size_t turn = 0;
    };

    [[nodiscard]] bool is_good(Endpoint const& endpoint, Clock::time_point now) const noexcept;
    Candidate* find(std::uint64_t id) noexcept;
    Candidate* find_good(Endpoint& endpoint, Round const& round, Clock::time_point now) noexcept;
    Target take(std::size_t endpoint, Candidate& candidate, Round& round, Clock::time_point now);

    std::vector<Endpoint> endpoints_;
    std::size_t turn_ = 0;
    std::uint64_t next_id_ = 1;
};

} // namespace sallyport::upstream
