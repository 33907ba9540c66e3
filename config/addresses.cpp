// Addresses, endpoints and host names: see addresses.h.
#include "config/addresses.h"

#include "gateway/text/ascii.h"
#include "gateway/text/origin.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <sys/un.h>

namespace sallyport::config {

namespace {

constexpr std::string_view endpoint_forms =
    "write http://host:port, https://host:port or unix:/path";
constexpr std::string_view path_of_endpoint =
    "write it as in https://host/base, without escapes, ';', '//' and dot segments";

std::optional<std::string> canonical_ip(int family, std::string_view text) {
    std::string const owned{text};
    std::array<unsigned char, sizeof(in6_addr)> address{};
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (owned.find('\0') != std::string::npos) return std::nullopt;
    if (::inet_pton(family, owned.c_str(), address.data()) != 1) return std::nullopt;
    if (::inet_ntop(family, address.data(), out.data(), out.size()) == nullptr) return std::nullopt;
    return std::string{out.data()};
}

bool is_bracketed(std::string_view host) {
    return host.size() > 2 && host.front() == '[' && host.back() == ']';
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    if (text.empty() || text.size() > 5) return std::nullopt;
    std::uint16_t port = 0;
    auto const end = text.data() + text.size();
    auto const result = std::from_chars(text.data(), end, port);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return port;
}

struct HostAndPort {
    std::string_view host; // with the brackets of an IPv6 address
    std::optional<std::string_view> port;
};

HostAndPort split(std::string_view authority) {
    std::size_t const bracket = authority.rfind(']');
    std::size_t const colon = authority.rfind(':');
    bool const has_port =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    if (!has_port) return {authority, std::nullopt};
    return {authority.substr(0, colon), authority.substr(colon + 1)};
}

ParsedEndpoint refuse(std::string problem) {
    return {std::nullopt, std::move(problem), std::string{endpoint_forms}};
}

ParsedEndpoint parse_unix(std::string_view path, std::string_view text) {
    if (path.empty() || path.front() != '/')
        return refuse("the path of a socket must begin with /");
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        return refuse("the path of a socket is longer than "
                      + std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
    }
    if (path.find('\0') != std::string_view::npos) return refuse("the path holds a NUL character");
    Endpoint endpoint;
    endpoint.scheme = Scheme::unix_socket;
    endpoint.socket = path;
    endpoint.text = text;
    return {std::move(endpoint), {}, {}};
}

bool is_path_character(char c) {
    // RFC 3986, 3.3: pchar and '/', without escapes and without ';', which no request path may hold
    // here.
    return text::is_letter_or_digit(c)
           || std::string_view{"-._~!$&'()*+,=:@/"}.find(c) != std::string_view::npos;
}

bool has_dot_segment(std::string_view path) {
    for (std::size_t at = 0; at < path.size();) {
        std::size_t const end = std::min(path.find('/', at + 1), path.size());
        std::string_view const segment = path.substr(at + 1, end - at - 1);
        if (segment == "." || segment == "..") return true;
        at = end;
    }
    return false;
}

// `rest`: what follows the scheme.
ParsedEndpoint parse_http(Scheme scheme, std::string_view rest, std::string_view text) {
    auto const authority = rest.substr(0, rest.find_first_of("/?#"));
    auto path = rest.substr(authority.size());
    // RFC 9110, 4.2.4: userinfo is deprecated; here it would be a secret that stands in logs.
    if (authority.find('@') != std::string_view::npos) {
        return {std::nullopt, "an endpoint takes no user name or password",
                "write them as credential: { basic: { key_id: ..., secret: ... } }"};
    }
    if (path.find_first_of("?#") != std::string_view::npos)
        return refuse("an endpoint has no query: the client's is passed on");
    if (!path.empty() && !is_plain_path(path)) {
        return {std::nullopt, "the path of the endpoint is not a plain one",
                std::string{path_of_endpoint}};
    }
    if (path.ends_with('/')) path.remove_suffix(1);
    auto const [host, port_text] = split(authority);
    if (!is_host(host)) return refuse("not a host name or an IP address");
    Endpoint endpoint;
    endpoint.scheme = scheme;
    endpoint.host = is_bracketed(host) ? host.substr(1, host.size() - 2) : host;
    endpoint.port = scheme == Scheme::https ? 443 : 80;
    endpoint.text = text;
    endpoint.path = path;
    if (port_text) {
        auto const port = parse_port(*port_text);
        if (!port || *port == 0) return refuse("the port is not a number from 1 to 65535");
        endpoint.port = *port;
    }
    return {std::move(endpoint), {}, {}};
}

} // namespace

std::optional<Address> parse_address(std::string_view text) {
    auto const [host, port_text] = split(text);
    if (!port_text) return std::nullopt;
    auto const port = parse_port(*port_text);
    auto const ip = is_bracketed(host) ? canonical_ip(AF_INET6, host.substr(1, host.size() - 2))
                                       : canonical_ip(AF_INET, host);
    if (!port || !ip) return std::nullopt;
    return Address{*ip, *port};
}

bool is_loopback(Address const& address) {
    return address.ip.starts_with("127.") || address.ip == "::1"
           || address.ip.starts_with("::ffff:127.");
}

namespace {

// One spelling for each host: of names in lower case and without the dot of the root, of addresses
// as they are printed, and `localhost` for every name of this machine (RFC 6761, 6.3; RFC 1122,
// 3.2.1.3: to connect to 0.0.0.0 leads there too).
std::string as_compared(std::string_view host) {
    std::string text{host};
    std::transform(text.begin(), text.end(), text.begin(), text::to_lower);
    if (text.ends_with('.')) text.pop_back();
    if (text == "localhost" || text.ends_with(".localhost") || text == "localhost.localdomain"
        || text == "ip6-localhost" || text == "ip6-loopback")
        return "localhost";
    auto const four = canonical_ip(AF_INET, text);
    auto const six = four ? std::nullopt : canonical_ip(AF_INET6, text);
    if (!four && !six) return text;
    constexpr std::string_view mapped = "::ffff:"; // RFC 4291, 2.5.5.2
    std::string ip = four ? *four : *six;
    if (ip.starts_with(mapped) && ip.find('.') != std::string::npos) ip.erase(0, mapped.size());
    bool const is_this_machine =
        ip.starts_with("127.") || ip == "::1" || ip == "0.0.0.0" || ip == "::";
    return is_this_machine ? "localhost" : ip;
}

} // namespace

bool is_plain_path(std::string_view path) {
    return !path.empty() && path.front() == '/'
           && std::all_of(path.begin(), path.end(), is_path_character)
           && path.find("//") == std::string_view::npos && !has_dot_segment(path);
}

ParsedEndpoint parse_endpoint(std::string_view text) {
    if (text.starts_with("unix:")) return parse_unix(text.substr(5), text);
    if (text.starts_with("http://")) return parse_http(Scheme::http, text.substr(7), text);
    if (text.starts_with("https://")) return parse_http(Scheme::https, text.substr(8), text);
    return refuse("not an endpoint");
}

bool is_url(std::string_view text) {
    auto const query = std::min(text.find('?'), text.size());
    auto const parsed = parse_endpoint(text.substr(0, query));
    if (!parsed.endpoint || parsed.endpoint->scheme == Scheme::unix_socket) return false;
    auto const rest = text.substr(query);
    return std::all_of(rest.begin(), rest.end(), [](char c) {
        constexpr std::string_view plain = "!%&'()*+,-./:;=?@[]_~";
        return text::is_letter_or_digit(c) || plain.find(c) != std::string_view::npos;
    });
}

bool have_same_address(Endpoint const& one, Endpoint const& other) {
    return one.port == other.port && one.socket == other.socket
           && as_compared(one.host) == as_compared(other.host);
}

bool is_host(std::string_view text) {
    return text::is_host(text);
}

bool is_authority(std::string_view text) {
    auto const [host, port] = split(text);
    return is_host(host) && (!port || parse_port(*port).has_value());
}

} // namespace sallyport::config
