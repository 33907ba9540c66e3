// The texts that a verifier may take for one and the same token: see same_token.h.
#include "gateway/jose/same_token.h"

#include "gateway/jose/base64url.h"
#include "gateway/jose/jws.h"
#include "gateway/jose/strict_json.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::jose {

namespace {

constexpr JsonLimits limits_of_first_part{.bytes = 4096, .depth = 8, .values = 64};

// Wiped when it goes: it is as good as the token.
class WipedText {
public:
    explicit WipedText(std::string text) : text_{std::move(text)} {}
    ~WipedText() { OPENSSL_cleanse(text_.data(), text_.size()); }
    WipedText(WipedText const&) = delete;
    WipedText& operator=(WipedText const&) = delete;

    [[nodiscard]] std::string& text() noexcept { return text_; }

private:
    std::string text_;
};

// A curve by the algorithm of its signatures (RFC 7518, 3.4; RFC 8812, 3.2), also those that are
// not verified here: an issuer that is asked may sign with them.
struct Curve {
    std::string_view algorithm;
    int id;
    std::size_t size; // bytes of r and of s
};
constexpr std::array<Curve, 4> curves{{{"ES256", NID_X9_62_prime256v1, 32},
                                       {"ES384", NID_secp384r1, 48},
                                       {"ES512", NID_secp521r1, 66},
                                       {"ES256K", NID_secp256k1, 32}}};

// n - s, in as many bytes; empty: s is none.
std::string negated(std::string_view s, Curve const& curve) {
    std::unique_ptr<EC_GROUP, decltype(&EC_GROUP_free)> const group{
        EC_GROUP_new_by_curve_name(curve.id), EC_GROUP_free};
    std::unique_ptr<BIGNUM, decltype(&BN_free)> const number{
        BN_bin2bn(reinterpret_cast<unsigned char const*>(s.data()), static_cast<int>(s.size()),
                  nullptr),
        BN_free};
    if (group == nullptr || number == nullptr) return {};
    auto const* const order = EC_GROUP_get0_order(group.get());
    if (BN_cmp(number.get(), order) >= 0) return {};
    std::string out(curve.size, '\0');
    bool const is_made = BN_sub(number.get(), order, number.get()) == 1
                         && BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(out.data()),
                                         static_cast<int>(out.size()))
                                == static_cast<int>(out.size());
    return is_made ? out : std::string{};
}

// The token with the other signature of the same text; empty: there is none.
std::string with_other_signature(std::string_view signed_part, std::string_view encoded,
                                 std::string_view algorithm) {
    auto const* const curve = std::find_if(curves.begin(), curves.end(), [&](Curve const& one) {
        return one.algorithm == algorithm;
    });
    auto const signature = decode_base64url(encoded);
    if (curve == curves.end() || !signature || signature->size() != 2 * curve->size) return {};
    auto const s = negated(std::string_view{*signature}.substr(curve->size), *curve);
    if (s.empty()) return {};
    return std::string{signed_part} + '.'
           + encode_base64url(signature->substr(0, curve->size) + s);
}

bool any_text_of_opaque(std::string_view token,
                        std::function<bool(std::string_view)> const& is_it) {
    constexpr std::size_t most_padding = 2;
    while (token.ends_with('='))
        token.remove_suffix(1);
    constexpr auto as_it_is = [](char c) { return c; };
    constexpr auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    constexpr auto upper = [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    };
    constexpr std::array<char (*)(char), 3> cases{as_it_is, lower, upper};
    return std::any_of(cases.begin(), cases.end(), [&](auto const& in_case) {
        std::string text;
        text.reserve(token.size() + most_padding); // it must not move
        std::transform(token.begin(), token.end(), std::back_inserter(text), in_case);
        WipedText wiped{std::move(text)};
        for (std::size_t i = 0; i <= most_padding; ++i) {
            if (is_it(wiped.text())) return true;
            if (i != most_padding) wiped.text() += '=';
        }
        return false;
    });
}

std::vector<std::string_view> parts_of(std::string_view token) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= token.size();) {
        auto const end = std::min(token.find('.', begin), token.size());
        parts.push_back(token.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

} // namespace

Spelling spelling_of(std::string_view token) {
    if (!looks_like_jws(token)) return Spelling::opaque;
    auto const parts = parts_of(token);
    // What is signed has one text: a header in another one has another signature.
    auto const first = decode_base64url(parts.front());
    StrictJson json;
    auto const header = first ? json.read(*first, limits_of_first_part) : std::nullopt;
    if (!header || !has_member(*header, "alg")) return Spelling::opaque;
    auto const count = has_member(*header, "enc") ? 5U : 3U;
    bool const is_canonical = parts.size() == count
                              && std::all_of(parts.begin(), parts.end(), [](auto const part) {
                                     return decode_base64url(part).has_value();
                                 });
    return is_canonical ? Spelling::canonical : Spelling::other;
}

bool any_text_of_same_token(std::string_view token,
                            std::function<bool(std::string_view)> const& is_it) {
    if (is_it(token)) return true;
    if (spelling_of(token) == Spelling::opaque) return any_text_of_opaque(token, is_it);
    auto const signed_part = token.substr(0, token.rfind('.'));
    if (is_it(signed_part)) return true;
    StrictJson json;
    auto const header =
        json.read(*decode_base64url(token.substr(0, token.find('.'))), limits_of_first_part);
    WipedText other{with_other_signature(signed_part, token.substr(signed_part.size() + 1),
                                         text_member(*header, "alg").value_or(""))};
    return !other.text().empty() && is_it(other.text());
}

} // namespace sallyport::jose
