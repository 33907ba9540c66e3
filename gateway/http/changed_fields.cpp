// Which fields a configuration may change, and how lines are taken out of a head.
#include "gateway/http/changed_fields.h"

#include "gateway/http/field_lines.h"
#include "gateway/http/field_name.h"

#include <algorithm>

namespace sallyport::http {

namespace {

// Of both directions; empty: none.
std::string_view reason_against_any(FieldId id) noexcept {
    switch (id) {
    case FieldId::content_length: // RFC 9112, 6
    case FieldId::transfer_encoding: return "the gateway writes the framing";
    case FieldId::connection: // RFC 9110, 7.6.1
    case FieldId::keep_alive:
    case FieldId::proxy_connection:
    case FieldId::te:
    case FieldId::trailer:
    case FieldId::upgrade:
    case FieldId::http2_settings: return "it is for one connection only";
    case FieldId::request_id: return "the gateway writes it";
    case FieldId::content_type:
    case FieldId::content_encoding:
    case FieldId::content_md5:
    case FieldId::content_digest: return "it describes the body, which was checked as what it says";
    case FieldId::proxy_authorization: // RFC 9110, 11.7
    case FieldId::proxy_authenticate:
    case FieldId::proxy_authentication_info: return "it is for proxies only";
    default: return {};
    }
}

std::string_view reason_against_request(FieldId id) noexcept {
    switch (id) {
    case FieldId::host: return "the upstream's `host` decides";
    case FieldId::expect: return "the gateway handles it";
    case FieldId::authorization: return "the credential of the upstream decides";
    case FieldId::cookie: return "`forward_cookies` decides";
    case FieldId::forwarded:
    case FieldId::x_forwarded_for:
    case FieldId::x_forwarded_proto:
    case FieldId::x_forwarded_host:
    case FieldId::x_forwarded_other:
    case FieldId::client_address: return "only the gateway says where a request came from";
    case FieldId::identity: return "it asserts an identity";
    case FieldId::method_override:
    case FieldId::url_override: return "method and path are forwarded as they were authorized";
    case FieldId::proxy_command: return "it is a command to servers behind a proxy";
    case FieldId::max_forwards: return "the gateway counts it";
    default: return {};
    }
}

std::string_view reason_against_response(FieldId id, FieldChange change) noexcept {
    if (id == FieldId::date) return "it is the time of the response";
    if (change == FieldChange::remove) return {};
    switch (id) {
    case FieldId::identity: return "it asserts an identity";
    case FieldId::proxy_command: return "it is a command to servers behind a proxy";
    default: return {};
    }
}

} // namespace

std::string_view reason_against(FieldOf of, FieldChange change, std::string_view name) noexcept {
    if (shadows_known_field(name)) return "servers may take it for another field (RFC 3875)";
    auto const id = identify_field(name);
    if (auto const reason = reason_against_any(id); !reason.empty()) return reason;
    if (of == FieldOf::response) return reason_against_response(id, change);
    // RFC 9110, 7.6.3
    if (is_same_variable(name, "via")) return "the gateway writes it";
    return reason_against_request(id);
}

void remove_lines(LineRuns const& from, std::span<std::string const> names, LineRuns& to) noexcept {
    to.clear();
    for (auto const run : from) {
        for_each_field_line(run, [&](std::string_view line, std::string_view name) {
            bool const is_removed =
                std::any_of(names.begin(), names.end(),
                            [name](auto const& one) { return is_same_variable(one, name); });
            if (!is_removed) to.add(line);
        });
    }
}

} // namespace sallyport::http
