// Keys of handshakes: SHA-1, base64 and random bytes of OpenSSL.
#include "gateway/websocket/key.h"

#include "gateway/http/characters.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

namespace sallyport::websocket {

namespace {

// RFC 6455, 1.3.
constexpr std::string_view accept_guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::string_view key_padding = "==";
constexpr std::size_t key_bytes = 16;

// EVP_EncodeBlock() writes a NUL behind the text.
template <std::size_t text_size, std::size_t byte_count>
HandshakeText<text_size> in_base64(std::array<unsigned char, byte_count> const& bytes) noexcept {
    static_assert((byte_count + 2) / 3 * 4 == text_size);
    std::array<unsigned char, text_size + 1> encoded{};
    EVP_EncodeBlock(encoded.data(), bytes.data(), static_cast<int>(bytes.size()));
    HandshakeText<text_size> text{};
    std::copy_n(encoded.begin(), text_size, text.characters.begin());
    return text;
}

constexpr bool is_base64_character(char c) noexcept {
    return text::is_letter_or_digit(c) || c == '+' || c == '/';
}

} // namespace

bool is_key(std::string_view text) noexcept {
    if (text.size() != key_size || !text.ends_with(key_padding)) return false;
    text.remove_suffix(key_padding.size());
    return std::all_of(text.begin(), text.end(), is_base64_character);
}

std::optional<Key> make_key() noexcept {
    std::array<unsigned char, key_bytes> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return std::nullopt;
    return in_base64<key_size>(bytes);
}

std::optional<Accept> accept_of(std::string_view key) noexcept {
    std::array<char, key_size + accept_guid.size()> joined{};
    if (key.size() != key_size) return std::nullopt;
    key.copy(joined.data(), key.size());
    accept_guid.copy(joined.data() + key_size, accept_guid.size());
    std::array<unsigned char, SHA_DIGEST_LENGTH> hash{};
    if (EVP_Q_digest(nullptr, "SHA1", nullptr, joined.data(), joined.size(), hash.data(), nullptr)
        != 1)
        return std::nullopt;
    return in_base64<accept_size>(hash);
}

} // namespace sallyport::websocket
