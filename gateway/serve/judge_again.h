// Whether a request that was permitted still would be: of exchanges that outlast a reload.
#pragma once

#include "gateway/pipeline/exchange.h"
#include "gateway/serve/worker_state.h"

namespace sallyport::serve {

/// By the snapshot that the worker has now. The exchange is that of an open WebSocket.
[[nodiscard]] pipeline::JudgedAgain judge_again(WorkerState const& worker,
                                                pipeline::Exchange& exchange);

} // namespace sallyport::serve
