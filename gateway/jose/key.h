// A key that verifies signatures of one algorithm.
#pragma once

#include "gateway/jose/algorithm.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::jose {

struct KeyDelete {
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
    void operator()(EVP_MAC_CTX* mac) const noexcept { EVP_MAC_CTX_free(mac); }
};
using PublicKey = std::unique_ptr<EVP_PKEY, KeyDelete>;
using Verification = std::unique_ptr<EVP_MD_CTX, KeyDelete>;

/// RFC 7518, 3.3 asks for the lower bound; beyond the upper one each verification would take long.
inline constexpr int least_rsa_bits = 2048;
inline constexpr int most_rsa_bits = 8192;
inline constexpr int costly_rsa_bits = 4096;
/// RFC 7518, 3.2: as long as the hash.
inline constexpr std::size_t least_hmac_bytes = 32;

/// Immutable: threads may share it. It belongs to one algorithm (RFC 8725, 3.1), whatever a token
/// says.
class Key {
public:
    /// What a key is, or why it is none: a literal.
    struct Made;
    /// A public key. Refused: of another type or curve than the algorithm's, too short.
    [[nodiscard]] static Made of_public(Algorithm algorithm, std::string kid, PublicKey key);
    /// A secret for HS256, which is copied.
    [[nodiscard]] static Made of_secret(std::string kid, std::string_view secret);

    [[nodiscard]] Algorithm algorithm() const noexcept { return algorithm_; }
    /// Its identifier (RFC 7517, 4.5); empty: it has none.
    [[nodiscard]] std::string const& kid() const noexcept { return kid_; }

    /// Whether a verification costs far more than one of ES256: 0.04 ms on the machine on which
    /// ES384 is 0.45 ms, and RSA of 8192 bits 0.18 ms.
    [[nodiscard]] bool is_costly() const noexcept;

    /// Whether `signature` (RFC 7518, 3) is that of the text. Throws std::bad_alloc where there is
    /// no memory.
    [[nodiscard]] bool verifies(std::string_view text, std::string_view signature) const;

    /// Whether both are the same public key, or the same secret, for whatever algorithm.
    [[nodiscard]] bool is_same_material(Key const& other) const;

private:
    Key(Algorithm algorithm, std::string kid) : algorithm_{algorithm}, kid_{std::move(kid)} {}

    [[nodiscard]] bool verifies_signature(std::string_view text, std::string_view signature) const;
    [[nodiscard]] bool verifies_mac(std::string_view text, std::string_view signature) const;
    [[nodiscard]] bool verifies_ecdsa(std::string_view text, std::string_view signature) const;

    Algorithm algorithm_;
    std::string kid_;
    PublicKey public_;
    /// Waits for a text; both are copied for each use. To look an algorithm up for each text took
    /// 2.8 of 62 us of an ES256.
    Verification verification_;
    std::unique_ptr<EVP_MAC_CTX, KeyDelete> mac_; // with its secret
    std::string order_;                           // of its curve, in as many bytes as r and s have
};

struct Key::Made {
    std::optional<Key> key;
    std::string_view problem; // "is shorter than 2048 bits"
};

/// The algorithms for which a public key may serve: by its type and curve.
struct FittingAlgorithms {
    std::array<Algorithm, 2> all{};
    std::size_t count = 0;

    [[nodiscard]] bool has(Algorithm algorithm) const noexcept {
        return count > 0 && (all[0] == algorithm || (count > 1 && all[1] == algorithm));
    }
};
[[nodiscard]] FittingAlgorithms algorithms_of(EVP_PKEY const& key);

} // namespace sallyport::jose
