// Parses and compares authorities.
#include "gateway/http/authority.h"

#include "gateway/http/characters.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace sallyport::http {

namespace {

// RFC 3986, 3.2.2: IP-literal of an IPv6address; IPvFuture and zone identifiers are not addresses
// of servers.
bool is_ipv6_address(std::string_view text) noexcept {
    std::array<char, INET6_ADDRSTRLEN> terminated{};
    if (text.size() >= terminated.size()) return false;
    std::copy(text.begin(), text.end(), terminated.begin());
    in6_addr address{};
    return inet_pton(AF_INET6, terminated.data(), &address) == 1;
}

// RFC 3986, 3.2.2 (reg-name and IPv4address), without sub-delims and escapes; no empty label but
// the root's at the end.
bool is_host_name(std::string_view text) noexcept {
    if (text.size() > max_host_size || !is_all_of(unreserved_character, text)) return false;
    return text.front() != '.' && text.find("..") == std::string_view::npos;
}

// RFC 3986, 3.2.3: port = *DIGIT; an empty one equals none.
bool parse_port(std::string_view digits, std::optional<std::uint16_t>& port) noexcept {
    constexpr std::size_t max_digits = 5;
    if (digits.empty()) return true;
    if (digits.size() > max_digits || !std::all_of(digits.begin(), digits.end(), is_digit))
        return false;
    unsigned value = 0;
    for (char const c : digits)
        value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > 0xffff) return false;
    port = static_cast<std::uint16_t>(value);
    return true;
}

} // namespace

std::optional<Authority> parse_authority(std::string_view text) noexcept {
    Authority authority{text, text, {}};
    std::string_view behind_host;
    if (text.starts_with('[')) {
        auto const end = text.find(']');
        if (end == std::string_view::npos) return {};
        authority.host = text.substr(0, end + 1);
        behind_host = text.substr(end + 1);
        if (!is_ipv6_address(authority.host.substr(1, end - 1))) return {};
    } else {
        auto const colon = std::min(text.find(':'), text.size());
        authority.host = text.substr(0, colon);
        behind_host = text.substr(colon);
        if (!is_host_name(authority.host)) return {};
    }
    if (behind_host.empty()) return authority;
    if (behind_host.front() != ':' || !parse_port(behind_host.substr(1), authority.port)) return {};
    return authority;
}

bool is_same_authority(Authority const& a, Authority const& b) noexcept {
    return equals_ignoring_case(a.host, b.host) && a.port == b.port;
}

std::string_view normalized_host(Authority const& authority, std::span<char> storage) noexcept {
    auto host = authority.host;
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.size() > storage.size()) return {};
    std::transform(host.begin(), host.end(), storage.begin(), to_lower);
    return {storage.data(), host.size()};
}

} // namespace sallyport::http
