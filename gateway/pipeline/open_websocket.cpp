// The handshake of WebSocket as a step of the pipeline.
#include "gateway/pipeline/open_websocket.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/websocket/fields.h"
#include "gateway/websocket/handshake.h"
#include "gateway/websocket/rules.h"

#include <algorithm>
#include <string>

namespace sallyport::pipeline {

namespace {

constexpr std::string_view origin_field = "origin";

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
bool may_open(contract::Upgrade const& upgrade, http::FieldTable const& fields) {
    auto const origin = websocket::find_lines(fields, origin_field);
    if (origin.count == 0) return true;
    return origin.count == 1
           && std::find(upgrade.origins.begin(), upgrade.origins.end(), origin.value)
                  != upgrade.origins.end();
}

} // namespace

std::unique_ptr<Denial> judge_websocket(Request const& request, Decision& decision) {
    auto const& head = request.head;
    // RFC 8441, 4: `:protocol`. Unlike Upgrade it may not be ignored: any response of success would
    // open a tunnel.
    auto const connect_protocol = head.protocol == http::Protocol::http_2
                                      ? head.fields.find(http::FieldId::upgrade)
                                      : std::nullopt;
    auto const* const operation = decision.operation;
    bool const is_marked = operation != nullptr && operation->upgrade != nullptr;
    if (!is_marked && connect_protocol) return opens_none();
    if (!is_marked || (!connect_protocol && !websocket::asks_for_websocket(head))) return nullptr;
    auto offer = std::make_unique<websocket::Offer>();
    auto const* const refused =
        connect_protocol ? websocket::judge_extended_connect(*connect_protocol, head.fields, *offer)
                         : websocket::judge_request(head, *offer);
    if (refused != nullptr) return refuse(*refused);
    if (!may_open(*operation->upgrade, head.fields))
        return std::make_unique<Denial>(Denial{Reason::origin_denied, {}, {}, {}, {}});
    decision.websocket = std::move(offer);
    return nullptr;
}

} // namespace sallyport::pipeline
