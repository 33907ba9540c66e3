// Parses Authorization, and writes it in the form in which it is forwarded.
#include "gateway/http/authorization.h"

#include "gateway/http/characters.h"
#include "gateway/http/scan.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sallyport::http {

namespace {

constexpr std::string_view base64_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t no_value = 0xff;

constexpr std::array<std::uint8_t, 256> make_base64_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_value);
    for (std::size_t i = 0; i < base64_alphabet.size(); ++i)
        values[static_cast<unsigned char>(base64_alphabet[i])] = static_cast<std::uint8_t>(i);
    return values;
}

constexpr std::array<std::uint8_t, 256> base64_values = make_base64_values();

// The value of each character by its position among four; beyond 24 bits: not in the alphabet.
constexpr std::uint32_t no_bits = 1U << 24;

constexpr auto base64_bits = [] {
    std::array<std::array<std::uint32_t, 256>, 4> bits{};
    for (std::size_t place = 0; place < bits.size(); ++place)
        for (std::size_t c = 0; c < base64_values.size(); ++c)
            bits[place][c] = base64_values[c] == no_value
                                 ? no_bits
                                 : std::uint32_t{base64_values[c]} << (18 - 6 * place);
    return bits;
}();

// Decodes four characters to three bytes. The result contains no_bits if one of them is not in the
// alphabet (RFC 4648, 3.3).
std::uint32_t decode_base64_group(char const* text, char* out) noexcept {
    auto const value = [text](std::size_t place) {
        return base64_bits[place][static_cast<unsigned char>(text[place])];
    };
    std::uint32_t const bits = value(0) | value(1) | value(2) | value(3);
    out[0] = static_cast<char>(bits >> 16 & 0xff);
    out[1] = static_cast<char>(bits >> 8 & 0xff);
    out[2] = static_cast<char>(bits & 0xff);
    return bits;
}

// RFC 4648, 4, and everything that section 3 leaves open is refused: missing padding, other
// characters, and bits behind the last byte that are not zero. So no two texts decode to the same
// bytes.
std::optional<std::string_view> decode_base64(std::string_view text,
                                              std::span<char> storage) noexcept {
    if (text.empty() || text.size() % 4 != 0) return {}; // RFC 4648, 3.2
    std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    std::size_t const size = text.size() / 4 * 3 - padding;
    if (size > storage.size()) return {};
    text.remove_suffix(padding);
    std::size_t written = 0;
    std::uint32_t seen = 0;
    // RFC 4648, 4: four characters are three bytes, while there are four.
    for (; text.size() >= 4; text.remove_prefix(4), written += 3)
        seen |= decode_base64_group(text.data(), storage.data() + written);
    if (seen >= no_bits) return {};
    std::uint32_t bits = 0;
    unsigned bit_count = 0;
    for (char const c : text) {
        std::uint32_t const value = base64_values[static_cast<unsigned char>(c)];
        if (value == no_value) return {}; // RFC 4648, 3.3; also "=" before the end
        bits = (bits << 6 | value) & 0xffff;
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        storage[written++] = static_cast<char>(bits >> bit_count & 0xff);
    }
    if ((bits & ((1U << bit_count) - 1)) != 0) return {}; // RFC 4648, 3.5
    return std::string_view{storage.data(), written};
}

void encode_base64_group(std::array<std::uint8_t, 3> const& bytes, std::size_t count,
                         char* out) noexcept {
    std::uint32_t const bits =
        static_cast<std::uint32_t>(bytes[0] << 16 | bytes[1] << 8 | bytes[2]);
    for (unsigned i = 0; i < 4; ++i)
        out[i] = i <= count ? base64_alphabet[bits >> (18 - 6 * i) & 0x3f] : '=';
}

// RFC 7617, 2: neither part may contain a control character; RFC 7617, 2.1: our challenge says
// UTF-8.
bool is_text(std::string_view text) noexcept {
    if (printable_prefix(text) == text.size()) return true; // as in nearly all of them
    // RFC 5234, B.1: CTL
    return std::none_of(text.begin(), text.end(), text::is_control) && text::is_utf8(text);
}

// RFC 9110, 11.2: token68, and RFC 6750, 2.1: b64token, which is the same.
bool is_token68(std::string_view text) noexcept {
    // Only padding is not a token.
    auto const size = text.find_last_not_of('=') + 1;
    return is_all_of(token68_character, text.substr(0, size));
}

ParsedAuthorization parse_basic(std::string_view token68, std::span<char> storage) noexcept {
    auto const pair = decode_base64(token68, storage);
    if (!pair) return MalformedAuthorization{"the Basic credentials are not base64"};
    if (!is_text(*pair))
        return MalformedAuthorization{"the Basic credentials are not text in UTF-8"};
    // RFC 7617, 2: user-id ":" password; a user-id contains no colon, a password may.
    auto const colon = pair->find(':');
    if (colon == std::string_view::npos)
        return MalformedAuthorization{"the Basic credentials hold no colon"};
    return BasicCredentials{pair->substr(0, colon), pair->substr(colon + 1), token68};
}

// Joins the parts in `storage`.
std::optional<std::string_view> spell(std::string_view scheme, std::string_view proof,
                                      std::span<char> storage) noexcept {
    auto const size = scheme.size() + proof.size();
    if (size > storage.size()) return {};
    auto const behind_scheme = std::copy(scheme.begin(), scheme.end(), storage.begin());
    std::copy(proof.begin(), proof.end(), behind_scheme);
    return std::string_view{storage.data(), size};
}

constexpr std::string_view basic_prefix = "Basic ";
constexpr std::string_view bearer_prefix = "Bearer ";

} // namespace

ParsedAuthorization parse_authorization(std::string_view value, std::span<char> storage) noexcept {
    // RFC 9110, 11.4: credentials = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
    auto const space = value.find(' ');
    auto const scheme = value.substr(0, space);
    if (!is_all_of(token_character, scheme))
        return MalformedAuthorization{"the authentication scheme is not a token"};
    auto proof = space == std::string_view::npos ? std::string_view{} : value.substr(space);
    proof.remove_prefix(std::min(proof.find_first_not_of(' '), proof.size()));
    // RFC 9110, 11.1: the scheme is case-insensitive.
    if (equals_ignoring_case(scheme, "Basic")) return parse_basic(proof, storage);
    if (!equals_ignoring_case(scheme, "Bearer")) return OtherScheme{scheme};
    // RFC 6750, 2.1
    if (!is_token68(proof)) return MalformedAuthorization{"the Bearer token is malformed"};
    return BearerToken{proof};
}

ParsedAuthorization parse_authorization(FieldTable const& fields,
                                        std::span<char> storage) noexcept {
    auto const value = fields.find(FieldId::authorization);
    if (!value) return NoAuthorization{};
    // RFC 9110, 11.6.2 and 5.3: one value; a list of credentials has no meaning.
    if (fields.is_repeated(FieldId::authorization))
        return MalformedAuthorization{"the Authorization field is repeated"};
    return parse_authorization(*value, storage);
}

std::optional<std::string_view> spell_authorization(ParsedAuthorization const& parsed,
                                                    std::span<char> storage) noexcept {
    if (auto const* const basic = std::get_if<BasicCredentials>(&parsed))
        return spell(basic_prefix, basic->token68, storage);
    if (auto const* const bearer = std::get_if<BearerToken>(&parsed))
        return spell(bearer_prefix, bearer->token, storage);
    return {};
}

std::optional<std::string_view> spell_basic(std::string_view key_id, std::string_view secret,
                                            std::span<char> storage) noexcept {
    if (!is_text(key_id) || !is_text(secret)) return {};
    if (key_id.find(':') != std::string_view::npos) return {}; // RFC 7617, 2
    auto const pair_size = key_id.size() + 1 + secret.size();
    auto const size = basic_prefix.size() + (pair_size + 2) / 3 * 4;
    if (size > storage.size()) return {};
    auto const byte_at = [&](std::size_t i) {
        if (i < key_id.size()) return key_id[i];
        return i == key_id.size() ? ':' : secret[i - key_id.size() - 1];
    };
    char* out = std::copy(basic_prefix.begin(), basic_prefix.end(), storage.data());
    for (std::size_t i = 0; i < pair_size; i += 3, out += 4) {
        std::array<std::uint8_t, 3> group{};
        auto const count = std::min<std::size_t>(3, pair_size - i);
        for (std::size_t j = 0; j < count; ++j)
            group[j] = static_cast<std::uint8_t>(byte_at(i + j));
        encode_base64_group(group, count, out);
    }
    return std::string_view{storage.data(), size};
}

} // namespace sallyport::http
