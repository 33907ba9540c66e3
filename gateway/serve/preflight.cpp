// Responds to the preflights of browsers, of APIs with `cors`.
#include "gateway/serve/preflight.h"

#include "gateway/http/date.h"
#include "gateway/pipeline/steps.h"
#include "gateway/serve/own_response.h"
#include "gateway/serve/refuse.h"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::serve {

namespace {

using pipeline::Cors;
using pipeline::Denial;
using pipeline::Reason;

// The methods of the path, as far as `cors` lets pages use them.
std::string permitted_methods(Cors const& cors, pipeline::Decision const& decision) {
    constexpr std::string_view usual = "GET, HEAD, POST, PUT, PATCH, DELETE";
    auto const& api = *decision.api;
    bool const passes_others = api.forwards_unknown();
    if (!decision.route && !passes_others)
        return cors.methods_of(api.allow, Cors::Others::refused);
    // What the contract does not have is forwarded: all methods are alike.
    if (!decision.route) return cors.methods_of(usual, Cors::Others::any);
    auto const others = passes_others ? Cors::Others::any : Cors::Others::refused;
    return cors.methods_of(decision.route.item->allow, others);
}

// RFC 9110, 15.3.5; Fetch, "CORS-preflight fetch": any status from 200 to 299.
net::Task<http::KeepAlive> send_permission(pipeline::Exchange& exchange, std::string_view origin) {
    http::Date const date{std::chrono::system_clock::now()};
    std::array<http::AddedField, 3> const added{{{"Date", date}, // RFC 9110, 6.6.1
                                                 {"Cache-Control", "no-store"},
                                                 {"X-Request-Id", exchange.request.id.text()}}};
    auto const methods = permitted_methods(*pipeline::cors_of(exchange), exchange.decision);
    std::string const changes =
        pipeline::lines_of_preflight_response(exchange, added, origin, methods);
    std::string_view const lines = changes;
    http::OutgoingHead const head{.status = 204,
                                  .reason = {},
                                  .kept = {&lines, 1},
                                  .added = added,
                                  .length = {},
                                  .has_body = false};
    co_return co_await send_own_response(exchange, head);
}

} // namespace

bool is_preflight(pipeline::Exchange const& exchange) noexcept {
    return pipeline::cors_of(exchange) != nullptr && Cors::is_preflight(exchange.request.head);
}

net::Task<http::KeepAlive> respond_to_preflight(pipeline::Exchange& exchange) {
    auto const origin = pipeline::cors_of(exchange)->allowed_origin(exchange.request.head.fields);
    auto denial = origin ? pipeline::find_path(exchange.request, exchange.decision)
                         : std::make_unique<Denial>(Denial{Reason::origin_denied, {}, {}, {}, {}});
    if (denial) return send_refusal(exchange, std::move(denial));
    return send_permission(exchange, *origin);
}

} // namespace sallyport::serve
