#include "gateway/upstream/websocket_handshake.h"

#include "gateway/http/status.h"
#include "gateway/websocket/fields.h"
#include "gateway/websocket/handshake.h"

#include <array>
#include <string>

namespace sallyport::upstream {

WebsocketHandshake::WebsocketHandshake(pipeline::Exchange const& exchange) noexcept
    : offer_{*exchange.decision.websocket}, is_http2_{exchange.request.head.protocol
                                                      == http::Protocol::http_2} {}

bool WebsocketHandshake::make_key() noexcept {
    if (!offer_.key.empty()) return true;
    own_key_ = websocket::make_key();
    return own_key_.has_value();
}

std::string_view WebsocketHandshake::own_key() const noexcept {
    return own_key_ ? own_key_->text() : std::string_view{};
}

std::string_view WebsocketHandshake::judge(http::ResponseHead const& response) noexcept {
    if (response.status != http::switching_protocols) {
        // RFC 8441, 5: in HTTP/2 every success would open the WebSocket.
        bool const is_success = response.status >= 200 && response.status <= 299;
        return is_http2_ && is_success ? "success without a WebSocket" : "";
    }
    auto const accept = websocket::accept_of(own_key_ ? own_key_->text() : offer_.key);
    websocket::Selection selection;
    auto const* const refused =
        websocket::judge_switch(response, accept ? accept->text() : "", offer_, selection);
    if (refused != nullptr) return refused->rule;
    reserved_bits_ = selection.reserved;
    return {};
}

// RFC 8441, 5: HTTP/2 has no 101, and no key that Sec-WebSocket-Accept would belong to.
unsigned WebsocketHandshake::prepare_for_client(http::LineRuns& kept) const {
    if (!is_http2_) return http::switching_protocols;
    http::LineRuns const all = kept;
    http::remove_lines(all, std::array{std::string{websocket::accept_field}}, kept);
    return 200;
}

} // namespace sallyport::upstream
