// The client's end of a connection: fixed once it is accepted and its handshake is
// done.
#pragma once

#include "gateway/pipeline/caller.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::pipeline {

struct ClientCertificate;
struct ProxiedClients;

/// Owned by the coroutine that serves the connection.
struct ClientConnection {
    std::string address; // as text, without port
    std::uint16_t port = 0;
    std::string listener;   // its name
    std::string peer;       // of a PROXY header's sender; empty: the client itself has connected
    std::string counted_as; // in the limits of connections by address; empty: not by address
    bool is_tls = false;    // to the gateway, or to the proxy that sent a PROXY header
    std::string_view tls_version; // "TLSv1.3"
    std::string_view tls_cipher;
    std::string_view tls_group; // of the key exchange
    bool tls_resumed = false;
    /// Not null: its listener asks for certificates.
    std::shared_ptr<ClientCertificate> certificate;
    CallerKey caller = 0; // of its address
    /// Its listener redirects every request to this port of https, and serves none.
    std::optional<std::uint16_t> redirect;
    /// Not null: the address is that of a trusted proxy, and each request says whose it is.
    std::shared_ptr<ProxiedClients const> proxied;
    /// A PROXY header has named no client: requests are the proxy's own, whatever they say.
    bool is_proxys_own = false;
};

} // namespace sallyport::pipeline
