// The error categories of streams, of OpenSSL, and of certificates that are not trusted.
#include "gateway/net/errors.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>

#include <string>

namespace sallyport::net {

// Boost's base class has no virtual destructor: a category is never deleted through it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

namespace {

class StreamCategory final : public boost::system::error_category {
public:
    char const* name() const noexcept override { return "stream"; }
    std::string message(int value) const override {
        switch (static_cast<StreamError>(value)) {
        case StreamError::truncated: return "the TLS connection ended without close_notify";
        case StreamError::protocol: return "TLS protocol error";
        case StreamError::not_tls: return "what came is not TLS";
        }
        return "unknown stream error";
    }
};

class TlsCategory final : public boost::system::error_category {
public:
    char const* name() const noexcept override { return "tls"; }
    std::string message(int value) const override {
        char const* const reason =
            ERR_reason_error_string(static_cast<unsigned long>(static_cast<unsigned>(value)));
        return reason != nullptr ? reason : "TLS error " + std::to_string(value);
    }
};

class CertificateCategory final : public boost::system::error_category {
public:
    char const* name() const noexcept override { return "certificate"; }
    std::string message(int value) const override { return X509_verify_cert_error_string(value); }
};

} // namespace

#pragma GCC diagnostic pop

Error make_error_code(StreamError error) noexcept {
    static StreamCategory const category;
    return {static_cast<int>(error), category};
}

boost::system::error_category const& tls_category() noexcept {
    static TlsCategory const category;
    return category;
}

bool is_missing_certificate(Error const& error) noexcept {
    return error.category() == tls_category()
           && ERR_GET_REASON(static_cast<unsigned long>(static_cast<unsigned>(error.value())))
                  == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE;
}

boost::system::error_category const& certificate_category() noexcept {
    static CertificateCategory const category;
    return category;
}

} // namespace sallyport::net
