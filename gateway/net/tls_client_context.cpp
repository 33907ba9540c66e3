// The TLS context for upstreams: trusted certificates, and storage of sessions.
#include "gateway/net/tls_material.h"
#include "gateway/net/tls_session.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>

namespace sallyport::net {

namespace {

// Called when OpenSSL has received a ticket. Returning 1 takes ownership of the session.
int keep_session(SSL* ssl, SSL_SESSION* session) {
    auto* const place = session_of(ssl);
    if (place == nullptr) return 0;
    place->keep(session);
    return 1;
}

bool trust(SSL_CTX* context, ClientTlsSettings const& settings, TlsProblems& problems) {
    if (!settings.ca) {
        if (SSL_CTX_set_default_verify_paths(context) == 1) return true;
        problems.push_back(
            {TlsProblem::Severity::error,
             {},
             "the system's certificate store cannot be used: " + take_openssl_reason()});
        return false;
    }
    auto const certificates = load_certificates(*settings.ca, problems);
    X509_STORE* const store = SSL_CTX_get_cert_store(context);
    for (auto const& certificate : certificates) {
        if (X509_STORE_add_cert(store, certificate.get()) == 1) continue;
        problems.push_back({TlsProblem::Severity::error,
                            settings.ca->path,
                            "OpenSSL refuses a certificate: " + take_openssl_reason(),
                            {},
                            settings.ca->number});
        return false;
    }
    return !certificates.empty();
}

// RFC 5280, 4.2.1.12: most servers refuse a certificate that is for servers only.
void judge_purpose(CertificateMaterial const& material, PemSource const& source,
                   TlsProblems& problems) {
    if (X509_check_purpose(material.leaf.get(), X509_PURPOSE_SSL_CLIENT, 0) == 1) return;
    problems.push_back({TlsProblem::Severity::warning, source.path,
                        "the certificate is not for clients: servers may refuse it",
                        "have one issued with the extended key usage clientAuth", source.number});
}

// Whether the context shows what the settings say.
bool show(SSL_CTX* context, ClientTlsSettings const& settings, TlsProblems& problems) {
    if (!settings.certificate) return true;
    auto const material = load_certificate(*settings.certificate, problems);
    if (!material) return false;
    auto const& source = settings.certificate->certificate;
    judge_purpose(*material, source, problems);
    return use_certificate(context, *material, source, problems);
}

} // namespace

int session_index() {
    static int const index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

TlsSession* session_of(SSL const* ssl) {
    return static_cast<TlsSession*>(SSL_get_ex_data(ssl, session_index()));
}

TlsClientContext::Made TlsClientContext::make(ClientTlsSettings const& settings) {
    Made result;
    auto context = make_context(TLS_client_method(), settings.minimum_version, result.problems);
    if (!context) return result;
    // Both, so that the problems of all files are reported.
    bool const is_trusting = trust(context.get(), settings, result.problems);
    bool const is_shown = show(context.get(), settings, result.problems);
    if (!is_trusting || !is_shown) return result;
    // Upstreams vary: any suite of TLS 1.2 that OpenSSL considers secure, if it has forward
    // secrecy.
    if (SSL_CTX_set_cipher_list(context.get(), "DEFAULT:!kRSA:!PSK:!SRP:!CAMELLIA:!ARIA") != 1) {
        result.problems.push_back({TlsProblem::Severity::error,
                                   {},
                                   "OpenSSL refuses the suites: " + take_openssl_reason()});
        return result;
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_session_cache_mode(context.get(),
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context.get(), keep_session);
    auto const protocols = encode_protocols(settings.protocols);
    // Unlike other functions of OpenSSL, this one returns 0 on success.
    if (!protocols.empty()
        && SSL_CTX_set_alpn_protos(context.get(),
                                   reinterpret_cast<unsigned char const*>(protocols.data()),
                                   static_cast<unsigned>(protocols.size()))
               != 0) {
        result.problems.push_back(
            {TlsProblem::Severity::error, {}, "a protocol name is not valid"});
        return result;
    }
    std::shared_ptr<TlsClientContext> made{new TlsClientContext};
    made->context_ = std::move(context);
    result.context = std::move(made);
    return result;
}

} // namespace sallyport::net
