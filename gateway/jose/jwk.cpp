// A JSON Web Key for verification: see jwk.h.
#include "gateway/jose/jwk.h"

#include "gateway/jose/base64url.h"
#include "gateway/jose/strict_json.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <utility>

namespace sallyport::jose {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t longest_kid = 256;

struct Delete {
    void operator()(EVP_PKEY_CTX* context) const noexcept { EVP_PKEY_CTX_free(context); }
    void operator()(OSSL_PARAM_BLD* builder) const noexcept { OSSL_PARAM_BLD_free(builder); }
    void operator()(OSSL_PARAM* parameters) const noexcept { OSSL_PARAM_free(parameters); }
    void operator()(BIGNUM* number) const noexcept { BN_free(number); }
};
template <class T>
using Owned = std::unique_ptr<T, Delete>;

std::optional<std::string> bytes_member(dom::object jwk, std::string_view name) {
    auto const text = text_member(jwk, name);
    if (!text || text->empty()) return std::nullopt;
    return decode_base64url(*text);
}

unsigned char const* bytes_of(std::string const& text) {
    return reinterpret_cast<unsigned char const*>(text.data());
}

// Null: the numbers are no key.
PublicKey make_key(char const* type, OSSL_PARAM_BLD* builder) {
    Owned<OSSL_PARAM> const parameters{OSSL_PARAM_BLD_to_param(builder)};
    Owned<EVP_PKEY_CTX> const context{EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr)};
    EVP_PKEY* key = nullptr;
    bool const is_made =
        parameters != nullptr && context != nullptr && EVP_PKEY_fromdata_init(context.get()) == 1
        && EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) == 1;
    if (!is_made) ERR_clear_error();
    return PublicKey{is_made ? key : nullptr};
}

// RFC 7518, 6.3.1: without leading zero bytes, which other readers refuse too.
PublicKey read_rsa(dom::object jwk) {
    auto const modulus = bytes_member(jwk, "n");
    auto const exponent = bytes_member(jwk, "e");
    if (!modulus || !exponent || modulus->size() > most_rsa_bits / 8 || exponent->size() > 8)
        return nullptr;
    if (modulus->front() == '\0' || exponent->front() == '\0') return nullptr;
    Owned<BIGNUM> const n{
        BN_bin2bn(bytes_of(*modulus), static_cast<int>(modulus->size()), nullptr)};
    Owned<BIGNUM> const e{
        BN_bin2bn(bytes_of(*exponent), static_cast<int>(exponent->size()), nullptr)};
    Owned<OSSL_PARAM_BLD> const builder{OSSL_PARAM_BLD_new()};
    bool const has_all = n && e && builder
                         && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get())
                         && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
    return has_all ? make_key("RSA", builder.get()) : nullptr;
}

// RFC 7518, 6.2.1.1 and RFC 8037, 2: there are others (P-521, X25519), and more may be registered.
bool has_supported_curve(std::string_view type, dom::object jwk) {
    auto const curve = text_member(jwk, "crv");
    if (!curve) return true; // it lacks a member
    return type == "EC" ? *curve == "P-256" || *curve == "P-384" : *curve == "Ed25519";
}

// RFC 7518, 6.2.1: both coordinates have the full length of the curve's field.
PublicKey read_ec(dom::object jwk) {
    auto const curve = text_member(jwk, "crv");
    auto const x = bytes_member(jwk, "x");
    auto const y = bytes_member(jwk, "y");
    if (!curve || !x || !y) return nullptr;
    bool const is_256 = *curve == "P-256";
    if (!is_256 && *curve != "P-384") return nullptr;
    std::size_t const size = is_256 ? 32 : 48;
    if (x->size() != size || y->size() != size) return nullptr;
    auto const point = '\x04' + *x + *y; // SEC 1, 2.3.3: uncompressed
    Owned<OSSL_PARAM_BLD> const builder{OSSL_PARAM_BLD_new()};
    bool const has_all =
        builder
        && OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME,
                                           is_256 ? "prime256v1" : "secp384r1", 0)
        && OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                            point.size());
    return has_all ? make_key("EC", builder.get()) : nullptr;
}

// RFC 8037, 2.
PublicKey read_okp(dom::object jwk) {
    auto const x = bytes_member(jwk, "x");
    if (text_member(jwk, "crv") != "Ed25519" || !x || x->size() != 32) return nullptr;
    PublicKey key{EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(*x), x->size())};
    if (key == nullptr) ERR_clear_error();
    return key;
}

ReadJwk ignored(std::string why) {
    return {ReadJwk::Kind::ignored, std::nullopt, std::move(why)};
}
ReadJwk unusable(std::string why) {
    return {ReadJwk::Kind::unusable, std::nullopt, std::move(why)};
}
ReadJwk refused(std::string why) {
    return {ReadJwk::Kind::refused, std::nullopt, std::move(why)};
}
ReadJwk used(Key::Made made) {
    if (!made.key) return unusable(std::string{made.problem});
    return {ReadJwk::Kind::used, std::move(made.key), {}};
}

// RFC 7517, 4.3: whether the key is meant for verification.
bool has_verify(dom::element operations) {
    dom::array list;
    if (operations.get_array().get(list) != simdjson::SUCCESS) return false;
    return std::any_of(list.begin(), list.end(), [](dom::element one) {
        std::string_view text;
        return one.get_string().get(text) == simdjson::SUCCESS && text == "verify";
    });
}

// Why a key is for something else; empty: it is for signatures.
std::string_view other_use(dom::object jwk) {
    if (has_member(jwk, "use") && text_member(jwk, "use") != "sig")
        return "is not for signatures (`use`)";
    dom::element operations;
    if (jwk.at_key("key_ops").get(operations) == simdjson::SUCCESS && !has_verify(operations))
        return "is not for verification (`key_ops`)";
    return {};
}

// What `alg` says; none: nothing.
struct Stated {
    bool is_stated = false;
    std::optional<Algorithm> algorithm; // none: one that is not used
};

Stated stated_algorithm(dom::object jwk, std::span<Algorithm const> algorithms) {
    if (!has_member(jwk, "alg")) return {};
    auto const found = find_algorithm(text_member(jwk, "alg").value_or(""));
    bool const is_used =
        found && std::find(algorithms.begin(), algorithms.end(), *found) != algorithms.end();
    return {true, is_used ? found : std::nullopt};
}

ReadJwk read_secret(dom::object jwk, std::string kid, Stated const& stated,
                    std::span<Algorithm const> algorithms) {
    bool const is_used =
        std::find(algorithms.begin(), algorithms.end(), Algorithm::hs256) != algorithms.end();
    if (!is_used) return ignored("is a secret, and `algorithms` does not have HS256");
    if (stated.is_stated && stated.algorithm != Algorithm::hs256)
        return refused("is a secret, and its `alg` is not HS256");
    auto secret = bytes_member(jwk, "k");
    if (!secret) return unusable("has no base64url in `k`");
    auto read = used(Key::of_secret(std::move(kid), *secret));
    OPENSSL_cleanse(secret->data(), secret->size());
    return read;
}

// RFC 7517, 9.2: a private key has no place at a verifier.
bool has_private_part(dom::object jwk) {
    return has_member(jwk, "d") || has_member(jwk, "p") || has_member(jwk, "q");
}

ReadJwk published_private_key() {
    return refused("has the private key in it, which only its issuer may have");
}

ReadJwk judge(dom::object jwk, std::span<Algorithm const> algorithms) {
    auto const type = text_member(jwk, "kty");
    if (!type) return unusable("has no `kty`");
    std::string kid;
    if (has_member(jwk, "kid")) {
        auto const text = text_member(jwk, "kid");
        if (!text || text->empty() || text->size() > longest_kid)
            return unusable("has a `kid` that is no text of 1 to 256 bytes");
        kid = *text;
    }
    if (auto const use = other_use(jwk); !use.empty()) return ignored(std::string{use});
    auto const stated = stated_algorithm(jwk, algorithms);
    if (stated.is_stated && !stated.algorithm)
        return ignored("is for an algorithm that `algorithms` does not have");
    if (*type == "oct") return read_secret(jwk, std::move(kid), stated, algorithms);
    bool const is_known = *type == "RSA" || *type == "EC" || *type == "OKP";
    if (!is_known) return ignored("is of a type that is not known");
    if (has_private_part(jwk)) return published_private_key();
    if (*type != "RSA" && !has_supported_curve(*type, jwk))
        return {ReadJwk::Kind::unsupported, std::nullopt, "is of a curve that is not supported"};
    auto key = *type == "RSA" ? read_rsa(jwk) : *type == "EC" ? read_ec(jwk) : read_okp(jwk);
    if (key == nullptr) return unusable("is no valid key of its type");
    auto const fitting = algorithms_of(*key);
    auto const algorithm = stated.is_stated ? stated.algorithm : only_fitting(fitting, algorithms);
    if (algorithm) return used(Key::of_public(*algorithm, std::move(kid), std::move(key)));
    bool const is_ambiguous = std::count_if(algorithms.begin(), algorithms.end(),
                                            [&](auto const one) { return fitting.has(one); })
                              > 1;
    if (is_ambiguous) return unusable("has no `alg`, and two of `algorithms` fit it");
    return ignored("fits none of `algorithms`");
}

} // namespace

std::optional<Algorithm> only_fitting(FittingAlgorithms const& fitting,
                                      std::span<Algorithm const> algorithms) {
    std::optional<Algorithm> found;
    for (auto const one : algorithms) {
        if (!fitting.has(one)) continue;
        if (found) return std::nullopt;
        found = one;
    }
    return found;
}

ReadJwk read_jwk(dom::object jwk, std::span<Algorithm const> algorithms) {
    auto read = judge(jwk, algorithms);
    bool const is_broken = read.kind == ReadJwk::Kind::unusable;
    return is_broken && has_private_part(jwk) ? published_private_key() : std::move(read);
}

} // namespace sallyport::jose
