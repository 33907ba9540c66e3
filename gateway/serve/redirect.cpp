// Redirects the requests of a listener that only leads to https.
#include "gateway/serve/redirect.h"

#include "config/addresses.h"
#include "gateway/http/date.h"
#include "gateway/serve/own_response.h"
#include "gateway/serve/refuse.h"

#include <array>
#include <chrono>
#include <memory>
#include <utility>

namespace sallyport::serve {

namespace {

using pipeline::Denial;
using pipeline::Reason;

constexpr std::uint16_t usual_port = 443; // RFC 9110, 4.2.2

std::unique_ptr<Denial> bad_host() {
    return std::make_unique<Denial>(
        Denial{Reason::bad_request, "The Host is not one to redirect to", {}, {}, {}});
}

} // namespace

std::string location_of(std::string_view host, http::Target const& target, std::uint16_t port) {
    // The policy for heads lets more characters pass, such as '~'.
    if (!config::is_host(host)) return {};
    std::string location{"https://"};
    location += host;
    if (port != usual_port) location.append(":").append(std::to_string(port));
    // Path and query were checked: nothing in them ends a line or an element.
    location.append(target.path).append(target.query);
    return location;
}

net::Task<http::KeepAlive> redirect(pipeline::Exchange& exchange, std::uint16_t port) {
    auto const& request_head = exchange.request.head;
    exchange.request.host =
        http::normalized_host(exchange.request.authority(), exchange.request.host_storage);
    auto& transport = exchange.transport;
    // A body goes to the other URL: it is neither waited for nor taken for a request.
    if (!transport.body_complete()) transport.close_after_response();
    auto const location = location_of(exchange.request.authority().host, request_head.target, port);
    if (location.empty()) {
        auto denial = bad_host();
        co_return co_await send_refusal(exchange, std::move(denial));
    }
    http::Date const date{std::chrono::system_clock::now()};
    std::array<http::AddedField, 4> const added{{{"Date", date}, // RFC 9110, 6.6.1
                                                 {"Cache-Control", "no-store"},
                                                 {"X-Request-Id", exchange.request.id.text()},
                                                 {"Location", location}}};
    http::OutgoingHead const head{
        .status = 308, .reason = {}, .kept = {}, .added = added, .length = 0, .has_body = true};
    co_return co_await send_own_response(exchange, head);
}

} // namespace sallyport::serve
