// The path of a request, top to bottom, one line a step.
#pragma once

#include "gateway/http/framing.h"
#include "gateway/net/executor.h"
#include "gateway/serve/connection.h"

namespace sallyport::serve {

/// TLS handshake, then request after request, then the orderly end. Throws nothing. `connection`
/// must outlive the task.
net::Task<> serve_connection(Connection& connection);

} // namespace sallyport::serve
