// Keys and JSON Web Tokens of an issuer, made with OpenSSL for the length of a test.
#pragma once

#include <openssl/evp.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::test {

[[nodiscard]] std::string encode_base64url(std::string_view bytes);

/// A pair of keys, or a secret of 32 bytes for HS256.
class TokenSigner {
public:
    /// `algorithm`: as `alg` has it. `bits`: of RSA.
    explicit TokenSigner(std::string_view algorithm, std::string kid = "k1", unsigned bits = 2048);

    /// The public key as a JWK, with its `kid` and `alg`; of HS256 the secret.
    [[nodiscard]] std::string jwk() const { return jwk(algorithm_); }
    /// With another `alg`; empty: without.
    [[nodiscard]] std::string jwk(std::string_view alg) const;
    /// The public key in PEM.
    [[nodiscard]] std::string pem() const;
    [[nodiscard]] std::string private_pem() const;

    /// The signature over a text in the form of RFC 7518.
    [[nodiscard]] std::string sign(std::string_view text) const;
    /// A token with this header and payload, whatever they say.
    [[nodiscard]] std::string token(std::string_view header, std::string_view payload) const;
    /// With a header that has the key's `alg` and `kid`.
    [[nodiscard]] std::string token(std::string_view payload) const;
    [[nodiscard]] std::string header() const;

    [[nodiscard]] std::string const& secret() const { return secret_; }

private:
    struct Delete {
        void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
    };

    std::string algorithm_;
    std::string kid_;
    std::unique_ptr<EVP_PKEY, Delete> key_;
    std::string secret_;
};

/// `{"keys":[...]}`
[[nodiscard]] std::string key_set(std::initializer_list<std::string> jwks);

} // namespace sallyport::test
