// SHA-256 through OpenSSL, fetched once.
#include "gateway/pipeline/sha256.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace sallyport::pipeline {

Sha256::Sha256()
    // An implicit fetch at each use would cost more than the digest, and take a lock.
    : algorithm_{EVP_MD_fetch(nullptr, "SHA256", nullptr)}, context_{EVP_MD_CTX_new()} {
    if (algorithm_ == nullptr || context_ == nullptr) {
        throw std::runtime_error{"OpenSSL has no SHA-256"};
    }
}

Sha256::~Sha256() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(algorithm_);
}

Digest Sha256::operator()(std::string_view bytes) {
    Digest digest{};
    if (EVP_DigestInit_ex2(context_, algorithm_, nullptr) != 1
        || EVP_DigestUpdate(context_, bytes.data(), bytes.size()) != 1
        || EVP_DigestFinal_ex(context_, digest.data(), nullptr) != 1) {
        // Out of memory inside OpenSSL: an invalid digest must not match.
        throw std::runtime_error{"SHA-256 failed"};
    }
    return digest;
}

} // namespace sallyport::pipeline
