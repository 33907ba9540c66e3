// Keys and JSON Web Tokens of an issuer, made with OpenSSL for the length of a test.
#include "tests/support/token_signer.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <stdexcept>
#include <vector>

namespace sallyport::test {

namespace {

[[noreturn]] void fail() {
    throw std::runtime_error{"OpenSSL does not do what the test needs"};
}

unsigned char const* bytes_of(std::string_view text) {
    return reinterpret_cast<unsigned char const*>(text.data());
}

std::string number(EVP_PKEY* key, char const* name, std::size_t size = 0) {
    BIGNUM* read = nullptr;
    if (EVP_PKEY_get_bn_param(key, name, &read) != 1) fail();
    std::unique_ptr<BIGNUM, decltype(&BN_free)> const owned{read, BN_free};
    std::string bytes(size == 0 ? static_cast<std::size_t>(BN_num_bytes(read)) : size, '\0');
    BN_bn2binpad(read, reinterpret_cast<unsigned char*>(bytes.data()),
                 static_cast<int>(bytes.size()));
    return bytes;
}

std::string member(std::string_view name, std::string_view bytes) {
    return ",\"" + std::string{name} + "\":\"" + encode_base64url(bytes) + '"';
}

bool is_rsa(std::string_view algorithm) {
    return algorithm == "RS256" || algorithm == "PS256";
}

bool is_ecdsa(std::string_view algorithm) {
    return algorithm == "ES256" || algorithm == "ES384";
}

std::size_t part_of(std::string_view algorithm) {
    return algorithm == "ES384" ? 48 : 32;
}

// RFC 7518, 3.4, from DER.
std::string raw_signature(std::string const& der, std::size_t part) {
    auto const* at = bytes_of(der);
    std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> const signature{
        d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())), ECDSA_SIG_free};
    std::string raw(2 * part, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(raw.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, static_cast<int>(part));
    BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + part, static_cast<int>(part));
    return raw;
}

template <class Write>
std::string written(Write const& write) {
    std::unique_ptr<BIO, decltype(&BIO_free_all)> const bio{BIO_new(BIO_s_mem()), BIO_free_all};
    if (write(bio.get()) != 1) fail();
    char* text = nullptr;
    auto const size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

} // namespace

std::string encode_base64url(std::string_view bytes) {
    std::vector<unsigned char> text(4 * ((bytes.size() + 2) / 3) + 1);
    auto const size = EVP_EncodeBlock(text.data(), bytes_of(bytes), static_cast<int>(bytes.size()));
    std::string out{reinterpret_cast<char const*>(text.data()), static_cast<std::size_t>(size)};
    while (out.ends_with('='))
        out.pop_back();
    for (char& c : out)
        c = c == '+' ? '-' : c == '/' ? '_' : c;
    return out;
}

TokenSigner::TokenSigner(std::string_view algorithm, std::string kid, unsigned bits)
    : algorithm_{algorithm}, kid_{std::move(kid)} {
    if (is_rsa(algorithm)) key_.reset(EVP_RSA_gen(bits));
    if (algorithm == "ES256") key_.reset(EVP_EC_gen("P-256"));
    if (algorithm == "ES384") key_.reset(EVP_EC_gen("P-384"));
    if (algorithm == "EdDSA") key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    if (algorithm == "HS256") {
        secret_.resize(32);
        if (RAND_bytes(reinterpret_cast<unsigned char*>(secret_.data()), 32) != 1) fail();
        return;
    }
    if (key_ == nullptr) fail();
}

std::string TokenSigner::jwk(std::string_view alg) const {
    std::string out = "{\"kid\":\"" + kid_ + '"';
    if (!alg.empty()) out += ",\"alg\":\"" + std::string{alg} + '"';
    auto* const key = key_.get();
    if (is_rsa(algorithm_)) {
        out += ",\"kty\":\"RSA\"" + member("n", number(key, OSSL_PKEY_PARAM_RSA_N))
               + member("e", number(key, OSSL_PKEY_PARAM_RSA_E));
    } else if (is_ecdsa(algorithm_)) {
        auto const size = part_of(algorithm_);
        out += R"(,"kty":"EC","crv":")";
        out += algorithm_ == "ES256" ? "P-256\"" : "P-384\"";
        out += member("x", number(key, OSSL_PKEY_PARAM_EC_PUB_X, size))
               + member("y", number(key, OSSL_PKEY_PARAM_EC_PUB_Y, size));
    } else if (algorithm_ == "EdDSA") {
        std::string bytes(32, '\0');
        std::size_t size = bytes.size();
        EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(bytes.data()), &size);
        out += R"(,"kty":"OKP","crv":"Ed25519")" + member("x", bytes);
    } else {
        out += R"(,"kty":"oct")" + member("k", secret_);
    }
    return out + '}';
}

std::string TokenSigner::pem() const {
    return written([this](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key_.get()); });
}

std::string TokenSigner::private_pem() const {
    return written([this](BIO* bio) {
        return PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
}

std::string TokenSigner::sign(std::string_view text) const {
    std::string out(1024, '\0');
    auto* const bytes = reinterpret_cast<unsigned char*>(out.data());
    std::size_t size = out.size();
    if (algorithm_ == "HS256") {
        unsigned mac_size = 0;
        HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()), bytes_of(text),
             text.size(), bytes, &mac_size);
        out.resize(mac_size);
        return out;
    }
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> const context{EVP_MD_CTX_new(),
                                                                          EVP_MD_CTX_free};
    auto const* const hash = algorithm_ == "EdDSA"   ? nullptr
                             : algorithm_ == "ES384" ? EVP_sha384()
                                                     : EVP_sha256();
    EVP_PKEY_CTX* parameters = nullptr;
    EVP_DigestSignInit(context.get(), &parameters, hash, nullptr, key_.get());
    if (algorithm_ == "PS256") {
        EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING);
        EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST);
    }
    if (EVP_DigestSign(context.get(), bytes, &size, bytes_of(text), text.size()) != 1) fail();
    out.resize(size);
    return is_ecdsa(algorithm_) ? raw_signature(out, part_of(algorithm_)) : out;
}

std::string TokenSigner::token(std::string_view header, std::string_view payload) const {
    auto const text = encode_base64url(header) + '.' + encode_base64url(payload);
    return text + '.' + encode_base64url(sign(text));
}

std::string TokenSigner::header() const {
    return R"({"alg":")" + algorithm_ + R"(","kid":")" + kid_ + "\"}";
}

std::string TokenSigner::token(std::string_view payload) const {
    return token(header(), payload);
}

std::string key_set(std::initializer_list<std::string> jwks) {
    std::string out = "{\"keys\":[";
    for (auto const& jwk : jwks)
        out += jwk + ',';
    if (out.ends_with(',')) out.pop_back();
    return out + "]}";
}

} // namespace sallyport::test
