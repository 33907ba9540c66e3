// The configured credentials: found by key id or token, compared in constant time.
#include "gateway/pipeline/credentials.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <cstring>
#include <stdexcept>
#include <utility>

namespace sallyport::pipeline {

namespace {

// In constant time: both are always compared, and the timing does not reveal which one matched.
bool is_one_of(Digest const& digest, std::array<Digest, 2> const& stored) {
    // Zero if they are equal, else a byte; their product is zero if one of them is.
    auto const first =
        static_cast<unsigned>(CRYPTO_memcmp(digest.data(), stored[0].data(), digest.size()));
    auto const second =
        static_cast<unsigned>(CRYPTO_memcmp(digest.data(), stored[1].data(), digest.size()));
    return first * second == 0;
}

// The result for a credential whose secret matched.
Proof prove(Credential const& credential, std::chrono::system_clock::time_point now) {
    if (!credential.is_valid_at(now)) return {.valid = nullptr, .expired = &credential};
    return {.valid = &credential, .expired = nullptr};
}

} // namespace

std::size_t CredentialTable::DigestHash::operator()(Digest const& digest) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
}

CredentialTable::CredentialTable() {
    auto const fill = [](void* memory, std::size_t size) {
        if (RAND_bytes(static_cast<unsigned char*>(memory), static_cast<int>(size)) != 1)
            throw std::runtime_error{"OpenSSL has no random numbers"};
    };
    fill(&identity_, sizeof identity_);
    for (Digest& digest : decoy_.digests)
        fill(digest.data(), digest.size());
}

void CredentialTable::add_basic(std::string key_id, Credential credential) {
    credential.identity.key = caller_of_credential(credential.identity.name);
    credentials_.push_back(std::make_unique<Credential const>(std::move(credential)));
    basic_.emplace(std::move(key_id), credentials_.back().get());
}

void CredentialTable::add_bearer(std::vector<Digest> const& tokens, Credential credential) {
    credential.identity.key = caller_of_credential(credential.identity.name);
    credentials_.push_back(std::make_unique<Credential const>(std::move(credential)));
    for (Digest const& token : tokens)
        bearer_.emplace(token, credentials_.back().get());
}

Proof CredentialTable::find_basic(std::string_view key_id, std::string_view secret, Sha256& sha256,
                                  std::chrono::system_clock::time_point now) const {
    auto const found = basic_.find(key_id);
    Credential const& candidate = found == basic_.end() ? decoy_ : *found->second;
    bool const matches = is_one_of(sha256(secret), candidate.digests);
    if (found == basic_.end() || !matches) return {};
    return prove(candidate, now);
}

Proof CredentialTable::find_bearer(std::string_view token, Sha256& sha256,
                                   std::chrono::system_clock::time_point now) const {
    // The map is searched for a digest: its timing reveals nothing useful without a preimage.
    Digest const digest = sha256(token);
    auto const found = bearer_.find(digest);
    Credential const& candidate = found == bearer_.end() ? decoy_ : *found->second;
    bool const matches = is_one_of(digest, candidate.digests);
    if (found == bearer_.end() || !matches) return {};
    return prove(candidate, now);
}

} // namespace sallyport::pipeline
