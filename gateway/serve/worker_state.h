// What a worker's connections share: its loop, its view of the snapshot, its services and its log
// ring.
#pragma once

#include "gateway/lifecycle/snapshot.h"
#include "gateway/net/loop.h"
#include "gateway/observe/access_line.h"
#include "gateway/observe/control_log.h"
#include "gateway/observe/log_ring.h"
#include "gateway/observe/metrics.h"
#include "gateway/observe/rate_cap.h"
#include "gateway/pipeline/pipeline.h"
#include "gateway/pipeline/services.h"
#include "gateway/serve/exchange_pool.h"
#include "gateway/serve/lingering.h"
#include "gateway/serve/waiting_connections.h"
#include "gateway/upstream/pool.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::serve {

class Connection;

/// One worker's wrapping of a snapshot: plugin instances and upstream pools of its own. The
/// reference count is this worker's alone, so that no two threads write one cache line for each
/// request.
struct WorkerSnapshot {
    std::shared_ptr<lifecycle::Snapshot const> snapshot;
    std::vector<std::unique_ptr<pipeline::Pipeline>> pipelines; // by Api::index
    std::vector<std::shared_ptr<upstream::Pool>> pools;         // by position in the configuration
    std::vector<observe::UpstreamMetrics*> upstream_metrics;    // the same
    observe::OperationIndex mutable operation_metrics;          // filled as operations are called
};

/// Used on the worker's thread only, but for `open_connections`.
struct WorkerState {
    WorkerState(std::uint32_t its_number, net::Budget& buffered_bodies,
                contract::ValidatorLimits validator_limits, observe::LogRing& its_ring,
                observe::ControlLog& shared_control_log)
        : number{its_number}, services{loop, buffered_bodies, validator_limits}, ring{its_ring},
          control_log{shared_control_log} {}

    std::uint32_t number;
    net::Loop loop;
    pipeline::Services services;
    observe::WorkerMetrics metrics; // before what counts in it to the end
    std::shared_ptr<WorkerSnapshot const> current;
    ExchangePool exchanges;
    observe::LogRing& ring;
    observe::LineBuffer line;
    std::string logged_body; // of the exchange that is being logged
    observe::ControlLog& control_log;
    /// Strangers who fail their handshakes can cause ten lines a second, not a full disk.
    observe::RateCap handshake_lines{50, std::chrono::milliseconds{100}};
    /// The same for the notes on exchanges, which go to the gateway's own log.
    observe::RateCap notes{50, std::chrono::milliseconds{100}};

    std::atomic<std::uint32_t> open_connections{0}; // the acceptor looks for the fewest
    LingeringConnections lingering;
    Connection* connections = nullptr; // all of them, for draining
    WaitingConnections waiting;        // for a handshake's end, or a request
    bool draining = false;
};

} // namespace sallyport::serve
