// One line of the access log for each exchange, whatever became of it.
#pragma once

#include "gateway/pipeline/exchange.h"
#include "gateway/serve/worker_state.h"

namespace sallyport::serve {

/// When the exchange ends; the views of its head are still good.
void log_exchange(WorkerState& worker, WorkerSnapshot const& view,
                  pipeline::Exchange& exchange) noexcept;

/// A connection that never became a request: a line without a method, of which strangers cannot
/// cause many.
void log_failed_handshake(WorkerState& worker, pipeline::ClientConnection const& client) noexcept;

} // namespace sallyport::serve
