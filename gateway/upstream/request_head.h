// The head of the request that an upstream receives: the client's forwarded fields, and the
// gateway's own.
#pragma once

#include "gateway/http/client_exchange.h"
#include "gateway/http/trailers.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/upstream/settings.h"

#include <string_view>

namespace sallyport::upstream {

/// What a head says besides the client's fields and the settings of the upstream.
struct HeadParts {
    std::string_view host;                   // the value of the Host field
    config::Secret const* renewed = nullptr; // of Settings::renewed, for an upstream that has one
    /// In place of the client's, for a handshake of HTTP/2, which has none.
    std::string_view websocket_key = {};
    /// Those that are sent behind the body, which is then chunked; null: none.
    http::TrailerNames const* trailers = nullptr;
};

/// Sends the head, built from parsed parts and never from the received text, together with `body`,
/// which must stay valid until the task ends, and is empty if it is chunked.
net::Task<net::Error> send_request_head(http::ClientExchange& upstream,
                                        pipeline::Exchange const& exchange,
                                        Settings const& settings, HeadParts const& parts,
                                        std::string_view body);

} // namespace sallyport::upstream
