// base64url without padding: see base64url.h.
#include "gateway/jose/base64url.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sallyport::jose {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t no_value = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_value);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return values;
}

constexpr std::array<std::uint8_t, 256> values = make_values();

} // namespace

std::optional<std::string> decode_base64url(std::string_view text) {
    // RFC 4648, 4: four characters are three bytes; one alone is none.
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes(text.size() * 3 / 4, '\0');
    std::size_t written = 0;
    std::uint32_t bits = 0;
    unsigned bit_count = 0;
    for (char const c : text) {
        std::uint32_t const value = values[static_cast<unsigned char>(c)];
        if (value == no_value) return std::nullopt; // RFC 4648, 3.3
        bits = (bits << 6 | value) & 0xffff;
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        bytes[written++] = static_cast<char>(bits >> bit_count & 0xff);
    }
    if ((bits & ((1U << bit_count) - 1)) != 0) return std::nullopt; // RFC 4648, 3.5
    return bytes;
}

std::string encode_base64url(std::string_view bytes) {
    // EVP_EncodeBlock() writes four characters for three bytes, and a NUL.
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    auto const size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                      reinterpret_cast<unsigned char const*>(bytes.data()),
                                      static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    while (text.ends_with('='))
        text.pop_back();
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

bool is_base64url_text(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return values[static_cast<unsigned char>(c)] != no_value; });
}

} // namespace sallyport::jose
