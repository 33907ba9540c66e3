// The handshake of WebSocket as a step of the pipeline.
#include "gateway/pipeline/open_websocket.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/web_origin.h"
#include "gateway/websocket/handshake.h"
#include "gateway/websocket/rules.h"
#include "gateway/websocket/subprotocols.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::pipeline {

namespace {

std::unique_ptr<Denial> refuse(http::Refusal const& refusal) {
    auto denial = std::make_unique<Denial>(denial_of(refusal));
    // RFC 6455, 4.4: the versions that are understood.
    if (&refusal == &websocket::rules::websocket_version.client)
        denial->fields.push_back(
            {"Sec-WebSocket-Version", std::string{websocket::supported_version}});
    return denial;
}

std::unique_ptr<Denial> opens_none() {
    return std::make_unique<Denial>(
        Denial{Reason::bad_request, "This operation opens no WebSocket", {}, {}, {}});
}

// RFC 6455, 10.2: a browser lets every page open a WebSocket to every server, with the credentials
// that it keeps for it. Clients that are no browsers send no origin.
bool may_open(Decision const& decision, http::FieldTable const& fields) {
    auto const origin = origin_lines(fields);
    if (origin.count == 0) return true;
    if (origin.count > 1) return false;
    auto const* const rules = decision.api->websocket.get();
    if (rules != nullptr && is_one_of(rules->origins, origin.value)) return true;
    if (decision.operation == nullptr) return false;
    auto const& marked = decision.operation->upgrade->origins;
    return std::find(marked.begin(), marked.end(), origin.value) != marked.end();
}

// RFC 8441, 4: `:protocol`. Unlike Upgrade it may not be ignored: any response of success would
// open a tunnel.
std::optional<std::string_view> connect_protocol(http::RequestHead const& head) {
    if (head.protocol != http::Protocol::http_2) return std::nullopt;
    return head.fields.find(http::FieldId::upgrade);
}

http::Refused take_token(websocket::TokenList& subprotocols, Api const& api,
                         std::optional<config::Secret>& token) {
    auto const prefix = api.token_prefix();
    return prefix.empty() ? nullptr : websocket::take_credential(subprotocols, prefix, token);
}

} // namespace

bool opens_websockets(Decision const& decision) {
    return decision.operation == nullptr ? decision.api->upgrades_to_websocket
                                         : decision.operation->upgrade != nullptr;
}

std::unique_ptr<Denial> take_subprotocol_token(Api const& api, Request& request) {
    auto const& head = request.head;
    if (api.token_prefix().empty() || request.subprotocol_authorization != nullptr) return nullptr;
    if (!connect_protocol(head) && !websocket::asks_for_websocket(head)) return nullptr;
    websocket::TokenList subprotocols;
    // What is malformed is refused with the handshake, which only known callers learn.
    if (websocket::read_subprotocols(head.fields, http::Sender::client, subprotocols) != nullptr)
        return nullptr;
    std::optional<config::Secret> token;
    if (auto const* const refused = take_token(subprotocols, api, token)) return refuse(*refused);
    if (!token) return nullptr;
    constexpr std::string_view scheme = "Bearer ";
    std::string value;
    value.reserve(scheme.size() + token->reveal().size()); // so that no copy is left behind
    value.append(scheme).append(token->reveal());
    request.subprotocol_authorization = std::make_unique<config::Secret const>(value);
    config::wipe(value);
    return nullptr;
}

std::unique_ptr<Denial> judge_websocket(Request const& request, Decision& decision) {
    auto const& head = request.head;
    auto const protocol = connect_protocol(head);
    if (!opens_websockets(decision)) return protocol ? opens_none() : nullptr;
    if (!protocol && !websocket::asks_for_websocket(head)) return nullptr;
    auto offer = std::make_unique<websocket::Offer>();
    auto const* refused = protocol
                              ? websocket::judge_extended_connect(*protocol, head.fields, *offer)
                              : websocket::judge_request(head, *offer);
    std::optional<config::Secret> token; // the upstream is not offered it
    if (refused == nullptr) refused = take_token(offer->subprotocols, *decision.api, token);
    if (refused != nullptr) return refuse(*refused);
    if (!may_open(decision, head.fields))
        return std::make_unique<Denial>(Denial{Reason::origin_denied, {}, {}, {}, {}});
    decision.websocket = std::move(offer);
    return nullptr;
}

} // namespace sallyport::pipeline
