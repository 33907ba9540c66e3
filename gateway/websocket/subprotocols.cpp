// Subprotocols: reading the list, and taking a credential out of it.
#include "gateway/websocket/subprotocols.h"

#include "gateway/jose/base64url.h"
#include "gateway/websocket/fields.h"
#include "gateway/websocket/rules.h"

#include <algorithm>

namespace sallyport::websocket {

namespace {

// RFC 6750, 2.1: b64token.
bool is_bearer_token(std::string_view text) noexcept {
    auto const padding = text.find_last_not_of('=');
    if (padding == std::string_view::npos) return false;
    return http::is_all_of(http::token68_character, text.substr(0, padding + 1));
}

std::optional<config::Secret> decode_token(std::string_view encoded) {
    auto decoded = jose::decode_base64url(encoded);
    if (!decoded) return std::nullopt;
    std::optional<config::Secret> token;
    if (is_bearer_token(*decoded)) token.emplace(*decoded);
    config::wipe(*decoded);
    return token;
}

} // namespace

http::Refused read_subprotocols(http::FieldTable const& fields, http::Sender sender,
                                TokenList& subprotocols) noexcept {
    http::Rule const* violated = nullptr;
    bool has_field = false;
    auto const take = [&](std::string_view element) {
        if (!http::is_all_of(http::token_character, element))
            violated = &rules::malformed_subprotocols;
        else if (subprotocols.has(element))
            violated = &rules::repeated_subprotocol;
        else if (subprotocols.is_full())
            violated = &rules::too_many_subprotocols;
        else
            subprotocols.push(element);
        return violated == nullptr;
    };
    for (auto const field : fields) {
        if (!http::is_field_name(field.name, protocol_field)) continue;
        has_field = true;
        if (!http::for_each_element(field.value, take)) return violated->broken_by(sender);
    }
    if (has_field && subprotocols.is_empty())
        return rules::malformed_subprotocols.broken_by(sender);
    return nullptr;
}

http::Refused take_credential(TokenList& subprotocols, std::string_view prefix,
                              std::optional<config::Secret>& token) {
    auto const refused = [](http::Rule const& rule) {
        return rule.broken_by(http::Sender::client);
    };
    auto const has_prefix = [prefix](std::string_view entry) { return entry.starts_with(prefix); };
    auto const* const found = std::find_if(subprotocols.begin(), subprotocols.end(), has_prefix);
    if (found == subprotocols.end()) return nullptr;
    if (std::any_of(found + 1, subprotocols.end(), has_prefix))
        return refused(rules::repeated_credential);
    if (subprotocols.size() == 1) return refused(rules::credential_alone);
    token = decode_token(found->substr(prefix.size()));
    if (!token) return refused(rules::malformed_credential);
    subprotocols.remove(found);
    return nullptr;
}

std::string join_subprotocols(TokenList const& subprotocols) {
    std::string joined;
    for (auto const subprotocol : subprotocols) {
        if (!joined.empty()) joined += ", ";
        joined += subprotocol;
    }
    return joined;
}

} // namespace sallyport::websocket
