// Makes hashes of secrets: see make_hash.h.
#include "gateway/secrets/make_hash.h"

#include "gateway/secrets/algorithms.h"

#include <openssl/evp.h>

namespace sallyport::secrets {

namespace {

// crypt_gensalt(3). The least of which `check` does not warn (stored_hash.cpp): each takes some 50
// to 100 ms, as argon2id's parameters do.
constexpr unsigned long bcrypt_cost = 10;
constexpr unsigned long yescrypt_rounds = 5;
constexpr unsigned long sha512_rounds = 210'000;

std::optional<std::string> make_sha256(std::string_view secret) {
    Sha256 digest{};
    std::size_t size = digest.size();
    bool const is_made = ::EVP_Q_digest(nullptr, "SHA256", nullptr, secret.data(), secret.size(),
                                        digest.data(), &size)
                         == 1;
    return is_made ? std::optional{StoredHash{digest}.text()} : std::nullopt;
}

} // namespace

std::optional<std::string> make_hash(Kind kind, std::string_view secret) {
    bool const is_taken =
        secret.size() <= longest_secret(kind) && secret.find('\0') == std::string_view::npos;
    if (!is_taken) return std::nullopt;
    switch (kind) {
    case Kind::sha256: return make_sha256(secret);
    case Kind::argon2id: return make_argon2id(secret);
    case Kind::bcrypt: return make_crypt("$2b$", bcrypt_cost, secret);
    case Kind::yescrypt: return make_crypt("$y$", yescrypt_rounds, secret);
    case Kind::sha512_crypt: return make_crypt("$6$", sha512_rounds, secret);
    case Kind::apr1:
    case Kind::sha1: break;
    }
    return std::nullopt;
}

} // namespace sallyport::secrets
