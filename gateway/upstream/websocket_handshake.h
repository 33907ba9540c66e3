// The handshake with the upstream of a request that opens a WebSocket (RFC 6455, 4; RFC 8441, 5).
#pragma once

#include "gateway/http/changed_fields.h"
#include "gateway/http/head.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/websocket/frame.h"
#include "gateway/websocket/key.h"

#include <optional>
#include <string_view>

namespace sallyport::upstream {

/// Of an exchange that has Decision::websocket, and that outlives this.
class WebsocketHandshake {
public:
    explicit WebsocketHandshake(pipeline::Exchange const& exchange) noexcept;

    /// A handshake in HTTP/2 has no key, and needs one in HTTP/1.1. False: there are no random
    /// bytes.
    [[nodiscard]] bool make_key() noexcept;
    /// What the upstream gets in place of the client's key. Empty: it gets the client's.
    [[nodiscard]] std::string_view own_key() const noexcept;

    /// Judges the head of the upstream's final response. Empty: it opens the WebSocket (101), or is
    /// a response without one, which the client may get; else the rule that it breaks, a literal.
    [[nodiscard]] std::string_view judge(http::ResponseHead const& response) noexcept;
    /// Those that frames may set, as the accepted response says.
    [[nodiscard]] websocket::ReservedBits reserved_bits() const noexcept { return reserved_bits_; }

    /// For a 101: leaves in `kept`, the lines that the client gets, those of its own version.
    /// Returns the status that it gets.
    [[nodiscard]] unsigned prepare_for_client(http::LineRuns& kept) const;

private:
    websocket::Offer const& offer_;
    bool is_http2_; // the client
    std::optional<websocket::Key> own_key_;
    websocket::ReservedBits reserved_bits_;
};

} // namespace sallyport::upstream
