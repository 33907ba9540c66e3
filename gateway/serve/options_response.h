// Answers an OPTIONS that may be forwarded no further.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

namespace sallyport::serve {

/// RFC 9110, 7.6.2: whether the gateway is the last that this request may reach.
[[nodiscard]] bool ends_here(pipeline::Exchange const& exchange) noexcept;

/// RFC 9110, 9.3.7: the response of a last recipient: which methods the path has, and no content.
/// For requests that every check let through: it says as much as an upstream's would.
net::Task<http::KeepAlive> options_response(pipeline::Exchange& exchange);

} // namespace sallyport::serve
