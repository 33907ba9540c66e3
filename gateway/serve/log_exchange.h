// One line of the access log for each exchange, whatever became of it.
#pragma once

#include "gateway/pipeline/exchange.h"
#include "gateway/serve/worker_state.h"

#include <cstdint>
#include <string_view>

namespace sallyport::serve {

/// Whether room was kept for the line of an exchange, by LogRing::reserve().
enum class PlaceInLog : std::uint8_t { any, reserved };

/// When the exchange has ended; the views of its head are still good. A line whose place is reserved is
/// written whatever waits, if need be as a short one.
void log_exchange(WorkerState& worker, WorkerSnapshot const& view, pipeline::Exchange& exchange,
                  pipeline::Clock::time_point ended, PlaceInLog place) noexcept;

/// A connection that never became a request: a line without a method, of which strangers cannot
/// cause many.
void log_failed_handshake(WorkerState& worker, pipeline::ClientConnection const& client) noexcept;
/// What the access log has no field for.
void note_failed_handshake(WorkerState& worker, pipeline::ClientConnection const& client,
                           std::string_view note) noexcept;
/// The same for one beyond a limit, for which no other gave way.
void log_refused_connection(WorkerState& worker, net::Peer const& peer) noexcept;

} // namespace sallyport::serve
