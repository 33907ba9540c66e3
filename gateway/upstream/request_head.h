// The head of the request that an upstream receives: the client's forwarded fields, and the
// gateway's own.
#pragma once

#include "gateway/http/client_exchange.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/upstream/settings.h"

#include <string_view>

namespace sallyport::upstream {

/// Sends the head, built from parsed parts and never from the received text, together with `body`,
/// which must stay valid until the task ends. `host`: the value of the Host field. `renewed`: that
/// of Settings::renewed, for an upstream that has one. `websocket_key`: in place of the client's,
/// for a handshake of HTTP/2, which has none.
net::Task<net::Error> send_request_head(http::ClientExchange& upstream,
                                        pipeline::Exchange const& exchange,
                                        Settings const& settings, config::Secret const* renewed,
                                        std::string_view host, std::string_view body,
                                        std::string_view websocket_key = {});

} // namespace sallyport::upstream
