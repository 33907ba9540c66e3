// The keys of session tickets, their rotation, and OpenSSL's callback for them.
#include "gateway/net/ticket_keys.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

namespace sallyport::net {

namespace {

int keys_index() {
    static int const index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

// Fetched once: an implicit fetch for each ticket costs a microsecond and a lock (OpenSSL 3.0).
EVP_CIPHER const* cipher() {
    struct Free {
        void operator()(EVP_CIPHER* fetched) const noexcept { EVP_CIPHER_free(fetched); }
    };
    static std::unique_ptr<EVP_CIPHER, Free> const fetched(
        EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr));
    return fetched.get();
}

int set_mac(EVP_MAC_CTX* mac, TicketKeys::Key& key) {
    char digest[] = "SHA256";
    OSSL_PARAM const parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac.data(), key.mac.size()),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end()};
    return EVP_MAC_CTX_set_params(mac, parameters);
}

// SSL_CTX_set_tlsext_ticket_key_evp_cb(3): -1 ends the handshake, 0 goes on without the ticket, 1
// uses it, 2 uses it and gives a new one.
int on_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* context,
              EVP_MAC_CTX* mac, int encrypts) {
    auto* const keys =
        static_cast<TicketKeys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), keys_index()));
    if (keys == nullptr || cipher() == nullptr) return 0;
    auto const now = keys->now();
    if (encrypts == 1) {
        auto key = keys->current(now);
        if (!key) return 0;
        std::copy(key->name.begin(), key->name.end(), name);
        bool const is_set =
            RAND_bytes(iv, EVP_CIPHER_get_iv_length(cipher())) == 1
            && EVP_EncryptInit_ex(context, cipher(), nullptr, key->cipher.data(), iv) == 1
            && set_mac(mac, *key) == 1;
        return is_set ? 1 : -1;
    }
    auto found = keys->find(std::span<unsigned char const, 16>(name, 16), now);
    if (!found) return 0;
    bool const is_set =
        set_mac(mac, found->key) == 1
        && EVP_DecryptInit_ex(context, cipher(), nullptr, found->key.cipher.data(), iv) == 1;
    if (!is_set) return -1;
    // RFC 8446, C.4: clients should use a ticket once. Without the next one every second of their
    // handshakes would be a full one.
    bool const is_used_up = SSL_version(ssl) >= TLS1_3_VERSION;
    return is_used_up || found->age == TicketKeys::Age::older ? 2 : 1;
}

// Bytes of another program or of another version of this one begin differently.
constexpr std::array<unsigned char, 8> mark{'S', 'P', 'T', 'K', 'E', 'Y', 'S', '1'};

void append(unsigned char*& at, void const* bytes, std::size_t size) {
    std::memcpy(at, bytes, size);
    at += size;
}

void take(unsigned char const*& at, void* bytes, std::size_t size) {
    std::memcpy(bytes, at, size);
    at += size;
}

} // namespace

TicketKeys::Packed::~Packed() {
    OPENSSL_cleanse(bytes.data(), bytes.size());
}

TicketKeys::Key::~Key() {
    OPENSSL_cleanse(cipher.data(), cipher.size());
    OPENSSL_cleanse(mac.data(), mac.size());
}

TicketKeys::~TicketKeys() = default;

bool TicketKeys::rotate(Clock::time_point now) {
    if (keys_.front() && now - keys_.front()->made < period_) return true;
    Key fresh;
    fresh.made = now;
    if (RAND_bytes(fresh.name.data(), static_cast<int>(fresh.name.size())) != 1
        || RAND_priv_bytes(fresh.cipher.data(), static_cast<int>(fresh.cipher.size())) != 1
        || RAND_priv_bytes(fresh.mac.data(), static_cast<int>(fresh.mac.size())) != 1) {
        ERR_clear_error();
        return false;
    }
    for (std::size_t i = generations - 1; i > 0; --i)
        keys_[i] = keys_[i - 1];
    keys_.front() = fresh;
    return true;
}

std::optional<TicketKeys::Key> TicketKeys::current(Clock::time_point now) {
    std::lock_guard const lock{mutex_};
    if (!rotate(now)) return std::nullopt;
    return keys_.front();
}

std::optional<TicketKeys::Found> TicketKeys::find(std::span<unsigned char const, 16> name,
                                                  Clock::time_point now) {
    std::lock_guard const lock{mutex_};
    if (!rotate(now)) return std::nullopt;
    for (std::size_t i = 0; i < generations; ++i) {
        auto const& key = keys_[i];
        // By age too: without requests for a long time, no key has been rotated out.
        bool const is_alive =
            key && now - key->made < period_ * static_cast<Clock::rep>(generations);
        if (is_alive && std::equal(name.begin(), name.end(), key->name.begin()))
            return Found{*key, i == 0 ? Age::current : Age::older};
    }
    return std::nullopt;
}

TicketKeys::Packed TicketKeys::pack() {
    std::lock_guard const lock{mutex_};
    Packed packed;
    auto* at = packed.bytes.data();
    append(at, mark.data(), mark.size());
    for (auto const& key : keys_) {
        // A missing generation is written as zeros.
        auto const written = key ? *key : Key{};
        std::int64_t const made = written.made.time_since_epoch().count();
        *at++ = key ? 1 : 0;
        append(at, written.name.data(), written.name.size());
        append(at, written.cipher.data(), written.cipher.size());
        append(at, written.mac.data(), written.mac.size());
        append(at, &made, sizeof made);
    }
    return packed;
}

bool TicketKeys::unpack(std::span<unsigned char const> bytes) {
    if (bytes.size() != Packed::size || !std::equal(mark.begin(), mark.end(), bytes.begin()))
        return false;
    auto const* at = bytes.data() + mark.size();
    std::array<std::optional<Key>, generations> taken;
    for (auto& key : taken) {
        bool const is_there = *at++ == 1;
        Key read;
        std::int64_t made = 0;
        take(at, read.name.data(), read.name.size());
        take(at, read.cipher.data(), read.cipher.size());
        take(at, read.mac.data(), read.mac.size());
        take(at, &made, sizeof made);
        // The clock is the same in both programs: it counts from the start of the machine.
        read.made = Clock::time_point{Clock::duration{made}};
        if (read.made > now()) return false;
        if (is_there) key = read;
    }
    std::lock_guard const lock{mutex_};
    keys_ = taken;
    return true;
}

void TicketKeys::install(ssl_ctx_st* context) {
    SSL_CTX_set_ex_data(context, keys_index(), this);
    SSL_CTX_set_tlsext_ticket_key_evp_cb(context, on_ticket);
}

} // namespace sallyport::net
