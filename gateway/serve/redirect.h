// Redirects the requests of a listener that only leads to https.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/exchange.h"

#include <cstdint>
#include <string>

namespace sallyport::serve {

/// Where a valid request is redirected: the URL that it asks for, with https and this port; empty:
/// its Host is no name or address that a server can have.
[[nodiscard]] std::string location_of(std::string_view host, http::Target const& target,
                                      std::uint16_t port);

/// Responds with 308 (RFC 9110, 15.4.9: the client repeats its method and body there, so that a
/// POST does not become a GET), or refuses the request. Its body is not read.
net::Task<http::KeepAlive> redirect(pipeline::Exchange& exchange, std::uint16_t port);

} // namespace sallyport::serve
