// The table of forwarded fields: a request's fields to the upstream, a response's to the client.
#include "gateway/http/forward_fields.h"

#include "gateway/http/characters.h"

#include <algorithm>

namespace sallyport::http {

namespace {

enum class Disposition : std::uint8_t {
    forward,
    forward_always, // even if Connection names it: the checks used it, so it must be forwarded
    drop,
    drop_unless_cookies,
    drop_unless_declared,
    drop_if_decoded,
    drop_of_options,
};

// Each row with its reason, so equal cases stay separate.
// NOLINTBEGIN(bugprone-branch-clone)
constexpr Disposition request_disposition(FieldId id) {
    switch (id) {
    // Written by the gateway from the parsed parts.
    case FieldId::host:              // RFC 9110, 7.2: the upstream's
    case FieldId::content_length:    // RFC 9112, 6: the gateway writes the framing
    case FieldId::transfer_encoding: // RFC 9112, 6.1: likewise
    case FieldId::authorization:     // in its canonical spelling, or the upstream's own credential
    case FieldId::request_id:        // one id for our log and the upstream's
        return Disposition::drop;
    // RFC 9110, 7.6.1: for this connection only.
    case FieldId::connection:
    case FieldId::keep_alive:
    case FieldId::proxy_connection:
    case FieldId::te:             // RFC 9110, 10.1.4: trailers are not passed on
    case FieldId::trailer:        // RFC 9110, 6.6.2: likewise
    case FieldId::upgrade:        // RFC 9110, 7.8: only the protocols served here pass the checks
    case FieldId::http2_settings: // RFC 9113, 3.1: used with an upgrade to h2c
        return Disposition::drop;
    case FieldId::expect: // RFC 9110, 10.1.1: handled by the gateway
        return Disposition::drop;
    // RFC 9110, 11.7: credentials for a proxy, and a proxy's responses.
    case FieldId::proxy_authorization:
    case FieldId::proxy_authenticate:
    case FieldId::proxy_authentication_info: return Disposition::drop;
    case FieldId::cookie: // RFC 6265: ambient credentials that were not checked
        return Disposition::drop_unless_cookies;
    // Fields of proxies about clients: a client's are removed, ours are added (RFC 7239, 8.1).
    case FieldId::forwarded:
    case FieldId::x_forwarded_for:
    case FieldId::x_forwarded_proto:
    case FieldId::x_forwarded_host:
    case FieldId::x_forwarded_other:
    case FieldId::client_address: return Disposition::drop;
    // Identities that upstreams trust because only their proxy can assert them; forwarded if the
    // contract lets clients send them.
    case FieldId::identity: return Disposition::drop_unless_declared;
    case FieldId::method_override: // the authorized method is the forwarded method
    case FieldId::url_override:    // likewise the path
    case FieldId::proxy_command: return Disposition::drop;
    case FieldId::content_type: // the body was checked as this type
        return Disposition::forward_always;
    case FieldId::content_encoding: // the body was decoded by it
        return Disposition::drop_if_decoded;
    case FieldId::content_md5: // RFC 9530, 2: they describe the coded bytes
    case FieldId::content_digest: return Disposition::drop_if_decoded;
    case FieldId::max_forwards: // RFC 9110, 7.6.2: decremented, for the methods that use it
        return Disposition::drop_of_options;
    case FieldId::accept_encoding:
    case FieldId::date:
    case FieldId::retry_after:
    case FieldId::unknown: // trace context (traceparent, tracestate, baggage) and all others
        return Disposition::forward;
    }
    return Disposition::drop;
}
// NOLINTEND(bugprone-branch-clone)

constexpr bool is_returned(FieldId id) {
    switch (id) {
    case FieldId::content_length:    // RFC 9112, 6: the gateway writes the framing
    case FieldId::transfer_encoding: // RFC 9112, 6.1: likewise
    case FieldId::connection:        // RFC 9110, 7.6.1: for this connection only
    case FieldId::keep_alive:
    case FieldId::proxy_connection:
    case FieldId::te:
    case FieldId::trailer:            // RFC 9110, 6.6.2: trailers are not passed on
    case FieldId::upgrade:            // RFC 9110, 7.8
    case FieldId::http2_settings:     // RFC 9113, 3.1
    case FieldId::proxy_authenticate: // RFC 9110, 11.7: the challenge is for the gateway, not the
                                      // client
    case FieldId::proxy_authentication_info:
    case FieldId::request_id: // ours is sent; the upstream's is logged
        return false;
    default: return true;
    }
}

bool is_declared(ForwardPolicy const& policy, std::string_view name) noexcept {
    return std::any_of(policy.declared.begin(), policy.declared.end(),
                       [name](std::string const& one) { return equals_ignoring_case(one, name); });
}

// Whether Connection contains anything but the two words for the connection itself.
bool connection_names_fields(FieldTable const& fields) noexcept {
    if (!fields.has(FieldId::connection)) return false;
    for (auto const field : fields) {
        if (field.id != FieldId::connection) continue;
        bool const is_plain = for_each_element(field.value, [](std::string_view option) {
            return equals_ignoring_case(option, "close")
                   || equals_ignoring_case(option, "keep-alive");
        });
        if (!is_plain) return true;
    }
    return false;
}

} // namespace

// RFC 9110, 7.6.1: a field that Connection names is for this connection only.
bool is_named_by_connection(FieldTable const& fields, std::string_view name) noexcept {
    for (auto const field : fields) {
        if (field.id != FieldId::connection) continue;
        bool const is_not_named = for_each_element(field.value, [name](std::string_view option) {
            return !equals_ignoring_case(option, name);
        });
        if (!is_not_named) return true;
    }
    return false;
}

void LineRuns::add(std::string_view line) noexcept {
    if (count_ != 0) {
        auto& last = storage_.runs[count_ - 1];
        if (last.data() + last.size() == line.data()) {
            last = {last.data(), last.size() + line.size()};
            return;
        }
    }
    storage_.runs[count_++] = line;
}

std::size_t LineRuns::bytes() const noexcept {
    std::size_t bytes = 0;
    for (auto const run : *this)
        bytes += run.size();
    return bytes;
}

void fields_to_forward(RequestHead const& head, ForwardPolicy const& policy,
                       LineRuns& runs) noexcept {
    runs.clear();
    bool const names_fields = connection_names_fields(head.fields);
    for (auto const field : head.fields) {
        bool const is_named = names_fields && is_named_by_connection(head.fields, field.name);
        switch (request_disposition(field.id)) {
        case Disposition::drop: continue;
        case Disposition::drop_unless_cookies:
            if (policy.cookies == Cookies::drop || is_named) continue;
            break;
        case Disposition::drop_unless_declared:
            if (is_named || !is_declared(policy, field.name)) continue;
            break;
        case Disposition::drop_if_decoded:
            if (policy.coding == Coding::removed) continue;
            break;
        case Disposition::drop_of_options:
            if (head.method == Method::options || is_named) continue;
            break;
        case Disposition::forward:
            if (is_named) continue;
            break;
        case Disposition::forward_always: break;
        }
        runs.add(field.line);
    }
}

DeclaredField judge_declared_field(std::string_view name) noexcept {
    // RFC 3875, 4.1.18: a request with such a field is refused.
    if (shadows_known_field(name)) return DeclaredField::written_by_gateway;
    switch (request_disposition(identify_field(name))) {
    case Disposition::drop:
    case Disposition::drop_of_options: return DeclaredField::written_by_gateway;
    case Disposition::drop_unless_cookies: return DeclaredField::forwarded_with_cookies;
    default: return DeclaredField::forwarded;
    }
}

void fields_to_return(ResponseHead const& head, LineRuns& runs) noexcept {
    runs.clear();
    bool const names_fields = connection_names_fields(head.fields);
    for (auto const field : head.fields) {
        if (!is_returned(field.id)) continue;
        // The client must decode the body as the upstream coded it, whatever Connection says; and a
        // response has a Date (RFC 9110, 6.6.1).
        bool const is_kept = field.id == FieldId::content_type
                             || field.id == FieldId::content_encoding || field.id == FieldId::date;
        if (names_fields && !is_kept && is_named_by_connection(head.fields, field.name)) continue;
        runs.add(field.line);
    }
}

} // namespace sallyport::http
