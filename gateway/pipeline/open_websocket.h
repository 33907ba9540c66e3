// Requests that open a WebSocket: of operations that the contract marks with x-upgrade, and of APIs
// without a contract whose configuration says `upgrade`.
#pragma once

#include "gateway/pipeline/denial.h"

#include <memory>

namespace sallyport::pipeline {

struct Api;
struct Decision;
struct Request;

/// Takes a token that came as a subprotocol, which counts as an Authorization field, if the API
/// looks for one there and the request asks for a WebSocket. Sets
/// Request::subprotocol_authorization, once. Null: it is well-formed, or there is none.
std::unique_ptr<Denial> take_subprotocol_token(Api const& api, Request& request);

/// Whether the operation that was found opens WebSockets.
[[nodiscard]] bool opens_websockets(Decision const& decision);

/// Judges the handshake of a request whose operation opens WebSockets (RFC 6455, 4.2.1), and the
/// origin of the web page that sends it (10.2). Sets Decision::websocket. Null: it is valid, or it
/// is a request like any other, whose Upgrade, if it has one, is not passed on.
std::unique_ptr<Denial> judge_websocket(Request const& request, Decision& decision);

} // namespace sallyport::pipeline
