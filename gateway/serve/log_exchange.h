// One line of the access log for each exchange, whatever its outcome.
#pragma once

#include "gateway/http2/http2.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/serve/worker_state.h"

#include <cstdint>
#include <string_view>

namespace sallyport::serve {

/// Whether space was reserved for the line of an exchange, by LogRing::reserve().
enum class PlaceInLog : std::uint8_t { any, reserved };

/// Called when the exchange has ended and the views of its head are still valid. A line with
/// reserved space is always written, in its short form if necessary.
void log_exchange(WorkerState& worker, WorkerSnapshot const& view, pipeline::Exchange& exchange,
                  pipeline::Clock::time_point ended, PlaceInLog place) noexcept;

/// For a connection that never sent a request: a line without a method, limited in rate, because
/// clients can cause many.
void log_failed_handshake(WorkerState& worker, pipeline::ClientConnection const& client,
                          net::Error const& error) noexcept;
/// A note in the control log with details for which the access log has no field.
void note_failed_handshake(WorkerState& worker, pipeline::ClientConnection const& client,
                           std::string_view note) noexcept;
/// The same for a connection beyond a limit that replaced no idle one, or of an address that may
/// not come.
void log_refused_connection(WorkerState& worker, net::Peer const& peer,
                            pipeline::Reason reason) noexcept;
/// The same for a connection of HTTP/2 that its client has made end; nothing for one that ended in
/// order. Counts the code of its GOAWAY.
void log_end_of_http2(WorkerState& worker, pipeline::ClientConnection const& client,
                      http2::ConnectionEnd const& end) noexcept;
/// The same for a connection of `peer` without a PROXY header; `problem`: what is wrong with it.
void log_bad_proxy_header(WorkerState& worker, net::Peer const& peer,
                          std::string_view problem) noexcept;

} // namespace sallyport::serve
