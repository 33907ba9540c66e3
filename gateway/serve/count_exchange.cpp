// What an exchange adds to the metrics of its worker.
#include "gateway/serve/count_exchange.h"

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

/// Those of the answer are the last ones.
MessagePart part_of(std::size_t index, std::size_t size, std::size_t of_response) {
    return index < size - of_response ? MessagePart::request : MessagePart::response;
}

/// Each one that was found, whether it was kept for the log or not.
void count_violations(observe::OperationMetrics& metrics, pipeline::Outcome const& outcome) {
    auto const& kept = outcome.violations;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        auto const part = part_of(i, kept.size(), outcome.response_violations);
        metrics.violations.add(seen(part, kept[i].level, kept[i].rule));
    }
    auto const& not_kept = outcome.not_kept;
    for (std::size_t i = 0; i < not_kept.size(); ++i) {
        auto const part = part_of(i, not_kept.size(), outcome.response_not_kept);
        metrics.violations.add(seen(part, not_kept[i].level, not_kept[i].rule), not_kept[i].count);
    }
}

} // namespace

observe::ViolationLevel named(contract::Level level) noexcept {
    return level == contract::Level::report ? observe::ViolationLevel::report
                                            : observe::ViolationLevel::enforce;
}

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
    if (outcome.response_check != pipeline::ResponseCheck::none)
        metrics.responses.add(pipeline::word(outcome.response_check));
    if (exchange.upstream.retries != 0)
        view.upstream_metrics[exchange.api->upstream]->retries.add(exchange.upstream.retries);
}

} // namespace sallyport::serve
