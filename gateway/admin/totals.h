// The numbers of all workers, added up by API, operation and upstream.
#pragma once

#include "gateway/observe/metrics.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace sallyport::admin {

struct DurationTotals {
    std::array<std::uint64_t, observe::DurationHistogram::buckets> counts{};
    std::uint64_t sum_of_microseconds = 0;

    void add(observe::DurationHistogram const& histogram) noexcept;
    [[nodiscard]] std::uint64_t count() const noexcept;
};

struct OperationTotals {
    using Outcome = std::pair<std::uint16_t, std::string_view>; // status, reason
    using Violation =
        std::tuple<observe::MessagePart, observe::ViolationLevel, std::string>; // ..., rule

    std::map<Outcome, std::uint64_t> requests;
    std::uint64_t other_requests = 0; // outcomes beyond the capacity of a worker's table
    std::map<Violation, std::uint64_t> violations;
    std::uint64_t other_violations = 0;
    std::map<std::string_view, std::uint64_t>
        responses; // by why they were not checked; empty: checked
    DurationTotals total;
    DurationTotals ours;
    DurationTotals at_upstream;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t unknown_members = 0;
    std::uint64_t deprecated_members = 0;
    std::uint64_t credentials_accepted = 0;
    std::uint64_t credentials_refused = 0;

    void add(observe::OperationMetrics const& metrics);
};

struct EndpointTotals {
    std::uint64_t connections_opened = 0;
    std::uint64_t connections_reused = 0;
    std::uint64_t connect_failures = 0;
    std::int64_t connections = 0;

    void add(observe::EndpointMetrics const& metrics) noexcept;
    /// Each used a connection: a new one, or an idle one.
    [[nodiscard]] std::uint64_t requests() const noexcept {
        return connections_opened + connections_reused;
    }
    /// Attempts to connect that have completed.
    [[nodiscard]] std::uint64_t attempts() const noexcept {
        return connections_opened + connect_failures;
    }
};

struct UpstreamTotals {
    EndpointTotals of_endpoints; // of all endpoints, including those of earlier configurations
    std::map<std::string_view, EndpointTotals> endpoints; // by their configured text
    std::uint64_t retries = 0;
    std::uint64_t share_waits = 0;
    std::uint64_t share_refusals = 0;
    std::int64_t connections = 0;
    std::int64_t connections_idle = 0;
    std::int64_t exchanges_waiting = 0;

    void add(observe::UpstreamMetrics const& metrics);
};

struct Totals {
    using Operation = std::pair<std::string_view, std::string_view>; // API, operation

    std::map<Operation, OperationTotals> operations; // views into the workers' metrics
    std::map<std::string_view, UpstreamTotals> upstreams;
    std::uint64_t connections_accepted = 0;
    std::uint64_t proxy_headers_failed = 0;
    std::uint64_t handshakes_completed = 0;
    std::uint64_t handshakes_resumed = 0;
    std::uint64_t handshakes_failed = 0;
    std::uint64_t handshakes_gave_way = 0;
    std::uint64_t idle_gave_way = 0;
    std::uint64_t lines_suppressed = 0;
    std::array<std::uint64_t, 3> requests_by_protocol{}; // as observe::WorkerMetrics has them
    std::uint64_t http2_connections = 0;
    std::int64_t http2_streams = 0;
    std::int64_t tunnels = 0;
    std::map<std::string_view, std::uint64_t> http2_points;
    std::map<std::string_view, std::uint64_t> http2_ended;
    // Each limit from the start, so that a rate finds the first refusal.
    std::map<std::string_view, std::uint64_t> http2_refused{
        {"streams", 0}, {"exchanges", 0}, {"exchanges_per_address", 0}};
};

/// Reads while the workers continue to count: related numbers may differ by a request.
[[nodiscard]] Totals add_up(std::span<observe::WorkerMetrics const* const> workers);

} // namespace sallyport::admin
