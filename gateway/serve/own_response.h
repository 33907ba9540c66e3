// Sends the responses without content that the gateway makes itself.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

namespace sallyport::serve {

/// Sends the head, whose status becomes that of the outcome, and ends the exchange. `head` is valid
/// until then.
[[nodiscard]] net::Task<http::KeepAlive> send_own_response(pipeline::Exchange& exchange,
                                                           http::OutgoingHead const& head);

} // namespace sallyport::serve
