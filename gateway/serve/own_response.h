// Sends the responses without content that the gateway makes itself, and ends the exchange behind
// any.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

namespace sallyport::serve {

/// Transport::finish_exchange() behind a response of any kind: what it waits for is not counted as
/// time of the exchange.
[[nodiscard]] net::Task<http::KeepAlive> finish_exchange(pipeline::Exchange& exchange);

/// Sends the head, whose status becomes that of the outcome, and ends the exchange. `head` is valid
/// until then.
[[nodiscard]] net::Task<http::KeepAlive> send_own_response(pipeline::Exchange& exchange,
                                                           http::OutgoingHead const& head);

} // namespace sallyport::serve
