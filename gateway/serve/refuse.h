// Tells the client that its request does not pass, and why.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

#include <memory>

namespace sallyport::serve {

/// Sends the problem of a denial, where there is still somebody to send it to, and ends the
/// exchange.
net::Task<http::KeepAlive> send_refusal(pipeline::Exchange& exchange,
                                        std::unique_ptr<pipeline::Denial> denial);

} // namespace sallyport::serve
