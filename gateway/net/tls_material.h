// Certificates, keys and trust as they stand in PEM files, read and judged: what the TLS contexts
// are made from. For tls_*.cpp and certificate_dates.cpp only.
#pragma once

#include "gateway/net/tls_context.h"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::net {

struct OpensslDelete {
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
    void operator()(BIO* bio) const noexcept { BIO_free_all(bio); }
};
using CertificatePointer = std::unique_ptr<X509, OpensslDelete>;
using KeyPointer = std::unique_ptr<EVP_PKEY, OpensslDelete>;
using BioPointer = std::unique_ptr<BIO, OpensslDelete>;

using TlsProblems = std::vector<TlsProblem>;

struct CertificateMaterial {
    CertificatePointer leaf;
    std::vector<CertificatePointer> chain;
    KeyPointer key;
    std::vector<std::string> names; // DNS names of the leaf, lower case, sorted, once each
    int key_type = 0;               // EVP_PKEY_RSA, EVP_PKEY_EC, ...
    std::chrono::system_clock::time_point not_after; // of the leaf and its chain, the first
};

/// Nothing, with the reason among the problems, where the pair cannot be used.
std::optional<CertificateMaterial> load_certificate(CertificateSource const& source,
                                                    TlsProblems& problems);

/// All certificates of a PEM file; at least one, or nothing with the reason among the problems.
std::vector<CertificatePointer> load_certificates(PemSource const& source, TlsProblems& problems);

/// OpenSSL's reason for the last failure; empties the thread's error queue.
[[nodiscard]] std::string take_openssl_reason();

/// What server and client contexts have in common. Nothing with the reason among the problems where
/// OpenSSL refuses.
SslContextPointer make_context(SSL_METHOD const* method, TlsVersion minimum_version,
                               TlsProblems& problems);

/// Protocol names as ALPN wants them on the wire: length, name, length, name (RFC 7301, 3.1).
[[nodiscard]] std::string encode_protocols(std::vector<std::string> const& protocols);

} // namespace sallyport::net
