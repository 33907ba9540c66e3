// Where a client connection stores the session that the server sends. For tls_*.cpp only.
#pragma once

#include "gateway/net/tls_context.h"

#include <openssl/ssl.h>

namespace sallyport::net {

/// The index of ex_data under which a connection holds its TlsSession.
[[nodiscard]] int session_index();
/// The TlsSession of a client connection; null if it has none.
[[nodiscard]] TlsSession* session_of(SSL const* ssl);

} // namespace sallyport::net
