// Every rule of the handshake of WebSocket, by name.
#pragma once

#include "gateway/http/rules.h"

namespace sallyport::websocket::rules {

using http::Rule;
using Kind = http::RefusalKind;

/// What asks for the change of protocols, and what agrees to it.
inline constexpr Rule method_not_get{Kind::bad_request, "method_not_get",
                                     "A WebSocket is opened with GET"};
inline constexpr Rule upgrade_in_http_1_0{Kind::bad_request, "upgrade_in_http_1_0",
                                          "A WebSocket needs HTTP/1.1 at least"};
inline constexpr Rule upgrade_with_body{Kind::bad_request, "upgrade_with_body",
                                        "The request that opens a WebSocket has a body"};
inline constexpr Rule upgrade_not_websocket{Kind::bad_request, "upgrade_not_websocket",
                                            "The Upgrade field does not name websocket"};
inline constexpr Rule connection_without_upgrade{Kind::bad_request, "connection_without_upgrade",
                                                 "The Connection field does not name upgrade"};
inline constexpr Rule protocol_not_websocket{Kind::bad_request, "protocol_not_websocket",
                                             "The pseudo-header field :protocol is not websocket"};

/// Version and key.
inline constexpr Rule websocket_version{Kind::bad_request, "websocket_version",
                                        "Sec-WebSocket-Version has to be 13, once"};
inline constexpr Rule missing_websocket_key{Kind::bad_request, "missing_websocket_key",
                                            "The Sec-WebSocket-Key field is missing"};
inline constexpr Rule repeated_websocket_key{Kind::bad_request, "repeated_websocket_key",
                                             "The Sec-WebSocket-Key field is repeated"};
inline constexpr Rule malformed_websocket_key{Kind::bad_request, "malformed_websocket_key",
                                              "Sec-WebSocket-Key is not 16 bytes in base64"};
inline constexpr Rule missing_websocket_accept{Kind::bad_request, "missing_websocket_accept",
                                               "The Sec-WebSocket-Accept field is missing"};
inline constexpr Rule repeated_websocket_accept{Kind::bad_request, "repeated_websocket_accept",
                                                "The Sec-WebSocket-Accept field is repeated"};
inline constexpr Rule wrong_websocket_accept{Kind::bad_request, "wrong_websocket_accept",
                                             "Sec-WebSocket-Accept does not follow from the key"};

/// What is offered and selected.
inline constexpr Rule malformed_subprotocols{Kind::bad_request, "malformed_subprotocols",
                                             "Sec-WebSocket-Protocol is not a list of tokens"};
inline constexpr Rule repeated_subprotocol{Kind::bad_request, "repeated_subprotocol",
                                           "Sec-WebSocket-Protocol names a protocol twice"};
inline constexpr Rule too_many_subprotocols{Kind::bad_request, "too_many_subprotocols",
                                            "Sec-WebSocket-Protocol names more than 32 protocols"};
inline constexpr Rule several_subprotocols_selected{
    Kind::bad_request, "several_subprotocols_selected",
    "Sec-WebSocket-Protocol selects more than one protocol"};
inline constexpr Rule subprotocol_not_offered{Kind::bad_request, "subprotocol_not_offered",
                                              "A subprotocol was selected that was not offered"};
inline constexpr Rule malformed_extensions{Kind::bad_request, "malformed_extensions",
                                           "Sec-WebSocket-Extensions is malformed"};
inline constexpr Rule too_many_extensions{Kind::bad_request, "too_many_extensions",
                                          "Sec-WebSocket-Extensions has more than 32 elements"};
inline constexpr Rule extension_not_offered{Kind::bad_request, "extension_not_offered",
                                            "An extension was selected that was not offered"};

/// A credential among the subprotocols.
inline constexpr Rule repeated_credential{Kind::bad_request, "repeated_credential",
                                          "Sec-WebSocket-Protocol has more than one credential"};
inline constexpr Rule malformed_credential{
    Kind::bad_request, "malformed_credential",
    "The credential in Sec-WebSocket-Protocol is not a token in base64url"};
inline constexpr Rule credential_alone{
    Kind::bad_request, "credential_alone",
    "Sec-WebSocket-Protocol has a credential, and no protocol that a response could select"};

} // namespace sallyport::websocket::rules
