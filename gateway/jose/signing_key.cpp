// Keys with which the gateway signs tokens of its own (ES256), and how one follows another.
#include "gateway/jose/signing_key.h"

#include "gateway/jose/base64url.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace sallyport::jose {

namespace {

// RFC 7518, 3.4: of P-256.
constexpr std::size_t coordinate_size = 32;
using Coordinate = std::array<unsigned char, coordinate_size>;

// Clocks of those who verify may be behind; and requests that began with the configuration before
// are signed a little later.
constexpr std::chrono::minutes leeway{5};

std::string encode(std::span<unsigned char const> bytes) {
    return encode_base64url({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}

// A coordinate of the public key, with its leading zeros (RFC 7518, 6.2.1.2).
std::string coordinate_of(EVP_PKEY* key, char const* name) {
    BIGNUM* number = nullptr;
    Coordinate bytes{};
    bool const is_there = EVP_PKEY_get_bn_param(key, name, &number) == 1
                          && BN_bn2binpad(number, bytes.data(), static_cast<int>(bytes.size()))
                                 == static_cast<int>(bytes.size());
    BN_free(number);
    if (!is_there) throw std::runtime_error("OpenSSL does not give a public key");
    return encode(bytes);
}

std::string sha256_of(std::string const& text) {
    std::array<unsigned char, 32> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("OpenSSL does not make a digest");
    return encode(digest);
}

// Never asks at a terminal.
int no_pass_phrase(char*, int, int, void* was_asked) {
    *static_cast<bool*>(was_asked) = true;
    return 0;
}

bool is_p256(EVP_PKEY* key) {
    std::array<char, 32> group{};
    std::size_t size = 0;
    return EVP_PKEY_is_a(key, "EC") == 1
           && EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1
           && std::string_view{group.data(), size} == SN_X9_62_prime256v1;
}

// RFC 7518, 3.4: R and S, each of 32 bytes, instead of OpenSSL's DER.
bool to_raw(std::span<unsigned char const> der, std::array<unsigned char, 64>& raw) {
    auto const* at = der.data();
    ECDSA_SIG* const signature = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
    if (signature == nullptr) return false;
    constexpr int size = static_cast<int>(coordinate_size);
    bool const is_written =
        BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw.data(), size) == size
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw.data() + coordinate_size, size) == size;
    ECDSA_SIG_free(signature);
    return is_written;
}

} // namespace

void SigningKey::Delete::operator()(evp_pkey_st* key) const noexcept {
    EVP_PKEY_free(key);
}

SigningKey::SigningKey(Pointer key) : key_{std::move(key)} {
    auto const x = coordinate_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X);
    auto const y = coordinate_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y);
    // RFC 7638, 3: the required members alone, in the order of their names.
    auto const members = R"("crv":"P-256","kty":"EC","x":")" + x + R"(","y":")" + y + '"';
    id_ = sha256_of('{' + members + '}');
    jwk_ = '{' + members + R"(,"alg":"ES256","use":"sig","kid":")" + id_ + "\"}";
    header_ = encode_base64url(R"({"alg":"ES256","typ":"JWT","kid":")" + id_ + "\"}") + '.';
}

SigningKey::Loaded SigningKey::load(std::string_view pem) {
    Loaded loaded;
    bool was_asked = false;
    BIO* const source = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    Pointer key{PEM_read_bio_PrivateKey(source, nullptr, no_pass_phrase, &was_asked)};
    BIO_free(source);
    ERR_clear_error();
    if (!key) {
        loaded.problem =
            was_asked ? "the private key has a pass phrase" : "holds no private key in PEM";
        return loaded;
    }
    if (!is_p256(key.get())) {
        loaded.problem = "the private key is not one for ES256: an EC key on the curve P-256";
        return loaded;
    }
    try {
        loaded.key = std::shared_ptr<SigningKey const>{new SigningKey{std::move(key)}};
    } catch (std::runtime_error const& error) {
        loaded.problem = error.what();
    }
    return loaded;
}

std::shared_ptr<SigningKey const> SigningKey::make() {
    Pointer key{EVP_EC_gen("P-256")};
    if (!key) throw std::runtime_error("OpenSSL does not make a key");
    return std::shared_ptr<SigningKey const>{new SigningKey{std::move(key)}};
}

std::string SigningKey::sign(std::string_view payload) const {
    auto token = header_ + encode_base64url(payload);
    std::array<unsigned char, 80> der{}; // at most 72 bytes for P-256
    std::array<unsigned char, 64> raw{};
    std::size_t size = der.size();
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    bool const is_signed =
        context != nullptr
        && EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key_.get()) == 1
        && EVP_DigestSign(context, der.data(), &size,
                          reinterpret_cast<unsigned char const*>(token.data()), token.size())
               == 1
        && to_raw({der.data(), size}, raw);
    EVP_MD_CTX_free(context);
    if (!is_signed) {
        ERR_clear_error();
        return {};
    }
    return token + '.' + encode(raw);
}

bool SigningKeys::adopt(Settings const& settings, Key key, Time now) {
    std::lock_guard const held{lock_};
    settings_ = settings;
    if (ends_ && *ends_ <= now) { // as if it were the first time
        current_.reset();
        next_.reset();
        retired_.clear();
    }
    ends_.reset();
    advance(now);
    if (current_ == nullptr) {
        current_ = key != nullptr ? std::move(key) : SigningKey::make();
        signs_since_ = now;
        return true;
    }
    if (key == nullptr) return false; // the next one is made when it is time
    auto const& newest = next_ ? next_->key : current_;
    if (key->id() == newest->id()) return false;
    replace(std::move(key), now);
    return true;
}

// Publishes a key that signs later. One that has not signed yet is no longer needed.
void SigningKeys::replace(Key key, Time now) {
    if (key->id() == current_->id()) {
        next_.reset(); // back to the one before
        return;
    }
    next_ = Waiting{std::move(key), now + settings_.publish_ahead};
}

void SigningKeys::advance(Time now) {
    std::erase_if(retired_, [now](Retired const& one) { return one.until <= now; });
    if (current_ == nullptr) return;
    if (next_ && next_->signs_from <= now) {
        auto const until = now + settings_.lifetime + leeway;
        // A key of a file may come back.
        std::erase_if(retired_,
                      [this](Retired const& one) { return one.key->id() == next_->key->id(); });
        retired_.push_back({std::move(current_), until});
        current_ = std::move(next_->key);
        signs_since_ = now;
        next_.reset();
    }
    auto const& every = settings_.rotate_every;
    if (every && !next_ && now - signs_since_ + settings_.publish_ahead >= *every)
        replace(SigningKey::make(), now);
}

void SigningKeys::retire(Time now) {
    std::lock_guard const held{lock_};
    advance(now);
    if (!ends_) ends_ = now + settings_.lifetime + leeway;
}

SigningKeys::Key SigningKeys::newest() {
    std::lock_guard const held{lock_};
    return next_ ? next_->key : current_;
}

SigningKeys::Key SigningKeys::current(Time now) {
    std::lock_guard const held{lock_};
    advance(now);
    return current_;
}

std::vector<SigningKeys::Key> SigningKeys::published(Time now) {
    std::lock_guard const held{lock_};
    std::vector<Key> keys;
    if (ends_ && *ends_ <= now) return keys;
    advance(now);
    if (current_ != nullptr) keys.push_back(current_);
    if (next_) keys.push_back(next_->key);
    for (auto const& one : retired_)
        keys.push_back(one.key);
    return keys;
}

std::shared_ptr<SigningKeys> KeySources::of(std::string const& file) {
    std::lock_guard const held{lock_};
    auto& keys = sources_[file];
    if (keys == nullptr) keys = std::make_shared<SigningKeys>();
    return keys;
}

void KeySources::keep_only(std::vector<std::shared_ptr<SigningKeys>> const& used,
                           SigningKeys::Time now) {
    std::lock_guard const held{lock_};
    for (auto const& [file, keys] : sources_)
        if (std::find(used.begin(), used.end(), keys) == used.end()) keys->retire(now);
}

std::string KeySources::key_set(SigningKeys::Time now) const {
    std::lock_guard const held{lock_};
    std::string set = R"({"keys":[)";
    std::vector<std::string> seen; // two files may have one key
    for (auto const& [file, keys] : sources_) {
        for (auto const& key : keys->published(now)) {
            if (std::find(seen.begin(), seen.end(), key->id()) != seen.end()) continue;
            if (!seen.empty()) set += ',';
            seen.push_back(key->id());
            set += key->public_jwk();
        }
    }
    return set + "]}";
}

} // namespace sallyport::jose
