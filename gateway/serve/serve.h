// The path of a request, top to bottom, one line a step.
#pragma once

#include "gateway/http/framing.h"
#include "gateway/net/executor.h"
#include "gateway/serve/connection.h"

#include <memory>

namespace sallyport::serve {

/// TLS handshake, then request after request, or many at once, then the orderly end. Throws
/// nothing. `connection` must outlive the task.
net::Task<> serve_connection(std::shared_ptr<Connection> const& connection);

} // namespace sallyport::serve
