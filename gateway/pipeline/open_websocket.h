// Requests that open a WebSocket: of operations that the contract marks with x-upgrade.
#pragma once

#include "gateway/pipeline/denial.h"

#include <memory>

namespace sallyport::pipeline {

struct Decision;
struct Request;

/// Judges the handshake of a request whose operation opens WebSockets (RFC 6455, 4.2.1), and the
/// origin of the web page that sends it (10.2). Sets Decision::websocket. Null: it is valid, or it
/// is a request like any other, whose Upgrade, if it has one, is not passed on.
std::unique_ptr<Denial> judge_websocket(Request const& request, Decision& decision);

} // namespace sallyport::pipeline
