// Which endpoints can be reached, for the whole process: the results of all workers
// combined.
#pragma once

#include "gateway/net/executor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::upstream {

enum class EndpointCondition : std::uint8_t {
    unknown, // no attempt to connect has completed yet
    up,      // the last relevant attempt succeeded
    down,    // none of its addresses could be reached
};

[[nodiscard]] constexpr std::string_view to_string(EndpointCondition condition) noexcept {
    switch (condition) {
    case EndpointCondition::unknown: return "unknown";
    case EndpointCondition::up: return "up";
    case EndpointCondition::down: break;
    }
    return "down";
}

/// Whether an endpoint has other addresses that have not failed, or may be retried.
enum class Reach : std::uint8_t { others, none };

struct FailedAttempt {
    std::string_view step; // valid as long as the program
    net::Error error;
    net::Clock::time_point begun;
};

/// A change of state that is logged.
struct EndpointChange {
    std::string upstream;
    std::string endpoint;
    EndpointCondition to = EndpointCondition::down; // or up
    std::string error;                              // down: the step and the system's error
    std::chrono::milliseconds down_for{};           // up
    std::uint64_t left_out = 0; // since the start: periods of being down that were not logged
};

/// The state of an endpoint; the last error is kept when it is up again.
struct EndpointReport {
    EndpointCondition condition = EndpointCondition::unknown;
    std::optional<std::chrono::system_clock::time_point> since; // empty while it is unknown
    std::string last_error;                                     // empty: none
    std::optional<std::chrono::system_clock::time_point> failed_at;
};

/// One endpoint of one upstream; shared by the pools of all workers, and by those of the
/// configurations before and after a reload. Any thread: it is locked for a few instructions, and
/// used when a connection is opened, not when one is reused.
class EndpointState {
public:
    using Clock = net::Clock;
    using OnChange = std::function<void(EndpointChange const&)>;

    /// An endpoint that alternates between up and down is logged as down no sooner than this after
    /// it was logged as up: each worker retries after the pause of its Balance, so a lasting
    /// failure is logged.
    static constexpr Clock::duration quiet_time = std::chrono::seconds{10};

    /// `on_change` outlives it.
    EndpointState(std::string_view upstream, std::string_view endpoint, OnChange const& on_change);

    /// Records that a connection was made.
    void succeeded(Clock::time_point now);
    /// Records a failed attempt. Ignored if it began before the last connection was made, because
    /// newer results exist.
    void failed(FailedAttempt const& attempt, Reach reach, Clock::time_point now);

    /// The current state, for the admin pages.
    [[nodiscard]] EndpointReport report() const;

private:
    void report_down(FailedAttempt const& attempt, Clock::time_point now);

    std::string const upstream_;
    std::string const endpoint_;
    OnChange const& on_change_;
    mutable std::mutex mutex_; // of the following members
    EndpointCondition condition_ = EndpointCondition::unknown;
    Clock::time_point connected_ = Clock::time_point::min();
    std::chrono::system_clock::time_point since_{};
    std::string_view last_step_;
    net::Error last_error_;
    std::chrono::system_clock::time_point failed_at_{};
    Clock::time_point down_since_{};
    std::optional<Clock::time_point> reported_up_;
    bool is_reported_ = false; // whether the failure was logged
    bool is_left_out_ = false; // whether this failure was not logged
    std::uint64_t left_out_ = 0;
};

/// All endpoints of all pools, by the name of their upstream and their configured text. Any thread;
/// outlives the pools.
class EndpointStates {
public:
    /// `on_change` is called on the thread of the change, with that endpoint locked: it must not
    /// wait or request reports.
    explicit EndpointStates(EndpointState::OnChange on_change) : on_change_{std::move(on_change)} {}
    EndpointStates(EndpointStates const&) = delete;
    EndpointStates& operator=(EndpointStates const&) = delete;

    /// The state that other pools have, or a new one.
    std::shared_ptr<EndpointState> share(std::string_view upstream, std::string_view endpoint);

    /// For an endpoint without a pool the state is unknown.
    [[nodiscard]] EndpointReport report(std::string_view upstream, std::string_view endpoint) const;

private:
    using Names = std::pair<std::string, std::string>;

    EndpointState::OnChange const on_change_;
    mutable std::mutex mutex_;
    std::map<Names, std::weak_ptr<EndpointState>> states_;
};

} // namespace sallyport::upstream
