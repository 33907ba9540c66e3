// Reads a request body, or its beginning, within its limit and the budget that all workers share.
#pragma once

#include "gateway/pipeline/exchange.h"

#include <memory>

namespace sallyport::serve {

/// Sets exchange.request.body: if it fits behind the head, to the received bytes themselves;
/// otherwise to a copy in storage that grows as they arrive. Removes an accepted content coding.
/// Null: the body is complete, or the beginning of a streamed one has arrived, so that no
/// connection to an upstream waits for it; a body that fits into a part is complete.
net::Task<std::unique_ptr<pipeline::Denial>> read_request_body(pipeline::Exchange& exchange);

} // namespace sallyport::serve
