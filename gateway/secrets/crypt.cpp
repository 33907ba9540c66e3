// bcrypt, yescrypt and SHA-512 through libcrypt.
#include "gateway/secrets/algorithms.h"

#include <openssl/crypto.h>

#include <array>
#include <cerrno>
#include <crypt.h>
#include <cstring>
#include <memory>

namespace sallyport::secrets {

namespace {

// Wiped when it goes: it holds the secret, and states between it and the hash.
class CryptMemory {
public:
    CryptMemory() : data_{std::make_unique<crypt_data>()} {}
    ~CryptMemory() { OPENSSL_cleanse(data_.get(), sizeof(crypt_data)); }
    CryptMemory(CryptMemory const&) = delete;
    CryptMemory& operator=(CryptMemory const&) = delete;

    /// Null: it cannot be computed. Valid while this is.
    char const* hash(std::string_view secret, char const* setting) {
        std::array<char, CRYPT_MAX_PASSPHRASE_SIZE> phrase{};
        if (secret.size() >= phrase.size()) return nullptr;
        std::memcpy(phrase.data(), secret.data(), secret.size());
        char const* const out = ::crypt_rn(phrase.data(), setting, data_.get(), sizeof(crypt_data));
        OPENSSL_cleanse(phrase.data(), phrase.size());
        return out;
    }

private:
    std::unique_ptr<crypt_data> data_;
};

} // namespace

Verified verify_crypt(std::string_view hash, std::string_view secret) {
    std::string const setting{hash};
    CryptMemory memory;
    char const* const made = memory.hash(secret, setting.c_str());
    if (made == nullptr) return Verified::failed;
    bool const is_right = std::strlen(made) == setting.size()
                          && CRYPTO_memcmp(made, setting.data(), setting.size()) == 0;
    return is_right ? Verified::right : Verified::wrong;
}

std::optional<std::string> make_crypt(char const* prefix, unsigned long count,
                                      std::string_view secret) {
    std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
    // Without bytes of ours it takes the system's randomness.
    char const* const made = ::crypt_gensalt_rn(prefix, count, nullptr, 0, setting.data(),
                                                static_cast<int>(setting.size()));
    if (made == nullptr) return std::nullopt;
    CryptMemory memory;
    char const* const hash = memory.hash(secret, made);
    return hash == nullptr ? std::nullopt : std::optional<std::string>{hash};
}

} // namespace sallyport::secrets
