// The table of the names on which the gateway acts, and a perfect hash over it made at compile
// time.
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
    Name{"x-request-id", FieldId::request_id},
    Name{"remote-user", FieldId::identity},
    Name{"x-user", FieldId::identity},
    Name{"x-user-id", FieldId::identity},
    Name{"x-remote-user", FieldId::identity},
    Name{"x-http-method", FieldId::method_override},
    Name{"x-http-method-override", FieldId::method_override},
    Name{"x-method-override", FieldId::method_override},
    Name{"x-rewrite-url", FieldId::url_override},
    Name{"x-host", FieldId::url_override},
    Name{"proxy", FieldId::proxy_command},
    Name{"accept-encoding", FieldId::accept_encoding},
    Name{"retry-after", FieldId::retry_after},
};

// Families: every name that begins so. All of them begin with "x-" or "ssl-".
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
};

// No name of the table is longer; of a longer one, its beginning decides the family.
constexpr std::size_t max_name_size = 32;

constexpr std::size_t slot_count = 512;

constexpr std::size_t hash(std::string_view name, std::uint32_t seed) {
    // In lower case, as far as letters go: the comparison that follows is exact.
    auto const at = [name](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])) | 0x20U;
    };
    auto const last = name.size() - 1;
    std::uint32_t const mixed =
        (at(0) + (at(name.size() / 2) << 6) + (at(last) << 12) + (at(last / 4 * 3) << 18)
         + (static_cast<std::uint32_t>(name.size()) << 24))
        * seed;
    return mixed >> 23; // the upper nine bits
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

std::uint64_t load_word(char const* at) noexcept {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// Whether the token `name` is `lower_case` in any letter case. Of the characters of a token (RFC
/// 9110, 5.6.2) setting the bit 0x20 makes those of the table out of their upper case and of
/// nothing else: eight of them can be compared at once.
bool is_name(std::string_view name, std::string_view lower_case) noexcept {
    constexpr std::size_t step = sizeof(std::uint64_t);
    constexpr std::uint64_t case_bits = 0x2020202020202020;
    auto const size = name.size();
    if (size != lower_case.size()) return false;
    if (size < step) return equals_ignoring_case(name, lower_case);
    for (std::size_t at = 0; at + step < size; at += step) {
        if ((load_word(name.data() + at) | case_bits) != load_word(lower_case.data() + at))
            return false;
    }
    auto const last = size - step; // may overlap the one before
    return (load_word(name.data() + last) | case_bits) == load_word(lower_case.data() + last);
}

bool begins_with(std::string_view name, std::string_view lower_case_prefix) noexcept {
    return name.size() >= lower_case_prefix.size()
           && equals_ignoring_case(name.substr(0, lower_case_prefix.size()), lower_case_prefix);
}

/// All families begin with "x-" or "ssl-".
bool may_be_of_family(std::string_view name) noexcept {
    char const first = to_lower(name.front());
    return (first == 'x' && name.size() > 1 && name[1] == '-')
           || (first == 's' && begins_with(name, "ssl-"));
}

} // namespace

FieldId identify_field(std::string_view name) noexcept {
    if (name.empty()) return FieldId::unknown;
    auto const slot = perfect_hash.slots[hash(name, perfect_hash.seed)];
    if (slot != 0 && is_name(name, names[slot - 1U].text)) return names[slot - 1U].id;
    if (!may_be_of_family(name)) return FieldId::unknown;
    for (auto const& family : families)
        if (begins_with(name, family.text)) return family.id;
    return FieldId::unknown;
}

bool shadows_known_field(std::string_view name) noexcept {
    if (name.find('_') == std::string_view::npos) return false;
    std::array<char, max_name_size> storage{};
    auto const size = std::min(name.size(), storage.size());
    for (std::size_t i = 0; i < size; ++i)
        storage[i] = name[i] == '_' ? '-' : name[i];
    return identify_field({storage.data(), size}) != FieldId::unknown;
}

} // namespace sallyport::http
