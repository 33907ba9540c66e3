// The configured credentials: found by the keys of their authenticator, compared in constant time.
#include "gateway/pipeline/credentials.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
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
Proof prove(Credential const& credential, std::uint8_t place,
            std::chrono::system_clock::time_point now) {
    return {credential.failure_at(now), &credential, place};
}

// Of a secret that is right, so that the time of the comparison tells nothing.
std::uint8_t place_of(Digest const& digest, Credential const& credential) {
    return credential.places_of_digests[digest == credential.digests[0] ? 0 : 1];
}

} // namespace

CredentialTable::CredentialTable(std::size_t expected) : expected_{expected} {
    credentials_.reserve(expected);
    auto const fill = [](void* memory, std::size_t size) {
        if (RAND_bytes(static_cast<unsigned char*>(memory), static_cast<int>(size)) != 1)
            throw std::runtime_error{"OpenSSL has no random numbers"};
    };
    fill(&identity_, sizeof identity_);
    for (Digest& digest : decoy_.digests)
        fill(digest.data(), digest.size());
}

Credential const& CredentialTable::add(std::string_view authenticator,
                                       std::vector<std::string> const& keys,
                                       Credential credential) {
    credential.identity.key = caller_of_credential(credential.identity.name);
    if (credential.expires) credential.identity.expires = *credential.expires;
    credential.has_digests = credential.digests != std::array<Digest, 2>{};
    if (!credential.slow.empty()) {
        note(credential.slow);
        if (!credential.has_digests) credential.digests = decoy_.digests;
    }
    credentials_.push_back(std::make_unique<Credential const>(std::move(credential)));
    add_keys(authenticator, keys, *credentials_.back());
    return *credentials_.back();
}

void CredentialTable::add_keys(std::string_view authenticator, std::vector<std::string> const& keys,
                               Credential const& credential) {
    auto of = by_authenticator_.find(authenticator);
    if (of == by_authenticator_.end()) {
        of = by_authenticator_.try_emplace(std::string{authenticator}, &memory_).first;
        of->second.reserve(expected_);
    }
    for (std::string const& key : keys) {
        auto* const kept = static_cast<char*>(memory_.allocate(key.size(), alignof(char)));
        key.copy(kept, key.size());
        of->second.try_emplace({kept, key.size()}, &credential);
    }
}

void CredentialTable::note(std::vector<secrets::StoredHash> const& slow) {
    if (!slow_) slow_.emplace(SlowHashes{slow.front()});
    slow_->most_of_one = std::max(slow_->most_of_one, slow.size());
    for (auto const& hash : slow)
        if (hash.cost() > slow_->costliest.cost()) slow_->costliest = hash;
}

Credential const* CredentialTable::look_up(std::string_view authenticator,
                                           std::string_view key) const {
    auto const by_key = by_authenticator_.find(authenticator);
    if (by_key == by_authenticator_.end()) return nullptr;
    auto const found = by_key->second.find(key);
    return found == by_key->second.end() ? nullptr : found->second;
}

Proof CredentialTable::find(std::string_view authenticator, std::string_view key,
                            Digest const& digest, std::chrono::system_clock::time_point now) const {
    // Where the key is the digest itself, the timing of the lookup is of no use without a preimage.
    Credential const* const found = look_up(authenticator, key);
    Credential const& candidate = found == nullptr ? decoy_ : *found;
    bool const matches = is_one_of(digest, candidate.digests);
    if (found == nullptr) return {};
    return matches ? prove(candidate, place_of(digest, candidate), now)
                   : Proof{AuthFailure::wrong_secret, found};
}

Proof CredentialTable::find(std::string_view authenticator, std::string_view key,
                            std::chrono::system_clock::time_point now) const {
    Credential const* const found = look_up(authenticator, key);
    return found == nullptr ? Proof{} : prove(*found, 0, now);
}

} // namespace sallyport::pipeline
