// Responds to an OPTIONS that must not be forwarded further.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

namespace sallyport::serve {

/// RFC 9110, 7.6.2: whether the gateway is the last recipient of this request.
[[nodiscard]] bool ends_here(pipeline::Exchange const& exchange) noexcept;

/// RFC 9110, 9.3.7: the response of the last recipient: the methods of the path, without content.
/// For requests that passed every check: it discloses no more than an upstream's response would.
net::Task<http::KeepAlive> options_response(pipeline::Exchange& exchange);

} // namespace sallyport::serve
