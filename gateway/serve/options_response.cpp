// Responds to an OPTIONS that must not be forwarded further.
#include "gateway/serve/options_response.h"

#include "gateway/http/date.h"
#include "gateway/serve/own_response.h"

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::serve {

namespace {

// Null: the methods of a path that no contract has are unknown.
std::string const* methods_of(pipeline::Exchange const& exchange) {
    auto const& api = *exchange.decision.api;
    if (exchange.decision.route) return &exchange.decision.route.item->allow;
    return api.passes_without_contract(exchange.request.path()) ? &api.allow : nullptr;
}

} // namespace

bool ends_here(pipeline::Exchange const& exchange) noexcept {
    return exchange.request.head.max_forwards == 0U;
}

net::Task<http::KeepAlive> options_response(pipeline::Exchange& exchange) {
    http::Date const date{std::chrono::system_clock::now()};
    std::array<http::AddedField, 4> fields{{{"Date", date}, // RFC 9110, 6.6.1
                                            {"Cache-Control", "no-store"},
                                            {"X-Request-Id", exchange.request.id.text()},
                                            {}}};
    auto const* const methods = methods_of(exchange);
    if (methods != nullptr) fields.back() = {"Allow", *methods};
    // RFC 9110, 9.3.7: without content it has Content-Length: 0.
    std::span<http::AddedField const> const added{fields.data(),
                                                  fields.size() - (methods == nullptr ? 1 : 0)};
    std::string const changes = pipeline::lines_of_own_response(exchange, added);
    std::string_view const lines = changes;
    http::OutgoingHead const head{.status = 200,
                                  .reason = {},
                                  .kept = {&lines, changes.empty() ? 0U : 1U},
                                  .added = added,
                                  .length = 0,
                                  .has_body = true};
    co_return co_await send_own_response(exchange, head);
}

} // namespace sallyport::serve
