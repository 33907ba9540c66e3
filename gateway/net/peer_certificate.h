// What the certificate of a client says: its fingerprint and its names.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ssl_st;
struct x509_st;
struct stack_st_X509;

namespace sallyport::net {

/// The names count only where the certificate was verified. Texts are compared byte by byte.
struct PeerCertificate {
    /// SHA-256 of its DER: `x5t#S256` of a bound token (RFC 8705, 3.1).
    std::array<std::uint8_t, 32> fingerprint{};
    /// As RFC 4514 writes it, without spaces that it does not have: what `openssl x509 -noout
    /// -subject -nameopt RFC2253,-esc_msb` prints. Empty: it has none.
    std::string subject;
    std::vector<std::string> dns_names; // in lower case
    std::vector<std::string> uris;
    std::vector<std::string> emails; // the domain in lower case (RFC 5280, 7.5)
    /// Why nothing above but the fingerprint was read, and nobody is identified by it: a literal.
    /// Empty: all was.
    std::string_view problem;

    /// It and what the client sent with it: for ClientTrust::verify().
    std::shared_ptr<x509_st> certificate;
    std::shared_ptr<stack_st_X509> between; // null: nothing, or the connection was resumed
};

/// The most alternative names of a certificate of which any is read.
inline constexpr int most_alternative_names = 32;

/// Of the peer of a server's connection after its handshake; null: it has sent none.
[[nodiscard]] std::unique_ptr<PeerCertificate> read_peer_certificate(ssl_st* ssl);

/// Its fingerprint and its names.
[[nodiscard]] PeerCertificate describe_certificate(x509_st* certificate);

} // namespace sallyport::net
