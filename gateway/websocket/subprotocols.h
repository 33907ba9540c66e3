// The subprotocols of a handshake (RFC 6455, 1.9), and a credential among them.
#pragma once

#include "config/types.h"
#include "gateway/http/head.h"
#include "gateway/http/refusal.h"
#include "gateway/websocket/token_list.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::websocket {

/// Reads all lines of Sec-WebSocket-Protocol: at most TokenList::capacity tokens, all different
/// (RFC 6455, 4.1, item 10 of the client's requirements). Refused: any other content, also a field
/// without a token.
[[nodiscard]] http::Refused read_subprotocols(http::FieldTable const& fields, http::Sender sender,
                                              TokenList& subprotocols) noexcept;

/// Takes the credential out of what a client offers: the entry that begins with `prefix`, behind
/// which a bearer token stands in base64url without padding, as the API server of Kubernetes reads
/// it. What is left goes to the upstream, and one of that has to be selected: browsers end a
/// WebSocket whose response selects nothing, and a selected credential would be in its response.
/// `token` stays empty without such an entry.
///
/// Refused: several such entries; one that is not base64url, or not of a token of RFC 6750, 2.1;
/// one without another subprotocol beside it. The names of the refusals, not the entry, may be
/// logged.
[[nodiscard]] http::Refused take_credential(TokenList& subprotocols, std::string_view prefix,
                                            std::optional<config::Secret>& token);

/// The value of the field for these.
[[nodiscard]] std::string join_subprotocols(TokenList const& subprotocols);

} // namespace sallyport::websocket
