// Responds to the preflights of browsers, of APIs with `cors`.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

namespace sallyport::serve {

/// Whether the request, whose API was found, is one that the gateway itself responds to (Fetch
/// standard, "CORS-preflight request").
[[nodiscard]] bool is_preflight(pipeline::Exchange const& exchange) noexcept;

/// Tells the browser which methods and fields a request to this path may have, before any
/// authentication: a preflight never has credentials. Refused: a foreign origin, which learns
/// nothing else, and a path that the contract does not have.
net::Task<http::KeepAlive> respond_to_preflight(pipeline::Exchange& exchange);

} // namespace sallyport::serve
