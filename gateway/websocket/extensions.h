// The extensions of a handshake (RFC 6455, 9.1), and the bits of frames that they may set.
#pragma once

#include "gateway/http/head.h"
#include "gateway/http/refusal.h"
#include "gateway/websocket/frame.h"
#include "gateway/websocket/token_list.h"

namespace sallyport::websocket {

/// Reads the names of all lines of Sec-WebSocket-Extensions; a name that is offered with several
/// sets of parameters is there once. Parameters are checked for their form alone. Refused: what is
/// not of the grammar of RFC 6455, 9.1, and more than TokenList::capacity elements.
[[nodiscard]] http::Refused read_extensions(http::FieldTable const& fields, http::Sender sender,
                                            TokenList& names) noexcept;

/// The bits that the frames of a connection with these extensions may set: none without any; RSV1
/// of a message's first frame with permessage-deflate (RFC 7692, 6); every bit with another one,
/// whose rules are not known here.
[[nodiscard]] ReservedBits reserved_bits(TokenList const& negotiated) noexcept;

} // namespace sallyport::websocket
