// The table of the names that the gateway handles specially, and a perfect hash over it made at
// compile time.
#include "gateway/http/field_name.h"

#include "gateway/http/characters.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace sallyport::http {

namespace {

struct Name {
    std::string_view text; // in lower case
    FieldId id;
};

constexpr std::array names{
    Name{"host", FieldId::host},
    Name{"content-length", FieldId::content_length},
    Name{"transfer-encoding", FieldId::transfer_encoding},
    Name{"connection", FieldId::connection},
    Name{"keep-alive", FieldId::keep_alive},
    Name{"proxy-connection", FieldId::proxy_connection},
    Name{"te", FieldId::te},
    Name{"trailer", FieldId::trailer},
    Name{"upgrade", FieldId::upgrade},
    Name{"http2-settings", FieldId::http2_settings},
    Name{"expect", FieldId::expect},
    Name{"authorization", FieldId::authorization},
    Name{"proxy-authorization", FieldId::proxy_authorization},
    Name{"proxy-authenticate", FieldId::proxy_authenticate},
    Name{"proxy-authentication-info", FieldId::proxy_authentication_info},
    Name{"cookie", FieldId::cookie},
    Name{"cookie2", FieldId::cookie},
    Name{"content-type", FieldId::content_type},
    Name{"content-encoding", FieldId::content_encoding},
    Name{"content-md5", FieldId::content_md5},
    Name{"digest", FieldId::content_digest},
    Name{"content-digest", FieldId::content_digest},
    Name{"repr-digest", FieldId::content_digest},
    Name{"forwarded", FieldId::forwarded},
    Name{"x-forwarded", FieldId::x_forwarded_other},
    Name{"x-forwarded-for", FieldId::x_forwarded_for},
    Name{"x-forwarded-proto", FieldId::x_forwarded_proto},
    Name{"x-forwarded-host", FieldId::x_forwarded_host},
    Name{"x-real-ip", FieldId::client_address},
    Name{"x-client-ip", FieldId::client_address},
    Name{"client-ip", FieldId::client_address},
    Name{"true-client-ip", FieldId::client_address},
    Name{"x-cluster-client-ip", FieldId::client_address},
    Name{"x-originating-ip", FieldId::client_address},
    Name{"x-remote-ip", FieldId::client_address},
    Name{"x-remote-addr", FieldId::client_address},
    Name{"cf-connecting-ip", FieldId::client_address},
    Name{"cf-connecting-ipv6", FieldId::client_address},
    Name{"fastly-client-ip", FieldId::client_address},
    Name{"x-azure-clientip", FieldId::client_address},
    Name{"x-azure-socketip", FieldId::client_address},
    Name{"cf-pseudo-ipv4", FieldId::client_address},
    Name{"fly-client-ip", FieldId::client_address},
    Name{"fly-forwarded-proto", FieldId::client_address},
    Name{"fly-forwarded-port", FieldId::client_address},
    Name{"fly-forwarded-ssl", FieldId::client_address},
    Name{"x-vercel-forwarded-for", FieldId::client_address},
    Name{"x-vercel-proxied-for", FieldId::client_address},
    Name{"x-nf-client-connection-ip", FieldId::client_address},
    Name{"do-connecting-ip", FieldId::client_address},
    Name{"incap-client-ip", FieldId::client_address},
    Name{"x-sucuri-clientip", FieldId::client_address},
    Name{"ali-cdn-real-ip", FieldId::client_address},
    Name{"proxy-client-ip", FieldId::client_address},
    Name{"x-proxyuser-ip", FieldId::client_address},
    Name{"front-end-https", FieldId::client_address},
    Name{"x-url-scheme", FieldId::client_address},
    Name{"x-scheme", FieldId::client_address},
    Name{"x-request-id", FieldId::request_id},
    Name{"remote-user", FieldId::identity},
    Name{"x-user", FieldId::identity},
    Name{"x-user-id", FieldId::identity},
    Name{"x-remote-user", FieldId::identity},
    Name{"x-remote-group", FieldId::identity},
    Name{"x-remote-groups", FieldId::identity},
    Name{"x-remote-uid", FieldId::identity},
    Name{"x-remote-email", FieldId::identity},
    Name{"x-remote-name", FieldId::identity},
    Name{"remote-group", FieldId::identity},
    Name{"remote-groups", FieldId::identity},
    Name{"remote-email", FieldId::identity},
    Name{"remote-name", FieldId::identity},
    Name{"client-cert", FieldId::identity},
    Name{"client-cert-chain", FieldId::identity},
    Name{"x-auth-user", FieldId::identity},
    Name{"x-auth-username", FieldId::identity},
    Name{"x-auth-groups", FieldId::identity},
    Name{"x-auth-roles", FieldId::identity},
    Name{"x-anonymous-consumer", FieldId::identity},
    Name{"x-userinfo", FieldId::identity},
    Name{"x-endpoint-api-userinfo", FieldId::identity},
    Name{"x-apigateway-api-userinfo", FieldId::identity},
    Name{"x-token-subject", FieldId::identity},
    Name{"cf-access-jwt-assertion", FieldId::identity},
    Name{"cas-user", FieldId::identity},
    Name{"sm-user", FieldId::identity},
    Name{"sm-userdn", FieldId::identity},
    Name{"sm-universalid", FieldId::identity},
    Name{"oam-remote-user", FieldId::identity},
    Name{"iv-user", FieldId::identity},
    Name{"iv-groups", FieldId::identity},
    Name{"iv-creds", FieldId::identity},
    Name{"x-http-method", FieldId::method_override},
    Name{"x-http-method-override", FieldId::method_override},
    Name{"x-method-override", FieldId::method_override},
    Name{"x-rewrite-url", FieldId::url_override},
    Name{"x-host", FieldId::url_override},
    Name{"x-http-host-override", FieldId::url_override},
    Name{"x-host-override", FieldId::url_override},
    Name{"x-http-destinationurl", FieldId::url_override},
    Name{"x-override-url", FieldId::url_override},
    Name{"proxy", FieldId::proxy_command},
    Name{"max-forwards", FieldId::max_forwards},
    Name{"accept-encoding", FieldId::accept_encoding},
    Name{"date", FieldId::date},
    Name{"retry-after", FieldId::retry_after},
};

// Families: every name with this prefix.
constexpr std::array families{
    Name{"x-forwarded-", FieldId::x_forwarded_other},
    Name{"x-original-", FieldId::url_override},
    Name{"x-accel-", FieldId::proxy_command},
    Name{"x-sendfile", FieldId::proxy_command},
    Name{"x-envoy-", FieldId::proxy_command},
    Name{"x-authenticated-", FieldId::identity},
    Name{"x-auth-request-", FieldId::identity},
    Name{"x-remote-user-", FieldId::identity},
    Name{"x-webauth-", FieldId::identity},
    Name{"x-consumer-", FieldId::identity},
    Name{"x-credential-", FieldId::identity},
    Name{"x-client-cert", FieldId::identity},
    Name{"x-client-dn", FieldId::identity},
    Name{"x-client-verify", FieldId::identity},
    Name{"x-ssl-", FieldId::identity},
    Name{"ssl-client-", FieldId::identity},
    Name{"x-amzn-oidc-", FieldId::identity},
    Name{"x-goog-authenticated-user-", FieldId::identity},
    Name{"x-goog-iap-", FieldId::identity},
    Name{"x-ms-client-principal", FieldId::identity},
    Name{"x-ms-token-", FieldId::identity},
    Name{"x-remote-extra-", FieldId::identity},
    Name{"x-tls-client-", FieldId::identity},
    Name{"x-client-s-dn", FieldId::identity},
    Name{"x-client-i-dn", FieldId::identity},
    Name{"x-arr-", FieldId::identity},
    Name{"x-azure-", FieldId::identity},
    Name{"x-amzn-mtls-", FieldId::identity},
    Name{"x-appengine-", FieldId::identity},
    Name{"x-authentik-", FieldId::identity},
    Name{"x-pomerium-claim-", FieldId::identity},
    Name{"x-pomerium-jwt-assertion", FieldId::identity},
    Name{"x-token-user-", FieldId::identity},
    Name{"impersonate-", FieldId::identity},
    Name{"tailscale-user-", FieldId::identity},
    Name{"cf-access-authenticated-user-", FieldId::identity},
    Name{"shib-", FieldId::identity},
    Name{"oidc-claim-", FieldId::identity},
    Name{"wl-proxy-", FieldId::identity},
    Name{"cloudfront-viewer-", FieldId::client_address},
};

// No name of the table is longer; the beginning of a longer one decides its family.
constexpr std::size_t max_name_size = 32;

constexpr bool fits(Name const& name) {
    return name.text.size() >= 2 && name.text.size() <= max_name_size;
}
static_assert(std::all_of(names.begin(), names.end(), fits));
static_assert(std::all_of(families.begin(), families.end(), fits));

constexpr std::size_t slot_count = 1024;

constexpr std::size_t hash(std::string_view name, std::uint32_t seed) {
    // Lower-cases letters only approximately: the comparison that follows is exact.
    auto const at = [name](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])) | 0x20U;
    };
    auto const last = name.size() - 1;
    std::uint32_t const mixed =
        (at(0) + (at(name.size() / 2) << 6) + (at(last) << 12) + (at(last / 4 * 3) << 18)
         + (static_cast<std::uint32_t>(name.size()) << 24))
        * seed;
    return mixed >> 22; // the upper ten bits
}

// Slot -> index of a name plus one; 0: none.
using Slots = std::array<std::uint8_t, slot_count>;

struct PerfectHash {
    std::uint32_t seed;
    Slots slots;
};

consteval PerfectHash find_perfect_hash() {
    for (std::uint32_t seed = 0x9e3779b1;; seed += 2) {
        Slots slots{};
        bool is_perfect = true;
        for (std::size_t i = 0; i < names.size() && is_perfect; ++i) {
            auto& slot = slots[hash(names[i].text, seed)];
            is_perfect = slot == 0;
            slot = static_cast<std::uint8_t>(i + 1);
        }
        if (is_perfect) return {seed, slots};
    }
}

constexpr PerfectHash perfect_hash = find_perfect_hash();

bool begins_with(std::string_view name, std::string_view lower_case_prefix) noexcept {
    return name.size() >= lower_case_prefix.size()
           && equals_ignoring_case(name.substr(0, lower_case_prefix.size()), lower_case_prefix);
}

// The beginning of a family's names, in lower case: it excludes most names from all families.
using Beginning = std::uint32_t;

Beginning load_beginning(char const* at) noexcept {
    Beginning word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// For a name's first character, the second characters that a family has: their lower five bits,
// which are the same in upper and lower case.
using SecondCharacters = std::array<std::uint32_t, 32>;

constexpr std::size_t low_bits(char c) {
    return static_cast<unsigned char>(c) & 0x1FU;
}

consteval SecondCharacters find_second_characters() {
    SecondCharacters second{};
    for (auto const& family : families)
        second[low_bits(family.text[0])] |= std::uint32_t{1} << low_bits(family.text[1]);
    return second;
}

constexpr SecondCharacters second_characters = find_second_characters();

bool may_be_of_family(std::string_view name) noexcept {
    return name.size() >= sizeof(Beginning)
           && ((second_characters[low_bits(name[0])] >> low_bits(name[1])) & 1U) != 0;
}

FieldId find_family(std::string_view name) noexcept {
    // As in is_field_name(): the bit produces the family's characters only from themselves and
    // their upper case.
    auto const beginning = load_beginning(name.data()) | Beginning{0x20202020};
    for (auto const& family : families)
        if (beginning == load_beginning(family.text.data()) && begins_with(name, family.text))
            return family.id;
    return FieldId::unknown;
}

// A character of a token that is neither a letter nor a digit.
constexpr bool is_sign(char c) {
    char const lower = to_lower(c);
    return !is_digit(c) && (lower < 'a' || lower > 'z');
}

} // namespace

FieldId identify_field(std::string_view name) noexcept {
    if (name.empty()) return FieldId::unknown;
    auto const slot = perfect_hash.slots[hash(name, perfect_hash.seed)];
    if (slot != 0 && is_field_name(name, names[slot - 1U].text)) return names[slot - 1U].id;
    return may_be_of_family(name) ? find_family(name) : FieldId::unknown;
}

bool is_same_variable(std::string_view name, std::string_view other) noexcept {
    return std::equal(name.begin(), name.end(), other.begin(), other.end(), [](char a, char b) {
        return to_lower(a) == to_lower(b) || (is_sign(a) && is_sign(b));
    });
}

bool shadows_known_field(std::string_view name) noexcept {
    auto const is_odd = [](char c) { return is_sign(c) && c != '-'; };
    if (std::none_of(name.begin(), name.end(), is_odd)) return false;
    std::array<char, max_name_size> storage{};
    auto const size = std::min(name.size(), storage.size());
    for (std::size_t i = 0; i < size; ++i)
        storage[i] = is_sign(name[i]) ? '-' : name[i];
    return identify_field({storage.data(), size}) != FieldId::unknown;
}

} // namespace sallyport::http
