// Whether a request that was permitted still would be: of exchanges that last, which a WebSocket is.
#pragma once

#include "gateway/lifecycle/snapshot.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/serve/worker_state.h"

namespace sallyport::serve {

/// What its handshake would come to now, by the snapshot that the worker has, at `listener` of that:
/// every question that a handshake is asked, over the kept head. Null: the listener is gone. The
/// exchange is that of an open WebSocket; both outlive the task.
[[nodiscard]] net::Task<pipeline::JudgedAgain> judge_again(WorkerState const& worker,
                                                           lifecycle::Listener const* listener,
                                                           pipeline::Exchange& exchange);

} // namespace sallyport::serve
