// The content of all admin pages, as plain values: gathered for each request.
#pragma once

#include "gateway/fetch/failure.h"
#include "gateway/lifecycle/reload.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/observe/log_writer.h"
#include "gateway/observe/metrics.h"
#include "gateway/pipeline/password_checks.h"
#include "gateway/upstream/endpoint_states.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::admin {

/// The phase of the gateway between its start and its end.
enum class State : std::uint8_t {
    starting,
    ready,
    leaving, // still accepts connections, but is not ready: `drain_delay`
    draining,
};

[[nodiscard]] constexpr std::string_view to_string(State state) noexcept {
    switch (state) {
    case State::starting: return "starting";
    case State::ready: return "ready";
    case State::leaving: return "leaving";
    case State::draining: break;
    }
    return "draining";
}

struct OpenListener {
    std::string name;
    std::string address; // with the bound port
};

/// The state of the gateway at one moment. The pointers are valid until the next turn of the
/// control loop.
struct Facts {
    State state = State::starting;
    std::chrono::system_clock::time_point now;
    std::chrono::system_clock::time_point started;
    std::string config_path;
    std::string log_output;
    std::shared_ptr<lifecycle::Snapshot const> snapshot;
    lifecycle::ReloadStatus const* reload = nullptr;
    std::vector<OpenListener> listeners;
    /// By upstream of the snapshot, then by endpoint.
    std::vector<std::vector<upstream::EndpointReport>> endpoints;
    std::vector<observe::WorkerMetrics const*> workers;
    std::uint64_t connections_open = 0;
    std::uint64_t connections_refused = 0; // beyond a limit
    std::uint64_t connections_denied = 0;  // by address
    std::uint64_t blocks_by_address = 0;   // for wrong credentials
    std::uint64_t blocks_by_id = 0;        // the same, of a key id
    std::size_t buffered_bytes = 0;
    std::size_t buffered_bytes_limit = 0;
    pipeline::PasswordChecks::Numbers passwords;
    observe::LogStatistics access_log;
    std::uint64_t control_lines_lost = 0;
    std::uint64_t clock_jumps = 0;
    /// Requests of the gateway's own, by fetch::Cause.
    std::array<std::uint64_t, fetch::cause_words.size()> fetches{};
    std::string key_set; // of assertions: JSON (RFC 7517)
};

} // namespace sallyport::admin
