// The handshake of WebSocket: which requests open one, and which responses agree to it.
#pragma once

#include "gateway/http/head.h"
#include "gateway/http/refusal.h"
#include "gateway/websocket/frame.h"
#include "gateway/websocket/token_list.h"

#include <string_view>

namespace sallyport::websocket {

/// The only version (RFC 6455, 4.1). A response to a request with another one should name it in
/// Sec-WebSocket-Version (RFC 6455, 4.4).
inline constexpr std::string_view supported_version = "13";

/// What a client offers: views into its head.
struct Offer {
    std::string_view key; // empty in HTTP/2
    TokenList subprotocols;
    TokenList extensions;
};

/// Whether a request asks for WebSocket in HTTP/1.1: `Upgrade` names it. Anything else that the
/// field names may be ignored (RFC 9110, 7.8), and in HTTP/1.0 all of it has to be.
[[nodiscard]] bool asks_for_websocket(http::RequestHead const& head) noexcept;

/// Judges a request that opens a WebSocket in HTTP/1.1 (RFC 6455, 4.2.1). Null: `offer` is what it
/// offers.
[[nodiscard]] http::Refused judge_request(http::RequestHead const& head, Offer& offer) noexcept;

/// The same in HTTP/2 (RFC 8441, 4 and 5): `protocol` is the value of `:protocol`. The method, and
/// fields that HTTP/2 does not have, are judged where its heads are read. A key means nothing
/// there: the request to the upstream needs one of its own.
[[nodiscard]] http::Refused judge_extended_connect(std::string_view protocol,
                                                   http::FieldTable const& fields,
                                                   Offer& offer) noexcept;

/// What an upstream has selected: views into its head.
struct Selection {
    std::string_view subprotocol; // empty: none
    TokenList extensions;
    ReservedBits reserved;
};

/// Judges the head of a response with status 101 (RFC 6455, 4.1, the list behind "Once the client's
/// opening handshake has been sent"). `accept`: what follows from the key that the upstream was
/// sent; `offer`: what it was offered, without a credential. Null: the connection is a WebSocket
/// from the next byte on.
[[nodiscard]] http::Refused judge_switch(http::ResponseHead const& head, std::string_view accept,
                                         Offer const& offer, Selection& selection) noexcept;

} // namespace sallyport::websocket
