// Which addresses the gateway's own requests may reach.
#include "gateway/fetch/reach.h"

#include "gateway/text/networks.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace sallyport::fetch {

namespace {

std::optional<text::AddressBits> bits_of(net::Address const& address) {
    text::AddressBits bits{};
    if (address.protocol().family() == AF_INET6) {
        sockaddr_in6 six{};
        std::memcpy(&six, address.data(), std::min(sizeof six, address.size()));
        std::memcpy(bits.data(), &six.sin6_addr, bits.size());
        return bits;
    }
    if (address.protocol().family() != AF_INET) return std::nullopt;
    constexpr std::size_t prefix = 12; // RFC 4291, 2.5.5.2
    sockaddr_in four{};
    std::memcpy(&four, address.data(), std::min(sizeof four, address.size()));
    bits[prefix - 1] = bits[prefix - 2] = 0xFF;
    std::memcpy(bits.data() + prefix, &four.sin_addr, bits.size() - prefix);
    return bits;
}

std::vector<text::Network> networks(std::initializer_list<std::string_view> texts) {
    std::vector<text::Network> out;
    for (auto const text : texts)
        out.push_back(text::parse_network(text).network);
    return out;
}

bool is_link_local(text::AddressBits const& bits) {
    // The last is the metadata service of AWS over IPv6, which is not link-local.
    static auto const refused = networks({"169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128"});
    return text::is_in(refused, bits);
}

bool is_unspecified(text::AddressBits const& bits) {
    static auto const refused = networks({"0.0.0.0/8", "::/128"});
    return text::is_in(refused, bits);
}

bool is_loopback(text::AddressBits const& bits) {
    static auto const loopback = networks({"127.0.0.0/8", "::1/128"});
    return text::is_in(loopback, bits);
}

Cause judge(net::Address const& address, Url::Scheme scheme, Reach reach) {
    auto const bits = bits_of(address);
    if (!bits || is_unspecified(*bits)) return Cause::address_refused;
    if (reach.link_local == Reach::LinkLocal::refused && is_link_local(*bits))
        return Cause::address_refused;
    if (reach.loopback == Reach::Loopback::refused && is_loopback(*bits))
        return Cause::address_refused;
    bool const is_plain = scheme == Url::Scheme::http;
    if (is_plain && reach.plain_http == Reach::PlainHttp::to_loopback && !is_loopback(*bits))
        return Cause::insecure;
    return Cause::none;
}

} // namespace

bool names_loopback(Url const& url) {
    if (url.host == "localhost" || url.host.ends_with(".localhost")) return true;
    auto const bits = text::parse_ip(url.host);
    return bits && is_loopback(*bits);
}

std::string_view reason_against(Url const& url) {
    if (url.scheme == Url::Scheme::http && !names_loopback(url))
        return "is not on this machine: nothing is sent to others without TLS";
    auto const bits = text::parse_ip(url.host);
    bool const is_refused = bits && (is_unspecified(*bits) || is_link_local(*bits));
    return is_refused ? "is an address that nothing is sent to" : std::string_view{};
}

Reachable reachable(std::vector<net::Address> const& addresses, Url::Scheme scheme, Reach reach) {
    Reachable out;
    for (auto const& address : addresses) {
        auto const cause = judge(address, scheme, reach);
        if (cause == Cause::none) {
            out.addresses.push_back(address);
        } else if (out.refused == Cause::none) {
            out.refused = cause;
        }
    }
    if (!out.addresses.empty()) out.refused = Cause::none;
    return out;
}

} // namespace sallyport::fetch
