// Reads a request body, or its beginning, within its limit and the budget that all workers share.
#pragma once

#include "gateway/pipeline/exchange.h"

#include <memory>

namespace sallyport::serve {

/// Sets exchange.request.body: where it fits behind the head, the very bytes that were read; else a
/// copy in storage that grows as they arrive. An accepted content coding is removed on the way.
/// Null: the body is whole, or of one that streams the beginning is there, so that no connection to
/// an upstream waits for it: of one that fits into a part all of it.
net::Task<std::unique_ptr<pipeline::Denial>> read_request_body(pipeline::Exchange& exchange);

} // namespace sallyport::serve
