// The certificate of a client's connection, and whether it still counts.
#pragma once

#include "config/yaml.h"
#include "gateway/net/client_trust.h"
#include "gateway/net/peer_certificate.h"
#include "gateway/pipeline/credentials.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace sallyport::pipeline {

/// Of each connection to a listener that asks for certificates. Verified in the handshake, and
/// again when that may have changed (serve/certificate.h): plugins see valid ones only. Also of one
/// whose proxy says which name its client has asked for, then without a certificate.
struct ClientCertificate {
    /// Null: the client has sent none.
    std::unique_ptr<net::PeerCertificate const> facts;
    /// The name that it asked for (RFC 6066, 3), in lower case; empty: none.
    std::string server_name;
    bool is_named_by_proxy = false; // PP2_TYPE_AUTHORITY

    /// Whom its listener trusts now; null: it asks for no certificates.
    std::shared_ptr<net::ClientTrust const> trust;
    /// Where that stands: `ca` of the listener.
    config::yaml::Mark asked_by;
    /// By whom it was found valid, and until when it is.
    std::shared_ptr<net::ClientTrust const> verified_by;
    std::chrono::system_clock::time_point valid_until;

    /// What an authenticator has found for it, which holds for all requests of the connection: in a
    /// table of credentials (CredentialTable::identity()); 0: none yet.
    struct Found {
        std::uint64_t table = 0;
        AuthFailure failure = AuthFailure::none; // whatever the time is
        Credential const* credential = nullptr;  // with a failure: for the log alone
    };
    mutable Found found;
};

} // namespace sallyport::pipeline
