// What an exchange adds to the metrics of its worker.
#include "gateway/serve/count_exchange.h"

#include <algorithm>

namespace sallyport::serve {

namespace {

using pipeline::Exchange;
using pipeline::Reason;
using pipeline::Timings;

void count_violations(observe::OperationMetrics& metrics, pipeline::Outcome const& outcome) {
    auto const of_request = outcome.violations.size() - outcome.response_violations;
    for (std::size_t i = 0; i < outcome.violations.size(); ++i) {
        auto const& violation = outcome.violations[i];
        metrics.violations.add(observe::SeenViolation{
            i < of_request ? observe::MessagePart::request : observe::MessagePart::response,
            violation.level == contract::Level::report ? observe::ViolationLevel::report
                                                       : observe::ViolationLevel::enforce,
            violation.rule});
    }
}

} // namespace

void count_exchange(observe::OperationMetrics& metrics, WorkerSnapshot const& view,
                    Exchange const& exchange, std::int64_t microseconds) {
    auto const& outcome = exchange.outcome;
    metrics.requests.add(observe::RequestOutcome{static_cast<std::uint16_t>(outcome.status),
                                                 pipeline::word(outcome.reason)});
    metrics.total.observe(microseconds);
    auto const at_upstream = exchange.timings.upstream_total;
    metrics.ours.observe(microseconds - std::max<std::int64_t>(at_upstream, 0));
    if (at_upstream != Timings::unset) metrics.at_upstream.observe(at_upstream);
    metrics.bytes_in.add(exchange.transport.bytes_in());
    metrics.bytes_out.add(exchange.transport.bytes_out());
    if (outcome.unknown_members != 0) metrics.unknown_members.add(outcome.unknown_members);
    if (!outcome.deprecated_members.empty())
        metrics.deprecated_members.add(outcome.deprecated_members.size());
    if (exchange.credential != nullptr) {
        metrics.credentials_accepted.add();
    } else if (outcome.reason == Reason::unauthenticated) {
        metrics.credentials_refused.add();
    }
    if (!outcome.violations.empty()) count_violations(metrics, outcome);
    if (exchange.upstream.retries != 0)
        view.upstream_metrics[exchange.api->upstream]->retries.add(exchange.upstream.retries);
}

} // namespace sallyport::serve
