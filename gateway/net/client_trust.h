// Which certificates of clients a listener takes: its authorities, and their lists of revoked
// certificates.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/net/tls_context.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

struct ssl_session_st;
struct x509_st;
struct x509_store_st;
struct stack_st_X509;

namespace sallyport::net {

struct StoreDelete {
    void operator()(x509_store_st* store) const noexcept;
};

/// Immutable, shared by all workers.
class ClientTrust {
public:
    /// The most authorities between a certificate and a root (RFC 5280, 4.2.1.9).
    static constexpr int most_between = 4;
    /// The bytes of all certificates that a client may send; more end the handshake.
    static constexpr long most_sent = 32L * 1024;

    /// Null, with the reason among the problems, if one of the files is of no use.
    /// `security_level`: that of the TLS context (SSL_CTX_set_security_level(3)).
    [[nodiscard]] static std::shared_ptr<ClientTrust const>
    make(ClientCertificateSettings const& settings, int security_level,
         std::vector<TlsProblem>& problems);

    /// Makes the handshakes of `context` ask for certificates. The context has to keep a reference
    /// to this object. False: OpenSSL refuses it.
    [[nodiscard]] bool install(ssl_ctx_st* context) const;

    /// Whether a ticket's session may be resumed: it has the certificate of its first handshake
    /// (RFC 5077, 4; RFC 8446, 4.6.1), without what the client sent besides. Time has passed since,
    /// and a reload may have changed whom to trust: it is verified as in a handshake.
    [[nodiscard]] bool may_resume(ssl_session_st* session) const;

    struct Verified {
        Error error; // of certificate_category(); none: it is valid now
        /// If it is valid: from then on it has to be verified again, because a certificate of its
        /// chain or a list ends.
        std::chrono::system_clock::time_point until;
    };
    /// RFC 5280, 6: with the purpose of a TLS client, and every certificate of the chain looked up
    /// in the lists, if there are any. `between`: what the client sent besides; may be null.
    [[nodiscard]] Verified verify(x509_st* certificate, stack_st_X509* between) const;

    [[nodiscard]] bool is_required() const noexcept { return is_required_; }

    /// When something ends without which certificates are refused, for operators.
    struct End {
        std::string authority; // its common name
        std::chrono::system_clock::time_point time;
    };
    /// In the order of the file.
    [[nodiscard]] std::vector<End> const& ends_of_authorities() const noexcept {
        return ends_of_authorities_;
    }
    /// Of those that end (RFC 5280, 5.1.2.5), by time.
    [[nodiscard]] std::vector<End> const& ends_of_lists() const noexcept { return ends_of_lists_; }

private:
    ClientTrust() = default;
    friend struct ClientTrustBuilder;

    std::unique_ptr<x509_store_st, StoreDelete> store_;
    std::shared_ptr<stack_st_X509 const> authorities_; // whose names the handshakes send
    std::vector<End> ends_of_authorities_;
    std::vector<End> ends_of_lists_;
    bool is_required_ = false;
};

} // namespace sallyport::net
