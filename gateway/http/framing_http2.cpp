// The framing policy for requests of HTTP/2: the checks of HTTP/1 behind its lines, with the host
// and the framing as HTTP/2 says them.
#include "gateway/http/framing_checks.h"

namespace sallyport::http {

namespace {

using namespace detail;

// RFC 9113, 8.3.1: the host by `:authority`, by Host, or by both, if they are equal.
Refused check_authority(RequestHead& head, std::string_view const* text) noexcept {
    if (text == nullptr) return check_host(head);
    head.target.authority = parse_authority(*text);
    if (!head.target.authority) return rules::malformed_target_authority.broken_by(Sender::client);
    if (head.fields.has(FieldId::host)) return check_host(head);
    head.host = *head.target.authority;
    return nullptr;
}

// RFC 9113, 8.1.1: where Content-Length is, it is the size of the body, whose end the stream has.
Refused take_stream_framing(RequestHead& head, BodyFollows follows) noexcept {
    auto& body = head.framing.body;
    auto const& fields = head.fields;
    head.framing.keep_alive = KeepAlive::yes;
    auto const refused = take_body_framing(fields, Sender::client, head.protocol, body);
    if (refused) return refused;
    if (follows == BodyFollows::no && body.kind != BodyFraming::Kind::none)
        return rules::content_length_is_not_body.broken_by(Sender::client);
    if (follows == BodyFollows::yes && !fields.has(FieldId::content_length))
        body.kind = BodyFraming::Kind::chunked;
    return nullptr;
}

} // namespace

Refused judge_field(std::string_view name, std::string_view value) noexcept {
    constexpr auto client = Sender::client;
    // In the order of HTTP/1, where the characters of a whole line come first.
    if (auto const refused = check_characters(name, client)) return refused;
    if (auto const refused = check_characters(value, client)) return refused;
    if (name.empty()) return rules::empty_field_name.broken_by(client); // RFC 9110, 5.1: 1*tchar
    if (end_of_token(name) != name.size()) return rules::field_name_not_token.broken_by(client);
    return check_odd_token(name, client);
}

Refused check_http2_request(RequestHead& head, std::string_view const* authority, BodyFollows body,
                            PathSpellings spellings) noexcept {
    // RFC 9113, 8.3.1: `:path` is path and query, or * of OPTIONS; `:authority` is another field.
    if (!head.raw_target.starts_with('/') && head.raw_target != "*")
        return rules::path_not_origin_form.broken_by(Sender::client);
    if (auto const refused = check_method_and_target(head, spellings)) return refused;
    if (auto const refused = check_authority(head, authority)) return refused;
    if (auto const refused = take_stream_framing(head, body)) return refused;
    return check_content(head);
}

} // namespace sallyport::http
