// Which WebSockets an API opens beside those that its contract marks, and for whom.
#pragma once

#include "config/cors.h"
#include "config/types.h"

#include <chrono>
#include <string>
#include <vector>

namespace sallyport::config {

/// `websocket` of an API.
struct WebSocket {
    /// Of web pages that may open one, beside those of x-upgrade; neither "*" nor "null".
    std::vector<AllowedOrigin> origins;
    /// The longest silence, where the operation has no time of its own.
    Duration idle = std::chrono::minutes{5};
    /// What stands in front of a token among the subprotocols; empty: tokens are not looked for
    /// there.
    std::string token_prefix;
    Origin origin;
};

} // namespace sallyport::config
