// Sends the client the refusal of its request.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

#include <memory>

namespace sallyport::serve {

/// Sends the problem of a denial, if the client is still connected, and ends the
/// exchange.
net::Task<http::KeepAlive> send_refusal(pipeline::Exchange& exchange,
                                        std::unique_ptr<pipeline::Denial> denial);

} // namespace sallyport::serve
