// The client's end of a connection: fixed once it is accepted and its handshake is
// done.
#pragma once

#include "gateway/pipeline/caller.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::pipeline {

/// Owned by the coroutine that serves the connection.
struct ClientConnection {
    std::string address; // as text, without port
    std::uint16_t port = 0;
    std::string listener; // its name
    bool is_tls = false;
    std::string_view tls_version; // "TLSv1.3"
    std::string_view tls_cipher;
    bool tls_resumed = false;
    CallerKey caller = 0; // of its address
    /// Its listener redirects every request to this port of https, and serves none.
    std::optional<std::uint16_t> redirect;
};

} // namespace sallyport::pipeline
