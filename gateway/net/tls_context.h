// What TLS connections are made from: certificates chosen by server name, ticket keys, trust.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/net/ticket_keys.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct ssl_st;
struct ssl_ctx_st;
struct ssl_session_st;

namespace sallyport::net {

struct SslDelete {
    void operator()(ssl_st* ssl) const noexcept;
    void operator()(ssl_ctx_st* context) const noexcept;
    void operator()(ssl_session_st* session) const noexcept;
};
using SslPointer = std::unique_ptr<ssl_st, SslDelete>;
using SslContextPointer = std::unique_ptr<ssl_ctx_st, SslDelete>;

enum class TlsVersion { tls_1_2, tls_1_3 };

/// A PEM file, or its text if it has been read already; the path then only names it.
struct PemSource {
    std::filesystem::path path;
    std::optional<std::string> text;
    std::size_t number = 0; // chosen by the caller; problems refer to the source by it

    [[nodiscard]] bool is_named() const noexcept { return text || !path.empty(); }
};

/// If one of the two is not named, only problems of the other are reported, and no context is made.
struct CertificateSource {
    PemSource certificate; // the leaf first, then its chain
    PemSource private_key;
};

class ClientTrust;

/// A problem of a file of TLS material. A warning does not prevent the context from being made.
struct TlsProblem {
    enum class Severity { error, warning };
    Severity severity = Severity::error;
    std::filesystem::path file; // empty if no file is the cause
    std::string text;           // "the private key does not match the certificate ..."
    std::string hint{};         // how to repair it; may be empty
    std::size_t source = 0;     // PemSource::number, if there is a file
};

enum class ClientCertificates { optional, required };

/// That clients are asked for certificates, and who signs them.
struct ClientCertificateSettings {
    ClientCertificates verify = ClientCertificates::required;
    PemSource ca;
    std::optional<PemSource> crl; // none: nothing is revoked
};

struct ServerTlsSettings {
    std::vector<CertificateSource>
        certificates; // at least one; the first is used for names that match none
    TlsVersion minimum_version = TlsVersion::tls_1_2;
    std::vector<std::string> protocols{"http/1.1"}; // ALPN, in order of preference
    /// Separates the tickets of one listener from those of another: any text.
    std::string session_id_context;
    std::optional<ClientCertificateSettings> client_certificates; // none: they are not asked for
};

/// Properties of a certificate sent to clients, for operators.
struct CertificateFacts {
    std::string file;                                // empty: it was given as text
    std::string subject;                             // its first DNS name, else its common name
    std::vector<std::string> names;                  // DNS names, lower case, sorted
    std::chrono::system_clock::time_point not_after; // the earliest of the leaf's and its chain's
};

/// Immutable, shared by all workers. Certificates of other key types for the same names (RSA
/// and ECDSA) are offered together.
class TlsServerContext {
public:
    struct Made {
        std::shared_ptr<TlsServerContext const> context; // null where there is an error
        std::vector<TlsProblem> problems;                // all of them
    };
    /// The context, and the problems of its files. Reads the files; `context` is null if there is
    /// an error among the problems.
    [[nodiscard]] static Made make(ServerTlsSettings const& settings,
                                   std::shared_ptr<TicketKeys> keys);

    [[nodiscard]] ssl_ctx_st* default_context() const noexcept { return contexts_.front().get(); }
    /// For a server name in lower case: an exact name before a wildcard, which matches one label
    /// (RFC 6125, 6.4.3), in the order of the settings; the default for names that match none.
    [[nodiscard]] ssl_ctx_st* find(std::string_view server_name) const noexcept;

    [[nodiscard]] std::vector<CertificateFacts> const& certificates() const noexcept {
        return certificates_;
    }
    /// Null: clients are not asked for certificates.
    [[nodiscard]] std::shared_ptr<ClientTrust const> const& clients() const noexcept {
        return clients_;
    }

private:
    TlsServerContext() = default;
    friend struct ServerContextBuilder;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    using Names = std::unordered_map<std::string, ssl_ctx_st*, Hash, std::equal_to<>>;

    std::vector<SslContextPointer> contexts_;
    std::vector<CertificateFacts> certificates_;
    Names exact_;
    Names wildcards_; // "*.example.com" under "example.com"
    std::shared_ptr<TicketKeys> keys_;
    std::shared_ptr<ClientTrust const> clients_;
    std::string protocols_; // as ALPN encodes them: length, name, length, name
};

struct ClientTlsSettings {
    std::optional<PemSource> ca;                  // if absent: the system's
    std::optional<CertificateSource> certificate; // shown to servers that ask for one
    TlsVersion minimum_version = TlsVersion::tls_1_2;
    std::vector<std::string> protocols{"http/1.1"};
};

class TlsClientContext {
public:
    struct Made {
        std::shared_ptr<TlsClientContext const> context;
        std::vector<TlsProblem> problems;
    };
    /// The same for connections to upstreams.
    [[nodiscard]] static Made make(ClientTlsSettings const& settings);

    [[nodiscard]] ssl_ctx_st* context() const noexcept { return context_.get(); }

private:
    TlsClientContext() = default;
    SslContextPointer context_;
};

/// The last session with one endpoint, for resumption; one per worker and endpoint, on the worker's
/// thread.
class TlsSession {
public:
    [[nodiscard]] ssl_session_st* get() const noexcept { return session_.get(); }
    void keep(ssl_session_st* session) noexcept { session_.reset(session); } // takes ownership
    void forget() noexcept { session_.reset(); }

private:
    std::unique_ptr<ssl_session_st, SslDelete> session_;
};

} // namespace sallyport::net
