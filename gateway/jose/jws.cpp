// A token in the compact form of a JSON Web Signature: see jws.h.
#include "gateway/jose/jws.h"

#include "gateway/jose/base64url.h"

#include <algorithm>
#include <array>

namespace sallyport::jose {

namespace {

constexpr JsonLimits limits_of_headers{.bytes = 4096, .depth = 4, .values = 64};
constexpr JsonLimits limits_of_payloads{.bytes = longest_token, .depth = 8, .values = 1024};

constexpr std::size_t longest_name = 256; // of `kid` and `typ`
constexpr std::size_t longest_signature = most_rsa_bits / 8;

Refusal malformed(std::string_view why) {
    return {Fault::malformed, why};
}

// A text of the header that need not be there. False: it is no text, or too long.
bool read_text(simdjson::dom::object header, std::string_view name,
               std::optional<std::string>& out) {
    if (!has_member(header, name)) return true;
    auto const text = text_member(header, name);
    if (!text || text->empty() || text->size() > longest_name) return false;
    out = *text;
    return true;
}

} // namespace

bool looks_like_jws(std::string_view token) noexcept {
    // `{` is 0x7b: the first six bits are `e`, the other two the first ones of the next character.
    constexpr std::string_view second = "wxyz0123456789-_";
    return token.size() > 2 && token[0] == 'e' && second.find(token[1]) != std::string_view::npos
           && std::count(token.begin(), token.end(), '.') >= 2;
}

Refusal JwsReader::read_header(std::string_view encoded, Header& out) {
    auto const text = decode_base64url(encoded);
    if (!text) return malformed("its header is no base64url");
    auto const header = header_.read(*text, limits_of_headers);
    if (!header) return malformed("its header is no JSON object, or has a name twice");
    // RFC 7515, 4.1.11: an extension that must be understood, and none is. RFC 7797, 6: without
    // `crit` too, `b64` would change what was signed.
    if (has_member(*header, "crit")) return malformed("its header has `crit`");
    if (has_member(*header, "b64")) return malformed("its header has `b64`");
    // RFC 7516, 4.1: an encrypted token.
    if (has_member(*header, "enc") || has_member(*header, "zip"))
        return malformed("it is encrypted, or compressed");
    auto const algorithm = text_member(*header, "alg");
    if (!algorithm) return malformed("its header has no `alg`");
    if (!read_text(*header, "kid", out.kid) || !read_text(*header, "typ", out.type))
        return malformed("its header has a `kid` or `typ` that is no text of 1 to 256 bytes");
    // `jku`, `jwk`, `x5u` and `x5c` are not read: keys come from the configuration alone (RFC 8725,
    // 3.10).
    auto const known = find_algorithm(*algorithm);
    if (!known) {
        out.other_algorithm = *algorithm;
        return {Fault::signature, "its `alg` is not one that is verified"};
    }
    out.algorithm = *known;
    return {};
}

Parsed JwsReader::parse(std::string_view token) {
    Parsed out;
    auto const refuse = [&out](std::string_view why) {
        out.refusal = malformed(why);
        return std::move(out);
    };
    if (token.size() > longest_token) return refuse("it is longer than 64 KiB");
    auto const first = token.find('.');
    auto const second = first == std::string_view::npos ? first : token.find('.', first + 1);
    bool const has_three_parts =
        second != std::string_view::npos && token.find('.', second + 1) == std::string_view::npos;
    if (!has_three_parts) return refuse("it has not three parts");
    out.refusal = read_header(token.substr(0, first), out.header);
    if (out.refusal.fault != Fault::none) return out;
    auto payload = decode_base64url(token.substr(first + 1, second - first - 1));
    if (!payload) return refuse("its payload is no base64url");
    auto signature = decode_base64url(token.substr(second + 1));
    if (!signature || signature->size() > longest_signature)
        return refuse("its signature is no base64url, or too long");
    out.signed_part = token.substr(0, second);
    out.payload = std::move(*payload);
    out.signature = std::move(*signature);
    return out;
}

std::optional<simdjson::dom::object> JwsReader::read_payload(std::string_view payload) {
    return payload_.read(payload, limits_of_payloads);
}

bool is_costly(Header const& header, KeySet const& keys) noexcept {
    auto const candidates = keys.find(header.algorithm, header.kid);
    auto const end = candidates.keys.begin() + candidates.count;
    return std::any_of(candidates.keys.begin(), end,
                       [](Key const* key) { return key->is_costly(); });
}

Refusal verify(Parsed const& token, KeySet const& keys) {
    auto const candidates = keys.find(token.header.algorithm, token.header.kid);
    if (candidates.count == 0)
        return {Fault::signature, "no key of the issuer has its `kid` and `alg`"};
    for (std::size_t i = 0; i < candidates.count; ++i) {
        if (candidates.keys[i]->verifies(token.signed_part, token.signature)) return {};
    }
    return {Fault::signature, "its signature is wrong"};
}

} // namespace sallyport::jose
