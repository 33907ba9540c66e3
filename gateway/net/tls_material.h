// Reads and checks certificates, keys and trusted certificates in PEM files, from which the TLS
// contexts are made. For tls_*.cpp and certificate_dates.cpp only.
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
    void operator()(X509_CRL* list) const noexcept { X509_CRL_free(list); }
};
using CertificatePointer = std::unique_ptr<X509, OpensslDelete>;
using KeyPointer = std::unique_ptr<EVP_PKEY, OpensslDelete>;
using ListPointer = std::unique_ptr<X509_CRL, OpensslDelete>; // of revoked certificates
using BioPointer = std::unique_ptr<BIO, OpensslDelete>;

using TlsProblems = std::vector<TlsProblem>;

struct CertificateMaterial {
    CertificatePointer leaf;
    std::vector<CertificatePointer> chain;
    KeyPointer key;
    std::vector<std::string> names; // DNS names of the leaf, lower case, sorted, once each
    int key_type = 0;               // EVP_PKEY_RSA, EVP_PKEY_EC, ...
    std::chrono::system_clock::time_point not_after; // the earliest of the leaf's and its chain's
};

/// Empty, with the reason added to `problems`, if the pair cannot be used.
std::optional<CertificateMaterial> load_certificate(CertificateSource const& source,
                                                    TlsProblems& problems);

/// Makes a context show this certificate. False, with the reason added to `problems`, if OpenSSL
/// refuses it.
bool use_certificate(SSL_CTX* context, CertificateMaterial const& material, PemSource const& source,
                     TlsProblems& problems);

/// All certificates of a PEM file; empty, with the reason added to `problems`, if there is none.
std::vector<CertificatePointer> load_certificates(PemSource const& source, TlsProblems& problems);

/// All lists of revoked certificates of a PEM file, in the same way.
std::vector<ListPointer> load_revocation_lists(PemSource const& source, TlsProblems& problems);

/// Adds a problem of a source.
void report(TlsProblems& problems, PemSource const& source, std::string text, std::string hint = {},
            TlsProblem::Severity severity = TlsProblem::Severity::error);

/// RFC 5280, 4.1.2.5: in UTC.
[[nodiscard]] std::chrono::system_clock::time_point time_of(ASN1_TIME const* time);

/// The common name of a subject or issuer; may be empty.
[[nodiscard]] std::string common_name_of(X509_NAME const* name);

/// OpenSSL's reason for the last failure; empties the thread's error queue.
[[nodiscard]] std::string take_openssl_reason();

/// A context with the settings that server and client have in common. Null, with the reason added
/// to `problems`, if OpenSSL fails.
SslContextPointer make_context(SSL_METHOD const* method, TlsVersion minimum_version,
                               TlsProblems& problems);

/// Protocol names in the encoding of ALPN: length, name, length, name (RFC 7301, 3.1).
[[nodiscard]] std::string encode_protocols(std::vector<std::string> const& protocols);

} // namespace sallyport::net
