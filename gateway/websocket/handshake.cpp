// The rules of the handshake, in the order of RFC 6455.
#include "gateway/websocket/handshake.h"

#include "gateway/websocket/extensions.h"
#include "gateway/websocket/fields.h"
#include "gateway/websocket/key.h"
#include "gateway/websocket/rules.h"
#include "gateway/websocket/subprotocols.h"

namespace sallyport::websocket {

namespace {

using http::FieldId;
using http::Sender;

constexpr std::string_view websocket_name = "websocket";
constexpr std::string_view upgrade_name = "upgrade";

http::Refused refused(http::Rule const& rule) noexcept {
    return rule.broken_by(Sender::client);
}

// RFC 6455, 4.2.1, items 6 to 8: common to both versions of HTTP.
http::Refused read_offer(http::FieldTable const& fields, Offer& offer) noexcept {
    auto const version = http::find_lines(fields, version_field);
    if (version.count != 1 || version.value != supported_version)
        return refused(rules::websocket_version);
    if (auto const violated = read_subprotocols(fields, Sender::client, offer.subprotocols))
        return violated;
    return read_extensions(fields, Sender::client, offer.extensions);
}

// RFC 6455, 4.2.1, item 5.
http::Refused read_key(http::FieldTable const& fields, Offer& offer) noexcept {
    auto const key = http::find_lines(fields, key_field);
    if (key.count == 0) return refused(rules::missing_websocket_key);
    if (key.count > 1) return refused(rules::repeated_websocket_key);
    if (!is_key(key.value)) return refused(rules::malformed_websocket_key);
    offer.key = key.value;
    return nullptr;
}

http::Refused read_selection(http::FieldTable const& fields, Offer const& offer,
                             Selection& selection) noexcept {
    TokenList subprotocols;
    if (auto const violated = read_subprotocols(fields, Sender::upstream, subprotocols))
        return violated;
    // RFC 6455, 11.3.4.
    if (subprotocols.size() > 1)
        return rules::several_subprotocols_selected.broken_by(Sender::upstream);
    if (!subprotocols.is_empty()) selection.subprotocol = *subprotocols.begin();
    if (!subprotocols.is_empty() && !offer.subprotocols.has(selection.subprotocol))
        return rules::subprotocol_not_offered.broken_by(Sender::upstream);
    if (auto const violated = read_extensions(fields, Sender::upstream, selection.extensions))
        return violated;
    for (auto const extension : selection.extensions)
        if (!offer.extensions.has(extension))
            return rules::extension_not_offered.broken_by(Sender::upstream);
    selection.reserved = reserved_bits(selection.extensions);
    return nullptr;
}

} // namespace

bool asks_for_websocket(http::RequestHead const& head) noexcept {
    return head.fields.has(FieldId::upgrade) && head.protocol == http::Protocol::http_1_1
           && has_element(head.fields, FieldId::upgrade, websocket_name);
}

http::Refused judge_request(http::RequestHead const& head, Offer& offer) noexcept {
    // RFC 6455, 4.2.1, item 1.
    if (head.method != http::Method::get) return refused(rules::method_not_get);
    if (head.protocol != http::Protocol::http_1_1) return refused(rules::upgrade_in_http_1_0);
    // A body in front of the frames would be a place to hide a second request.
    if (head.framing.body.kind != http::BodyFraming::Kind::none)
        return refused(rules::upgrade_with_body);
    // Items 3 and 4.
    if (!has_element(head.fields, FieldId::upgrade, websocket_name))
        return refused(rules::upgrade_not_websocket);
    if (!has_element(head.fields, FieldId::connection, upgrade_name))
        return refused(rules::connection_without_upgrade);
    if (auto const violated = read_key(head.fields, offer)) return violated;
    return read_offer(head.fields, offer);
}

http::Refused judge_extended_connect(std::string_view protocol, http::FieldTable const& fields,
                                     Offer& offer) noexcept {
    // RFC 9110, 7.8: names of protocols are compared without case.
    if (!http::equals_ignoring_case(protocol, websocket_name))
        return refused(rules::protocol_not_websocket);
    return read_offer(fields, offer);
}

http::Refused judge_switch(http::ResponseHead const& head, std::string_view accept,
                           Offer const& offer, Selection& selection) noexcept {
    auto const& fields = head.fields;
    // Item 2: nothing but websocket, while item 3 is a list.
    auto const upgrade = fields.find(FieldId::upgrade);
    if (!upgrade || fields.is_repeated(FieldId::upgrade)
        || !http::equals_ignoring_case(*upgrade, websocket_name))
        return rules::upgrade_not_websocket.broken_by(Sender::upstream);
    if (!has_element(fields, FieldId::connection, upgrade_name))
        return rules::connection_without_upgrade.broken_by(Sender::upstream);
    auto const accepted = http::find_lines(fields, accept_field);
    if (accepted.count == 0) return rules::missing_websocket_accept.broken_by(Sender::upstream);
    if (accepted.count > 1) return rules::repeated_websocket_accept.broken_by(Sender::upstream);
    if (accepted.value != accept) return rules::wrong_websocket_accept.broken_by(Sender::upstream);
    return read_selection(fields, offer, selection);
}

} // namespace sallyport::websocket
