// The callers that the gateway knows: found by key id or token, compared in constant time.
#include "gateway/pipeline/credentials.h"

#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace sallyport::pipeline {

namespace {

/// Zero where they are the same, in constant time: no branch sees a part of the difference.
std::uint64_t difference(Digest const& one, Digest const& other) {
    std::array<std::uint64_t, 4> left;
    std::array<std::uint64_t, 4> right;
    static_assert(sizeof left == sizeof one);
    std::memcpy(left.data(), one.data(), sizeof left);
    std::memcpy(right.data(), other.data(), sizeof right);
    return (left[0] ^ right[0]) | (left[1] ^ right[1]) | (left[2] ^ right[2])
           | (left[3] ^ right[3]);
}

/// One where `difference` is zero, else zero: by arithmetic, out of which no compiler makes a jump,
/// as it does out of a comparison.
std::uint64_t is_none(std::uint64_t difference) {
    return (~difference & (difference - 1)) >> 63;
}

bool is_one_of(Digest const& digest, std::array<Digest, 2> const& stored) {
    // Both are always compared, and which of them it was is nobody's to learn.
    return (is_none(difference(digest, stored[0])) | is_none(difference(digest, stored[1]))) != 0;
}

char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Eight-four-four-four-twelve hexadecimal digits, any version.
bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        char const c = lower_case(text[i]);
        bool const is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (is_dash ? c != '-' : !is_digit) return false;
    }
    return true;
}

bool is_valid_at(Credential const& credential, std::chrono::system_clock::time_point now) {
    return !credential.expires || now < *credential.expires;
}

/// Of a credential whose secret was right. The secrets of one that has expired are not remembered.
Proof prove(Credential const& credential, SecretDigests& digests,
            std::chrono::system_clock::time_point now) {
    if (!is_valid_at(credential, now)) return {.valid = nullptr, .expired = &credential};
    digests.remember_last();
    return {.valid = &credential, .expired = nullptr};
}

} // namespace

AllowedValue::AllowedValue(std::string value)
    : value_{std::move(value)}, is_uuid_{is_uuid(value_)} {
    if (is_uuid_) std::transform(value_.begin(), value_.end(), value_.begin(), lower_case);
}

bool AllowedValue::matches(std::string_view decoded) const {
    if (!is_uuid_) return decoded == value_;
    return std::equal(decoded.begin(), decoded.end(), value_.begin(), value_.end(),
                      [](char sent, char allowed) { return lower_case(sent) == allowed; });
}

std::size_t CredentialTable::DigestHash::operator()(Digest const& digest) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
}

CredentialTable::CredentialTable() {
    for (Digest& digest : decoy_.digests) {
        if (RAND_bytes(digest.data(), static_cast<int>(digest.size())) != 1) {
            throw std::runtime_error{"OpenSSL has no random numbers"};
        }
    }
}

void CredentialTable::add_basic(std::string key_id, Credential credential) {
    credentials_.push_back(std::make_unique<Credential const>(std::move(credential)));
    basic_.emplace(std::move(key_id), credentials_.back().get());
}

void CredentialTable::add_bearer(std::vector<Digest> const& tokens, Credential credential) {
    credentials_.push_back(std::make_unique<Credential const>(std::move(credential)));
    for (Digest const& token : tokens)
        bearer_.emplace(token, credentials_.back().get());
}

Proof CredentialTable::find_basic(std::string_view key_id, std::string_view secret,
                                  SecretDigests& digests,
                                  std::chrono::system_clock::time_point now) const {
    auto const found = basic_.find(key_id);
    Credential const& candidate = found == basic_.end() ? decoy_ : *found->second;
    bool const matches = is_one_of(digests(secret), candidate.digests);
    if (found == basic_.end() || !matches) return {};
    return prove(candidate, digests, now);
}

Proof CredentialTable::find_bearer(std::string_view token, SecretDigests& digests,
                                   std::chrono::system_clock::time_point now) const {
    // The map is asked for a digest: what its timing tells is of no use without a preimage.
    Digest const digest = digests(token);
    auto const found = bearer_.find(digest);
    Credential const& candidate = found == bearer_.end() ? decoy_ : *found->second;
    bool const matches = is_one_of(digest, candidate.digests);
    if (found == bearer_.end() || !matches) return {};
    return prove(candidate, digests, now);
}

} // namespace sallyport::pipeline
