// Certificates for tests, made once per process: authorities, servers, an expired one, one of an
// unknown authority.
#pragma once

#include <filesystem>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace sallyport::test {

/// One certificate with its key, in PEM files.
struct Certificate {
    std::filesystem::path certificate;
    std::filesystem::path private_key;
};

struct Certificates {
    std::filesystem::path authority;         // signs all but the last
    std::filesystem::path other_authority;   // signs the last
    std::filesystem::path expired_authority; // signs nothing, expired yesterday
    Certificate server;                      // ECDSA: localhost, 127.0.0.1
    Certificate second;                      // ECDSA: second.example.test
    Certificate wildcard;                    // ECDSA: *.wild.example.test
    Certificate rsa;                         // RSA: rsa.example.test
    Certificate expired;                     // ECDSA: localhost, expired yesterday
    Certificate expiring;                    // ECDSA: localhost, expires in ten days, issued 80 ago
    Certificate upstream;                    // ECDSA: upstream.example.test
    Certificate gateway;                     // ECDSA, for clients: gateway.example.test
    Certificate second_gateway;              // ECDSA, for clients: gateway2.example.test
    Certificate untrusted;                   // ECDSA: upstream.example.test, signed by the other
};

/// Made at the first call; the files exist as long as the process.
Certificates const& certificates();

enum class Verify : bool { no, yes };

struct ClientTls {
    Verify verify = Verify::yes;
    std::string highest_version = "1.3";
    std::string ciphers;   // of TLS 1.2, empty: OpenSSL's
    std::string protocols; // ALPN names separated by commas, empty: no extension
    /// A PEM file with the client's own certificate, those between it and a root, and its key.
    std::string own = {};
};

/// Both are valid as long as the process.
ssl_ctx_st* client_context(ClientTls const& options = {});
ssl_ctx_st* server_context(Certificate const& certificate);
/// The same, of a server that demands a certificate which the authority has signed.
ssl_ctx_st* demanding_context(Certificate const& certificate,
                              std::filesystem::path const& authority);

/// The first DNS name of the certificate that the peer of a TLS connection sent.
std::string name_in_certificate(ssl_st* tls);

} // namespace sallyport::test
