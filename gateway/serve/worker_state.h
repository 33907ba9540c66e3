// The state that a worker's connections share: its loop, its view of the snapshot, its services and
// its log ring.
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
#include "gateway/serve/exchange_places.h"
#include "gateway/serve/exchange_pool.h"
#include "gateway/serve/lingering.h"
#include "gateway/serve/waiting_connections.h"
#include "gateway/upstream/pool.h"
#include "gateway/upstream/tunnels.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::serve {

class Connection;

/// One worker's own wrapper of a snapshot: plugin instances and upstream pools. The reference
/// count belongs to this worker, so that no two threads write one cache line for each
/// request.
struct WorkerSnapshot {
    std::shared_ptr<lifecycle::Snapshot const> snapshot;
    std::vector<std::unique_ptr<pipeline::Pipeline>> pipelines; // by Api::index
    std::vector<std::shared_ptr<upstream::Pool>> pools;         // by index in the configuration
    std::vector<observe::UpstreamMetrics*> upstream_metrics;    // the same
    observe::OperationIndex mutable operation_metrics;          // filled as operations are called
};

/// Used on the worker's thread only, except `open_connections`.
struct WorkerState {
    WorkerState(std::uint32_t its_number, net::Budget& buffered_bodies,
                ExchangeLimits& shared_exchange_limits, contract::ValidatorLimits validator_limits,
                observe::LogRing& its_ring, observe::ControlLog& shared_control_log)
        : number{its_number}, services{loop, buffered_bodies, validator_limits},
          exchange_limits{shared_exchange_limits}, ring{its_ring}, control_log{shared_control_log} {
    }

    std::uint32_t number;
    net::Loop loop;
    pipeline::Services services;
    observe::WorkerMetrics metrics; // declared before the members that use it until their end
    std::shared_ptr<WorkerSnapshot const> current;
    ExchangePool exchanges;
    ExchangeLimits& exchange_limits;
    observe::LogRing& ring;
    observe::LineBuffer line;
    std::string logged_body; // of the exchange that is being logged
    observe::ControlLog& control_log;
    /// Clients whose handshakes fail can cause ten lines a second, and not fill a disk.
    observe::RateCap handshake_lines{50, std::chrono::milliseconds{100}};
    /// The same for notes on exchanges, which are written to the control log.
    observe::RateCap notes{50, std::chrono::milliseconds{100}};

    std::atomic<std::uint32_t> open_connections{0}; // read by the acceptor, which selects the
                                                    // fewest
    LingeringConnections lingering;
    upstream::Tunnels tunnels{loop, metrics.tunnels};
    Connection* connections = nullptr; // all of them, for draining
    WaitingConnections waiting;        // for a handshake's end, or a request
    bool draining = false;
};

} // namespace sallyport::serve
