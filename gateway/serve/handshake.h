// The TLS handshake of a client, and its limits.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/serve/connection.h"

namespace sallyport::serve {

/// Returns at once for a listener without TLS. False: it has failed, and is logged; the connection
/// is over.
net::Task<bool> perform_handshake(Connection& connection);

} // namespace sallyport::serve
