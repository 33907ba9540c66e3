// Who the client is, according to the proxies in front of the gateway.
#include "gateway/http/forwarded.h"

#include "gateway/http/characters.h"
#include "gateway/http/rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace sallyport::http {

namespace {

using text::AddressBits;

// What one proxy says of its client. Views into the head; nothing: not said.
struct Hop {
    std::optional<std::string_view> node = {};
    std::optional<std::string_view> proto = {};
    std::optional<std::string_view> host = {};
};

// The elements of a list, the last one first.
template <class T>
class FromRight {
public:
    [[nodiscard]] bool is_full() const noexcept { return size_ == elements_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    T const& operator[](std::size_t i) const noexcept { return elements_[i]; }
    void add(T const& element) noexcept {
        if (!is_full()) elements_[size_++] = element;
    }

private:
    std::array<T, max_forwarded_hops> elements_;
    std::size_t size_ = 0;
};

// RFC 9110, 5.3: several lines are one list, in their order.
template <class Visit>
void for_each_line_from_right(FieldTable const& fields, FieldId id, Visit&& visit) {
    if (!fields.has(id)) return;
    for (std::size_t i = fields.size(); i > 0; --i)
        if (fields[i - 1].id == id) visit(fields[i - 1].value);
}

// Empty elements are kept: a proxy that wrote one did not know its client.
FromRight<std::string_view> elements_of(FieldTable const& fields, FieldId id) {
    FromRight<std::string_view> elements;
    for_each_line_from_right(fields, id, [&elements](std::string_view line) {
        while (!elements.is_full()) {
            auto const comma = line.rfind(',');
            auto const begin = comma == std::string_view::npos ? 0 : comma + 1;
            elements.add(trim_white_space(line.substr(begin)));
            if (comma == std::string_view::npos) break;
            line = line.substr(0, comma);
        }
    });
    return elements;
}

enum class Grammar { rfc_7239, as_seen };

// RFC 7239, 6.2: one to five digits; RFC 9293, 3.1: of a number of 16 bits.
bool is_port(std::string_view text) {
    constexpr std::size_t longest = 5;
    if (text.empty() || text.size() > longest) return false;
    if (!std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); })) return false;
    unsigned number = 0;
    for (char const c : text)
        number = number * 10 + static_cast<unsigned>(c - '0');
    return number <= 0xffff;
}

std::optional<AddressBits> parse_address(std::string_view text) {
    // A zone means nothing on another machine.
    return text.find('%') == std::string_view::npos ? text::parse_ip(text) : std::nullopt;
}

// RFC 7239, 6: an IPv4 address, or one of IPv6 in brackets, and perhaps a port. X-Forwarded-For
// also has IPv6 addresses without brackets.
std::optional<AddressBits> parse_node(std::string_view node, Grammar grammar) {
    if (node.starts_with('[')) {
        auto const end = node.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        auto const rest = node.substr(end + 1);
        if (!rest.empty() && !(rest.starts_with(':') && is_port(rest.substr(1))))
            return std::nullopt;
        auto const inner = node.substr(1, end - 1);
        return inner.find(':') == std::string_view::npos ? std::nullopt : parse_address(inner);
    }
    auto const colon = node.find(':');
    if (colon == std::string_view::npos) return parse_address(node);
    bool const is_v6 = node.find(':', colon + 1) != std::string_view::npos;
    if (is_v6) return grammar == Grammar::as_seen ? parse_address(node) : std::nullopt;
    return is_port(node.substr(colon + 1)) ? parse_address(node.substr(0, colon)) : std::nullopt;
}

// --- Forwarded

// Reads the elements of one line of Forwarded, left to right. RFC 7239, 4.
class ForwardedLine {
public:
    explicit ForwardedLine(std::string_view text) : rest_{text} {}

    // False: malformed. Adds the elements to `hops`, the last one first.
    bool read(FromRight<Hop>& hops) {
        std::array<Hop, max_forwarded_hops> last;
        std::size_t count = 0;
        for (;;) {
            Hop hop;
            if (!read_element(hop)) return false;
            last[count++ % last.size()] = hop;
            if (rest_.empty()) break;
            rest_.remove_prefix(1); // the comma
        }
        for (std::size_t i = 0; i < std::min(count, last.size()); ++i)
            hops.add(last[(count - 1 - i) % last.size()]);
        return true;
    }

private:
    // forwarded-element = [ forwarded-pair ] *( ";" [ forwarded-pair ] ), which has white space
    // around the whole only (RFC 9110, 5.6.1). That behind a semicolon is taken nevertheless:
    // OVHcloud's Load Balancer sends `for=192.0.2.1; proto=https`.
    bool read_element(Hop& hop) {
        for (;;) {
            skip_white_space();
            if (!at_end_of_pair() && !read_pair(hop)) return false;
            if (!rest_.starts_with(';')) break;
            rest_.remove_prefix(1);
        }
        skip_white_space();
        return rest_.empty() || rest_.front() == ',';
    }

    // forwarded-pair = token "=" value; a name is given once in an element.
    bool read_pair(Hop& hop) {
        auto const name = take_token();
        if (name.empty() || rest_.empty() || rest_.front() != '=') return false;
        rest_.remove_prefix(1);
        auto const value = take_value();
        if (!value) return false;
        auto* const member = member_of(hop, name);
        if (member == nullptr) return true;
        if (member->has_value()) return false;
        *member = *value;
        return !value->empty();
    }

    static std::optional<std::string_view>* member_of(Hop& hop, std::string_view name) {
        if (equals_ignoring_case(name, "for")) return &hop.node;
        if (equals_ignoring_case(name, "proto")) return &hop.proto;
        if (equals_ignoring_case(name, "host")) return &hop.host;
        return nullptr;
    }

    std::string_view take_token() {
        auto const end = std::find_if(rest_.begin(), rest_.end(),
                                      [](char c) { return !is_of(token_character, c); });
        return take(static_cast<std::size_t>(end - rest_.begin()));
    }

    // Nothing that is read here needs a backslash (RFC 9110, 5.6.4).
    std::optional<std::string_view> take_value() {
        if (!rest_.starts_with('"')) return take_token();
        rest_.remove_prefix(1);
        auto const end = rest_.find_first_of("\"\\");
        if (end == std::string_view::npos || rest_[end] == '\\') return std::nullopt;
        auto const value = take(end);
        rest_.remove_prefix(1);
        return value;
    }

    std::string_view take(std::size_t size) {
        auto const taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    void skip_white_space() { rest_ = trim_white_space(rest_); }
    [[nodiscard]] bool at_end_of_pair() const {
        return rest_.empty() || rest_.front() == ';' || rest_.front() == ',';
    }

    std::string_view rest_;
};

Refused hops_of_forwarded(FieldTable const& fields, FromRight<Hop>& hops) {
    bool is_malformed = false;
    for_each_line_from_right(fields, FieldId::forwarded, [&](std::string_view line) {
        is_malformed = is_malformed || !ForwardedLine{line}.read(hops);
    });
    return is_malformed ? &rules::forwarded_malformed.client : nullptr;
}

// --- X-Forwarded-*

// Of a list that may have fewer elements than there are hops. Nothing: there is no list.
std::optional<std::string_view> element_of_hop(FromRight<std::string_view> const& elements,
                                               std::size_t hop) {
    if (elements.size() == 0) return std::nullopt;
    return elements[std::min(hop, elements.size() - 1)];
}

void hops_of_x_forwarded(FieldTable const& fields, ForwardedFields const& which,
                         FromRight<Hop>& hops) {
    auto const read = [&fields](bool wanted, FieldId id) {
        return wanted ? elements_of(fields, id) : FromRight<std::string_view>{};
    };
    auto const nodes = read(which.x_forwarded_for, FieldId::x_forwarded_for);
    auto const protos = read(which.x_forwarded_proto, FieldId::x_forwarded_proto);
    auto const hosts = read(which.x_forwarded_host, FieldId::x_forwarded_host);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        hops.add({nodes[i], element_of_hop(protos, i), element_of_hop(hosts, i)});
    // A proxy that names no client still knows how it was reached.
    if (nodes.size() == 0 && protos.size() + hosts.size() > 0)
        hops.add({{}, element_of_hop(protos, 0), element_of_hop(hosts, 0)});
}

// --- both

// RFC 7239, 5.4: a scheme, which is never empty: a proxy that did not know it must not let the
// client pass for one that uses the scheme of the proxy. Proxies write those of WebSocket too.
Refused read_proto(std::optional<std::string_view> proto, std::optional<bool>& is_https) {
    if (!proto) return nullptr;
    if (equals_ignoring_case(*proto, "https") || equals_ignoring_case(*proto, "wss")) {
        is_https = true;
    } else if (equals_ignoring_case(*proto, "http") || equals_ignoring_case(*proto, "ws")) {
        is_https = false;
    } else {
        return &rules::forwarded_malformed.client;
    }
    return nullptr;
}

// RFC 7239, 5.3. An empty one is refused too: the request's own Host may be the proxy's.
Refused read_host(std::optional<std::string_view> host, std::optional<Authority>& authority) {
    if (!host) return nullptr;
    authority = parse_authority(*host);
    return authority ? nullptr : &rules::forwarded_malformed.client;
}

// Whether every hop must name its client.
bool names_clients(FieldTable const& fields, ForwardedFields const& which) {
    return which.forwarded || (which.x_forwarded_for && fields.has(FieldId::x_forwarded_for));
}

} // namespace

Refused read_forwarded(FieldTable const& fields, TrustedProxies const& proxies,
                       std::string_view peer, ForwardedClient& client) {
    FromRight<Hop> hops;
    if (proxies.fields.forwarded) {
        if (auto const refused = hops_of_forwarded(fields, hops)) return refused;
    } else {
        hops_of_x_forwarded(fields, proxies.fields, hops);
    }
    client = {std::string{peer}, {}, {}};
    auto const grammar = proxies.fields.forwarded ? Grammar::rfc_7239 : Grammar::as_seen;
    bool const must_name = names_clients(fields, proxies.fields);
    std::size_t next = 0;
    while (next < hops.size() && proxies.has(client.address)) {
        auto const& hop = hops[next++];
        client.is_https.reset();
        client.host.reset();
        if (must_name) {
            auto const bits = parse_node(hop.node.value_or(std::string_view{}), grammar);
            if (!bits) return &rules::forwarded_address.client;
            client.address = text::format_ip(*bits);
        }
        if (auto const refused = read_proto(hop.proto, client.is_https)) return refused;
        if (auto const refused = read_host(hop.host, client.host)) return refused;
        if (!must_name) break;
    }
    // More hops than are read: the client may be further to the left.
    if (next == max_forwarded_hops && proxies.has(client.address))
        return &rules::forwarded_too_long.client;
    return nullptr;
}

} // namespace sallyport::http
