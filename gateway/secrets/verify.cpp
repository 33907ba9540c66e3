// Verifies secrets against stored hashes: see verify.h.
#include "gateway/secrets/verify.h"

#include "gateway/secrets/algorithms.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <string>

namespace sallyport::secrets {

namespace {

constexpr std::size_t longest_of_bcrypt = 72;
constexpr std::size_t longest_of_crypt = 511; // crypt(3): CRYPT_MAX_PASSPHRASE_SIZE, with its end
constexpr std::size_t longest_of_others = 4096;

// Of a text whose size is no secret.
Verified compare(std::string_view one, std::string_view other) {
    bool const is_same =
        one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
    return is_same ? Verified::right : Verified::wrong;
}

Verified verify_digest(char const* algorithm, std::string_view expected, std::string_view secret) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    std::size_t size = digest.size();
    if (::EVP_Q_digest(nullptr, algorithm, nullptr, secret.data(), secret.size(), digest.data(),
                       &size)
        != 1) {
        return Verified::failed;
    }
    auto const result = compare({reinterpret_cast<char const*>(digest.data()), size}, expected);
    OPENSSL_cleanse(digest.data(), digest.size());
    return result;
}

Verified verify_apr1(std::string_view hash, std::string_view secret) {
    auto const salt_at = hash.find('$', 1) + 1;
    auto const salt = hash.substr(salt_at, hash.find('$', salt_at) - salt_at);
    auto const made = apr1_of(salt, secret);
    if (!made) return Verified::failed;
    return compare(*made, hash.substr(salt_at + salt.size() + 1));
}

Verified verify_sha1(std::string_view hash, std::string_view secret) {
    // `{SHA}`, and 27 digits with one of padding.
    auto const digest = decode_base64(hash.substr(5, 27));
    return digest ? verify_digest("SHA1", *digest, secret) : Verified::failed;
}

Verified verify_text(StoredHash const& hash, std::string_view secret) {
    auto const text = hash.text();
    switch (hash.kind()) {
    case Kind::argon2id: return verify_argon2id(text, secret);
    case Kind::bcrypt:
    case Kind::yescrypt:
    case Kind::sha512_crypt: return verify_crypt(text, secret);
    case Kind::apr1: return verify_apr1(text, secret);
    case Kind::sha1: return verify_sha1(text, secret);
    case Kind::sha256: break;
    }
    auto const& digest = hash.fingerprint();
    return verify_digest("SHA256", {reinterpret_cast<char const*>(digest.data()), digest.size()},
                         secret);
}

} // namespace

std::size_t longest_secret(Kind kind) noexcept {
    switch (kind) {
    case Kind::bcrypt: return longest_of_bcrypt;
    case Kind::yescrypt:
    case Kind::sha512_crypt: return longest_of_crypt;
    default: return longest_of_others;
    }
}

Verified verify(StoredHash const& hash, std::string_view secret) {
    auto const taken =
        std::min(std::min(secret.find('\0'), secret.size()), longest_secret(hash.kind()));
    auto const result = verify_text(hash, secret.substr(0, taken));
    bool const is_whole = taken == secret.size();
    return result == Verified::right && !is_whole ? Verified::wrong : result;
}

} // namespace sallyport::secrets
