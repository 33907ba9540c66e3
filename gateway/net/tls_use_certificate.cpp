// Gives a TLS context its certificate, and says why OpenSSL refuses one.
#include "gateway/net/tls_material.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <algorithm>
#include <array>

namespace sallyport::net {

namespace {

// The key length in bits that OpenSSL's security level requires: SSL_CTX_set_security_level(3).
int fewest_bits(int level, int key_type) {
    constexpr std::array rsa{0, 1024, 2048, 3072, 7680, 15360};
    constexpr std::array curves{0, 160, 224, 256, 384, 512};
    auto const& bits = key_type == EVP_PKEY_EC ? curves : rsa;
    return bits[static_cast<std::size_t>(std::clamp(level, 0, 5))];
}

// Why OpenSSL rejects a matching pair, from its error queue.
TlsProblem refusal_of(SSL_CTX const* context, CertificateMaterial const& material,
                      PemSource const& source) {
    auto const reason = ERR_GET_REASON(ERR_peek_last_error());
    std::string const level =
        "OpenSSL's security level " + std::to_string(SSL_CTX_get_security_level(context));
    auto const wanted =
        std::to_string(fewest_bits(SSL_CTX_get_security_level(context), material.key_type));
    TlsProblem problem{TlsProblem::Severity::error, source.path, {}, {}, source.number};
    if (reason == SSL_R_EE_KEY_TOO_SMALL) {
        problem.text = "the certificate's key has "
                       + std::to_string(EVP_PKEY_get_bits(material.key.get())) + " bits, and "
                       + level + " wants " + wanted;
        problem.hint =
            "make a key of " + wanted + " bits or more, and have a certificate issued for it";
    } else if (reason == SSL_R_CA_KEY_TOO_SMALL) {
        problem.text = "a certificate of the chain has a key that is too small for " + level;
        problem.hint = "have a certificate issued by an authority with larger keys";
    } else if (reason == SSL_R_CA_MD_TOO_WEAK) {
        problem.text = "a signature in it uses a digest that is too weak for " + level
                       + ", such as MD5 or SHA-1";
        problem.hint = "have it issued again, signed with SHA-256";
    } else {
        problem.text = "OpenSSL refuses the certificate: " + take_openssl_reason();
    }
    ERR_clear_error();
    return problem;
}

} // namespace

bool use_certificate(SSL_CTX* context, CertificateMaterial const& material, PemSource const& source,
                     TlsProblems& problems) {
    bool is_used = SSL_CTX_use_certificate(context, material.leaf.get()) == 1
                   && SSL_CTX_use_PrivateKey(context, material.key.get()) == 1;
    for (auto const& link : material.chain)
        is_used = is_used && SSL_CTX_add1_chain_cert(context, link.get()) == 1;
    if (!is_used) problems.push_back(refusal_of(context, material, source));
    return is_used;
}

} // namespace sallyport::net
