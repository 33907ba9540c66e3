// argon2id through libargon2.
#include "gateway/secrets/algorithms.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <argon2.h>

#include <array>
#include <cstdint>
#include <vector>

namespace sallyport::secrets {

namespace {

// OWASP's Password Storage Cheat Sheet: its recommendation, the least memory of which 19 MiB.
constexpr std::uint32_t memory = 19'456; // KiB
constexpr std::uint32_t passes = 2;
constexpr std::uint32_t lanes = 1;
constexpr std::size_t salt_size = 16; // RFC 9106, 3.1
constexpr std::size_t hash_size = 32;

std::uint8_t* bytes_of(std::string& text) {
    return reinterpret_cast<std::uint8_t*>(text.data());
}

} // namespace

Verified verify_argon2id(std::string_view hash, std::string_view secret) {
    auto parts = parse_argon2id(hash);
    if (!parts) return Verified::failed;
    std::string copy{secret};
    std::vector<std::uint8_t> made(parts->hash.size());
    argon2_context context{};
    context.out = made.data();
    context.outlen = static_cast<std::uint32_t>(made.size());
    context.pwd = bytes_of(copy);
    context.pwdlen = static_cast<std::uint32_t>(copy.size());
    context.salt = bytes_of(parts->salt);
    context.saltlen = static_cast<std::uint32_t>(parts->salt.size());
    context.t_cost = parts->passes;
    context.m_cost = parts->memory;
    context.lanes = parts->lanes;
    context.threads = 1;
    context.version = ARGON2_VERSION_13;
    // The library wipes its memory (FLAG_clear_internal_memory is set by default).
    int const error = ::argon2id_ctx(&context);
    OPENSSL_cleanse(copy.data(), copy.size());
    if (error != ARGON2_OK) return Verified::failed;
    bool const is_right = CRYPTO_memcmp(made.data(), parts->hash.data(), made.size()) == 0;
    OPENSSL_cleanse(made.data(), made.size());
    return is_right ? Verified::right : Verified::wrong;
}

std::optional<std::string> make_argon2id(std::string_view secret) {
    std::array<unsigned char, salt_size> salt{};
    if (::RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1) return std::nullopt;
    std::string out(::argon2_encodedlen(passes, memory, lanes, salt_size, hash_size, Argon2_id),
                    '\0');
    int const error =
        ::argon2id_hash_encoded(passes, memory, lanes, secret.data(), secret.size(), salt.data(),
                                salt.size(), hash_size, out.data(), out.size());
    if (error != ARGON2_OK) return std::nullopt;
    out.resize(out.find('\0'));
    return out;
}

} // namespace sallyport::secrets
