// Which endpoint of an upstream, and which of its addresses, is tried next: in turn, past those
// that failed.
#pragma once

#include "gateway/net/executor.h"

#include <boost/asio/generic/stream_protocol.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sallyport::upstream {

using Address = net::asio::generic::stream_protocol::endpoint;

/// Decides, and does nothing: no clock, no socket. One per worker and upstream, because what one
/// worker saw fail costs another at most one connect timeout.
class Balance {
public:
    using Clock = net::Clock;

    struct Target {
        std::size_t endpoint;
        std::uint64_t id; // of this address; a later list of addresses keeps it
        Address address;
    };

    /// The attempts of one acquisition. No address is tried twice in a round.
    struct Round {
        std::size_t first = 0; // the endpoint whose turn it is
        std::vector<std::uint64_t> tried;
    };

    /// More attempts than this only keep the client waiting.
    static constexpr std::size_t most_attempts = 4;
    /// How long an address that failed is passed over: doubled with each failure in a row.
    static constexpr Clock::duration first_pause = std::chrono::seconds{5};
    static constexpr Clock::duration longest_pause = std::chrono::seconds{60};

    explicit Balance(std::size_t endpoints) : endpoints_(endpoints) {}

    /// Addresses that stay keep what is known of them.
    void set_addresses(std::size_t endpoint, std::vector<Address> const& addresses);

    /// The next round, beginning with the next endpoint in turn that is not passed over.
    Round begin(Clock::time_point now);

    /// The next address of the round: endpoints in turn, those that are passed over last. Nothing
    /// when all were tried, or enough.
    std::optional<Target> next(Round& round, Clock::time_point now);

    void succeeded(std::uint64_t id) noexcept;
    /// `begun`: when the attempt was. Those that were on their way together are one failure.
    void failed(std::uint64_t id, Clock::time_point begun, Clock::time_point now) noexcept;

    [[nodiscard]] std::size_t endpoints() const noexcept { return endpoints_.size(); }
    /// Whether none of its addresses is left that has not failed, or may be tried again.
    [[nodiscard]] bool is_passed_over(std::size_t endpoint, Clock::time_point now) const noexcept {
        return !is_good(endpoints_[endpoint], now);
    }
    [[nodiscard]] bool has_addresses() const noexcept;

private:
    struct Candidate {
        std::uint64_t id;
        Address address;
        unsigned failures = 0; // in a row
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
