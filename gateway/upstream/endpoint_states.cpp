// Which endpoints can be reached, and when that changed.
#include "gateway/upstream/endpoint_states.h"

namespace sallyport::upstream {

namespace {

using SystemClock = std::chrono::system_clock;

std::string text_of(std::string_view step, net::Error const& error) {
    return std::string{step} + ": " + error.message();
}

} // namespace

EndpointState::EndpointState(std::string_view upstream, std::string_view endpoint,
                             OnChange const& on_change)
    : upstream_{upstream}, endpoint_{endpoint}, on_change_{on_change} {}

void EndpointState::succeeded(Clock::time_point now) {
    std::lock_guard const lock{mutex_};
    connected_ = now;
    if (condition_ == EndpointCondition::up) return;
    condition_ = EndpointCondition::up;
    since_ = SystemClock::now();
    is_left_out_ = false;
    if (!std::exchange(is_reported_, false)) return;
    reported_up_ = now;
    EndpointChange change{upstream_, endpoint_, EndpointCondition::up, {}, {}, left_out_};
    change.down_for = std::chrono::duration_cast<std::chrono::milliseconds>(now - down_since_);
    on_change_(change);
}

void EndpointState::failed(FailedAttempt const& attempt, Reach reach, Clock::time_point now) {
    std::lock_guard const lock{mutex_};
    last_step_ = attempt.step;
    last_error_ = attempt.error;
    failed_at_ = SystemClock::now();
    if (reach == Reach::others || attempt.begun < connected_) return;
    if (condition_ != EndpointCondition::down) {
        condition_ = EndpointCondition::down;
        since_ = failed_at_;
        down_since_ = now;
    }
    if (!is_reported_) report_down(attempt, now);
}

void EndpointState::report_down(FailedAttempt const& attempt, Clock::time_point now) {
    if (reported_up_ && now - *reported_up_ < quiet_time) {
        if (!std::exchange(is_left_out_, true)) ++left_out_;
        return;
    }
    // Logged late rather than not at all.
    if (std::exchange(is_left_out_, false)) --left_out_;
    is_reported_ = true;
    on_change_({upstream_, endpoint_, EndpointCondition::down, text_of(attempt.step, attempt.error), {},
           left_out_});
}

EndpointReport EndpointState::report() const {
    std::lock_guard const lock{mutex_};
    EndpointReport report;
    report.condition = condition_;
    if (report.condition != EndpointCondition::unknown) report.since = since_;
    if (last_error_) {
        report.last_error = text_of(last_step_, last_error_);
        report.failed_at = failed_at_;
    }
    return report;
}

std::shared_ptr<EndpointState> EndpointStates::share(std::string_view upstream,
                                                     std::string_view endpoint) {
    std::lock_guard const lock{mutex_};
    Names const names{upstream, endpoint};
    if (auto const found = states_.find(names); found != states_.end())
        if (auto state = found->second.lock()) return state;
    std::erase_if(states_, [](auto const& entry) { return entry.second.expired(); });
    auto made = std::make_shared<EndpointState>(upstream, endpoint, on_change_);
    states_[names] = made;
    return made;
}

EndpointReport EndpointStates::report(std::string_view upstream,
                                      std::string_view endpoint) const {
    std::shared_ptr<EndpointState> state;
    {
        std::lock_guard const lock{mutex_};
        auto const found = states_.find(Names{upstream, endpoint});
        if (found != states_.end()) state = found->second.lock();
    }
    return state ? state->report() : EndpointReport{};
}

} // namespace sallyport::upstream
