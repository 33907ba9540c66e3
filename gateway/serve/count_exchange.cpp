// Adds an exchange to the metrics of its worker.
#include "gateway/serve/count_exchange.h"

#include "gateway/http/status.h"

#include <algorithm>

namespace sallyport::serve {

namespace {

using pipeline::Exchange;
using pipeline::Reason;
using pipeline::Timings;

using observe::MessagePart;

observe::SeenViolation seen(MessagePart part, contract::Level level, std::string_view rule) {
    return {part, named(level), rule};
}

MessagePart part_of(contract::ValuePlace place) {
    return place == contract::ValuePlace::response ? MessagePart::response : MessagePart::request;
}

// Every violation that was found, whether it was stored for the log or not.
void count_violations(observe::OperationMetrics& metrics, pipeline::Findings const& findings) {
    for (auto const& one : findings.violations)
        metrics.violations.add(seen(part_of(one.in), one.level, one.rule));
    for (auto const& one : findings.not_kept)
        metrics.violations.add(seen(part_of(one.in), one.level, one.rule), one.count);
}

void observe_times(observe::OperationMetrics& metrics, Timings const& timings,
                   std::int64_t microseconds) {
    auto const at_upstream = timings.upstream_total;
    metrics.total.observe(microseconds);
    metrics.ours.observe(microseconds - std::max<std::int64_t>(at_upstream, 0));
    if (at_upstream != Timings::unset) metrics.at_upstream.observe(at_upstream);
}

} // namespace

observe::ViolationLevel named(contract::Level level) noexcept {
    return level == contract::Level::report ? observe::ViolationLevel::report
                                            : observe::ViolationLevel::enforce;
}

void count_exchange(observe::OperationMetrics& metrics, WorkerSnapshot const& view,
                    Exchange const& exchange, std::int64_t microseconds) {
    auto const& outcome = exchange.outcome;
    auto const& decision = exchange.decision;
    auto const& findings = decision.findings;
    metrics.requests.add(observe::RequestOutcome{static_cast<std::uint16_t>(outcome.status),
                                                 pipeline::to_string(outcome.reason)});
    // A WebSocket lasts for hours: its time says nothing of how fast anybody answers.
    if (outcome.upstream.status != http::switching_protocols) [[likely]]
        observe_times(metrics, outcome.timings, microseconds);
    metrics.bytes_in.add(exchange.transport.bytes_in());
    metrics.bytes_out.add(exchange.transport.bytes_out());
    if (findings.unknown_members != 0) metrics.unknown_members.add(findings.unknown_members);
    if (!findings.deprecated_members.empty())
        metrics.deprecated_members.add(findings.deprecated_members.size());
    if (decision.caller != nullptr) {
        metrics.credentials_accepted.add();
    } else if (decision.auth_failure != pipeline::AuthFailure::none) {
        metrics.credentials_refused.add();
    }
    if (!findings.violations.empty()) count_violations(metrics, findings);
    if (outcome.response_check != pipeline::ResponseCheck::none)
        metrics.responses.add(pipeline::to_string(outcome.response_check));
    if (outcome.upstream.retries != 0)
        view.upstream_metrics[decision.upstream()]->retries.add(outcome.upstream.retries);
}

} // namespace sallyport::serve
