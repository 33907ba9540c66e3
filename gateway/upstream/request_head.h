// The head of the request that an upstream receives: its client's fields as far as they are
// forwarded, and the gateway's own.
#pragma once

#include "gateway/http/client_exchange.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/upstream/settings.h"

#include <string_view>

namespace sallyport::upstream {

/// Sends it, built from parsed parts and never from the text that came, and `body` with it, which
/// stays until the task ends. `host`: what the Host field says.
net::Task<net::Error> send_request_head(http::ClientExchange& upstream,
                                        pipeline::Exchange const& exchange,
                                        Settings const& settings, std::string_view host,
                                        std::string_view body);

} // namespace sallyport::upstream
