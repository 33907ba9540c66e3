// A key that verifies signatures of one algorithm: see key.h.
#include "gateway/jose/key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <new>
#include <utility>

namespace sallyport::jose {

namespace {

struct Delete {
    void operator()(EVP_PKEY_CTX* context) const noexcept { EVP_PKEY_CTX_free(context); }
    void operator()(EVP_MAC* mac) const noexcept { EVP_MAC_free(mac); }
    void operator()(BIGNUM* number) const noexcept { BN_free(number); }
    void operator()(ECDSA_SIG* signature) const noexcept { ECDSA_SIG_free(signature); }
};
template <class T>
using Owned = std::unique_ptr<T, Delete>;

unsigned char const* bytes_of(std::string_view text) {
    return reinterpret_cast<unsigned char const*>(text.data());
}

constexpr std::size_t mac_size = 32;

// Bytes of r and of s (RFC 7518, 3.4); 0: no ECDSA.
constexpr std::size_t part_of_ecdsa(Algorithm algorithm) {
    return algorithm == Algorithm::es256 ? 32 : algorithm == Algorithm::es384 ? 48 : 0;
}

// RFC 7518, 3.4: the curve belongs to the algorithm.
std::string_view curve_of(EVP_PKEY const& key, std::array<char, 64>& storage) {
    std::size_t size = 0;
    bool const has_curve = EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_GROUP_NAME,
                                                          storage.data(), storage.size(), &size)
                           == 1;
    return has_curve ? std::string_view{storage.data(), size} : std::string_view{};
}

Owned<BIGNUM> number_of(EVP_PKEY const& key, char const* name) {
    BIGNUM* number = nullptr;
    static_cast<void>(EVP_PKEY_get_bn_param(&key, name, &number));
    return Owned<BIGNUM>{number};
}

// An exponent of 1 makes every text its own signature. NIST SP 800-56B has 65537 at least, and 3 is
// still in use; OpenSSL takes at most 64 bits with a long modulus.
bool has_usable_exponent(EVP_PKEY const& key) {
    auto const exponent = number_of(key, OSSL_PKEY_PARAM_RSA_E);
    return exponent != nullptr && BN_is_odd(exponent.get()) == 1 && BN_is_one(exponent.get()) == 0
           && BN_num_bits(exponent.get()) <= 64;
}

// Whether the numbers of a key are one: a point on its curve, a modulus without small factors.
bool is_sound(EVP_PKEY& key) {
    Owned<EVP_PKEY_CTX> const context{EVP_PKEY_CTX_new_from_pkey(nullptr, &key, nullptr)};
    return context != nullptr && EVP_PKEY_public_check(context.get()) == 1;
}

// The points of Ed25519 whose order divides 8, as the y of each (RFC 8032, 5.1.2), also those that
// are not reduced. Such a key takes some signature that is the same for all texts.
bool has_small_order(std::array<unsigned char, 32> y) {
    using Bytes = std::array<unsigned char, 32>;
    constexpr auto filled = [](unsigned char first, unsigned char others, unsigned char last) {
        Bytes bytes{};
        bytes.fill(others);
        bytes.front() = first;
        bytes.back() = last;
        return bytes;
    };
    constexpr std::array<Bytes, 7> all{
        filled(0x00, 0x00, 0x00),
        filled(0x01, 0x00, 0x00),
        Bytes{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
              0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
              0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
        Bytes{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
              0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
              0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
        filled(0xec, 0xff, 0x7f),
        filled(0xed, 0xff, 0x7f),
        filled(0xee, 0xff, 0x7f)};
    y.back() &= 0x7f; // the sign of x
    return std::find(all.begin(), all.end(), y) != all.end();
}

std::string_view problem_of(EVP_PKEY& key) {
    if (EVP_PKEY_get_base_id(&key) == EVP_PKEY_ED25519) {
        std::array<unsigned char, 32> y{};
        auto size = y.size();
        bool const is_read = EVP_PKEY_get_raw_public_key(&key, y.data(), &size) == 1;
        if (!is_read || size != y.size() || has_small_order(y))
            return "is no valid key of its type";
    }
    if (EVP_PKEY_get_base_id(&key) == EVP_PKEY_RSA) {
        auto const bits = EVP_PKEY_get_bits(&key);
        if (bits < least_rsa_bits) return "is an RSA key of less than 2048 bits";
        if (bits > most_rsa_bits) return "is an RSA key of more than 8192 bits";
        if (!has_usable_exponent(key)) return "is an RSA key whose exponent is no safe one";
    }
    return is_sound(key) ? std::string_view{} : "is no valid key of its type";
}

std::string order_of(EVP_PKEY const& key, std::size_t size) {
    std::string order(size, '\0');
    auto const number = number_of(key, OSSL_PKEY_PARAM_EC_ORDER);
    auto const written =
        number == nullptr
            ? -1
            : BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(order.data()),
                           static_cast<int>(size));
    return written == static_cast<int>(size) ? order : std::string{};
}

// As DER (RFC 3279, 2.2.3), which OpenSSL verifies; empty where r or s is out of range.
std::string as_der(std::string_view r, std::string_view s) {
    Owned<BIGNUM> first{BN_bin2bn(bytes_of(r), static_cast<int>(r.size()), nullptr)};
    Owned<BIGNUM> second{BN_bin2bn(bytes_of(s), static_cast<int>(s.size()), nullptr)};
    Owned<ECDSA_SIG> const signature{ECDSA_SIG_new()};
    if (!first || !second || !signature) throw std::bad_alloc{};
    if (ECDSA_SIG_set0(signature.get(), first.get(), second.get()) != 1) return {};
    static_cast<void>(first.release()); // they are the signature's now
    static_cast<void>(second.release());
    unsigned char* encoded = nullptr;
    auto const size = i2d_ECDSA_SIG(signature.get(), &encoded);
    if (size <= 0) throw std::bad_alloc{};
    std::string der{reinterpret_cast<char const*>(encoded), static_cast<std::size_t>(size)};
    OPENSSL_free(encoded);
    return der;
}

// Null: OpenSSL has no such algorithm.
Verification make_verification(EVP_PKEY& key, Algorithm algorithm) {
    Verification context{EVP_MD_CTX_new()};
    if (!context) throw std::bad_alloc{};
    auto const* const hash = algorithm == Algorithm::eddsa   ? nullptr
                             : algorithm == Algorithm::es384 ? "SHA384"
                                                             : "SHA256";
    EVP_PKEY_CTX* parameters = nullptr; // the context's
    bool is_ready =
        EVP_DigestVerifyInit_ex(context.get(), &parameters, hash, nullptr, nullptr, &key, nullptr)
        == 1;
    // RFC 7518, 3.5: MGF1 with the same hash, and a salt as long as it.
    if (is_ready && algorithm == Algorithm::ps256) {
        is_ready = EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
                   && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1;
    }
    if (!is_ready) context.reset();
    return context;
}

} // namespace

FittingAlgorithms algorithms_of(EVP_PKEY const& key) {
    switch (EVP_PKEY_get_base_id(&key)) {
    case EVP_PKEY_RSA: return {{Algorithm::rs256, Algorithm::ps256}, 2};
    case EVP_PKEY_ED25519: return {{Algorithm::eddsa}, 1};
    case EVP_PKEY_EC: break;
    default: return {};
    }
    std::array<char, 64> storage{};
    auto const curve = curve_of(key, storage);
    if (curve == "prime256v1") return {{Algorithm::es256}, 1};
    if (curve == "secp384r1") return {{Algorithm::es384}, 1};
    return {};
}

Key::Made Key::of_public(Algorithm algorithm, std::string kid, PublicKey key) {
    if (key == nullptr) return {std::nullopt, "is no valid key of its type"};
    if (!algorithms_of(*key).has(algorithm))
        return {std::nullopt, "is of another type or curve than its algorithm's"};
    if (auto const problem = problem_of(*key); !problem.empty()) {
        ERR_clear_error();
        return {std::nullopt, problem};
    }
    Key made{algorithm, std::move(kid)};
    if (auto const size = part_of_ecdsa(algorithm); size != 0) {
        made.order_ = order_of(*key, size);
        if (made.order_.empty()) return {std::nullopt, "is no valid key of its type"};
    }
    made.verification_ = make_verification(*key, algorithm);
    if (made.verification_ == nullptr) {
        ERR_clear_error();
        return {std::nullopt, "cannot be used: OpenSSL does not have its algorithm"};
    }
    made.public_ = std::move(key);
    return {std::move(made), {}};
}

Key::Made Key::of_secret(std::string kid, std::string_view secret) {
    if (secret.size() < least_hmac_bytes) return {std::nullopt, "is shorter than 32 bytes"};
    Owned<EVP_MAC> const hmac{EVP_MAC_fetch(nullptr, "HMAC", nullptr)};
    Key made{Algorithm::hs256, std::move(kid)};
    made.mac_.reset(hmac == nullptr ? nullptr : EVP_MAC_CTX_new(hmac.get()));
    std::string hash{"SHA256"};
    std::array<OSSL_PARAM, 2> const parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, hash.data(), hash.size()),
        OSSL_PARAM_construct_end()};
    bool const is_ready =
        made.mac_ != nullptr
        && EVP_MAC_init(made.mac_.get(), bytes_of(secret), secret.size(), parameters.data()) == 1;
    if (!is_ready) return {std::nullopt, "cannot be used: OpenSSL has no HMAC with SHA-256"};
    return {std::move(made), {}};
}

bool Key::verifies(std::string_view text, std::string_view signature) const {
    if (algorithm_ == Algorithm::hs256) return verifies_mac(text, signature);
    if (!order_.empty()) return verifies_ecdsa(text, signature);
    return verifies_signature(text, signature);
}

bool Key::verifies_signature(std::string_view text, std::string_view signature) const {
    Verification const context{EVP_MD_CTX_new()};
    bool const is_copied =
        context != nullptr && EVP_MD_CTX_copy_ex(context.get(), verification_.get()) == 1;
    if (!is_copied) throw std::bad_alloc{};
    bool const is_right = EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(),
                                           bytes_of(text), text.size())
                          == 1;
    if (!is_right) ERR_clear_error();
    return is_right;
}

// RFC 7518, 3.2: compared in constant time.
bool Key::verifies_mac(std::string_view text, std::string_view signature) const {
    if (signature.size() != mac_size) return false;
    std::unique_ptr<EVP_MAC_CTX, KeyDelete> const context{EVP_MAC_CTX_dup(mac_.get())};
    std::array<unsigned char, mac_size> mac{};
    std::size_t size = 0;
    bool const is_computed =
        context != nullptr && EVP_MAC_update(context.get(), bytes_of(text), text.size()) == 1
        && EVP_MAC_final(context.get(), mac.data(), &size, mac.size()) == 1 && size == mac.size();
    if (!is_computed) throw std::bad_alloc{};
    return CRYPTO_memcmp(mac.data(), signature.data(), mac.size()) == 0;
}

// RFC 7518, 3.4: r and s one after the other, each as long as the order of the curve. Both are at
// least 1 and less than the order (FIPS 186-5, 6.4.2): libraries that forgot it took a signature of
// zeros for any text (CVE-2022-21449).
bool Key::verifies_ecdsa(std::string_view text, std::string_view signature) const {
    auto const size = order_.size();
    if (signature.size() != 2 * size) return false;
    auto const is_in_range = [this](std::string_view number) {
        bool const is_zero = number.find_first_not_of('\0') == std::string_view::npos;
        auto const is_less = [](char a, char b) {
            return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
        };
        return !is_zero
               && std::lexicographical_compare(number.begin(), number.end(), order_.begin(),
                                               order_.end(), is_less);
    };
    auto const r = signature.substr(0, size);
    auto const s = signature.substr(size);
    if (!is_in_range(r) || !is_in_range(s)) return false;
    auto const der = as_der(r, s);
    return !der.empty() && verifies_signature(text, der);
}

bool Key::is_costly() const noexcept {
    if (algorithm_ == Algorithm::es384) return true;
    bool const is_rsa =
        public_ != nullptr && EVP_PKEY_get_base_id(public_.get()) == EVP_PKEY_RSA;
    return is_rsa && EVP_PKEY_get_bits(public_.get()) >= costly_rsa_bits;
}

bool Key::is_same_material(Key const& other) const {
    if (public_ != nullptr && other.public_ != nullptr)
        return EVP_PKEY_eq(public_.get(), other.public_.get()) == 1;
    if (mac_ == nullptr || other.mac_ == nullptr) return false;
    constexpr std::string_view probe = "the same secret has the same code";
    std::array<unsigned char, mac_size> mac{};
    std::size_t size = 0;
    std::unique_ptr<EVP_MAC_CTX, KeyDelete> const context{EVP_MAC_CTX_dup(mac_.get())};
    bool const is_computed = context != nullptr
                             && EVP_MAC_update(context.get(), bytes_of(probe), probe.size()) == 1
                             && EVP_MAC_final(context.get(), mac.data(), &size, mac.size()) == 1;
    return is_computed
           && other.verifies_mac(probe, {reinterpret_cast<char const*>(mac.data()), size});
}

} // namespace sallyport::jose
