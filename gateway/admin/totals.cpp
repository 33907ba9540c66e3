// The numbers of all workers, added up.
#include "gateway/admin/totals.h"

#include <numeric>

namespace sallyport::admin {

void DurationTotals::add(observe::DurationHistogram const& histogram) noexcept {
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] += histogram.count(i);
    sum_of_microseconds += histogram.sum_of_microseconds();
}

std::uint64_t DurationTotals::count() const noexcept {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void OperationTotals::add(observe::OperationMetrics const& metrics) {
    metrics.requests.for_each([this](observe::RequestOutcome const& outcome, std::uint64_t count) {
        requests[{outcome.status, outcome.reason}] += count;
    });
    other_requests += metrics.requests.others();
    metrics.violations.for_each([this](observe::ViolationKey const& key, std::uint64_t count) {
        violations[{key.part, key.level, key.rule}] += count;
    });
    other_violations += metrics.violations.others();
    metrics.responses.for_each(
        [this](std::string_view cause, std::uint64_t count) { responses[cause] += count; });
    total.add(metrics.total);
    ours.add(metrics.ours);
    at_upstream.add(metrics.at_upstream);
    bytes_in += metrics.bytes_in.value();
    bytes_out += metrics.bytes_out.value();
    unknown_members += metrics.unknown_members.value();
    deprecated_members += metrics.deprecated_members.value();
    credentials_accepted += metrics.credentials_accepted.value();
    credentials_refused += metrics.credentials_refused.value();
}

void EndpointTotals::add(observe::EndpointMetrics const& metrics) noexcept {
    connections_opened += metrics.connections_opened.value();
    connections_reused += metrics.connections_reused.value();
    connect_failures += metrics.connect_failures.value();
    connections += metrics.connections.value();
}

void UpstreamTotals::add(observe::UpstreamMetrics const& metrics) {
    metrics.endpoints().for_each([this](observe::EndpointMetrics const& endpoint) {
        endpoints[endpoint.endpoint].add(endpoint);
        of_endpoints.add(endpoint);
    });
    retries += metrics.retries.value();
    share_waits += metrics.share_waits.value();
    share_refusals += metrics.share_refusals.value();
    connections += metrics.connections.value();
    connections_idle += metrics.connections_idle.value();
    exchanges_waiting += metrics.exchanges_waiting.value();
}

Totals add_up(std::span<observe::WorkerMetrics const* const> workers) {
    Totals totals;
    for (auto const* const worker : workers) {
        worker->operations().for_each([&](observe::OperationMetrics const& metrics) {
            totals.operations[{metrics.api, metrics.operation}].add(metrics);
        });
        worker->upstreams().for_each([&](observe::UpstreamMetrics const& metrics) {
            totals.upstreams[metrics.upstream].add(metrics);
        });
        totals.connections_accepted += worker->connections_accepted.value();
        totals.proxy_headers_failed += worker->proxy_headers_failed.value();
        totals.handshakes_completed += worker->handshakes_completed.value();
        totals.handshakes_resumed += worker->handshakes_resumed.value();
        totals.handshakes_failed += worker->handshakes_failed.value();
        totals.handshakes_gave_way += worker->handshakes_gave_way.value();
        totals.idle_gave_way += worker->idle_gave_way.value();
        totals.lines_suppressed += worker->lines_suppressed.value();
        for (std::size_t i = 0; i < totals.requests_by_protocol.size(); ++i)
            totals.requests_by_protocol[i] += worker->requests_by_protocol[i].value();
        totals.http2_connections += worker->http2_connections.value();
        totals.http2_streams += worker->http2_streams.value();
        totals.tunnels += worker->tunnels.value();
        worker->http2_points.for_each([&totals](std::string_view kind, std::uint64_t points) {
            totals.http2_points[kind] += points;
        });
        worker->http2_ended.for_each([&totals](std::string_view code, std::uint64_t count) {
            totals.http2_ended[code] += count;
        });
        worker->http2_refused.for_each([&totals](std::string_view limit, std::uint64_t count) {
            totals.http2_refused[limit] += count;
        });
    }
    return totals;
}

} // namespace sallyport::admin
