// Answers an OPTIONS that may be forwarded no further.
#include "gateway/serve/answer_options.h"

#include "gateway/http/date.h"

#include <array>
#include <chrono>
#include <string>

namespace sallyport::serve {

namespace {

std::string lines_of(pipeline::Exchange const& exchange) {
    std::string lines{"Date: "}; // RFC 9110, 6.6.1
    lines += http::Date{std::chrono::system_clock::now()};
    lines += "\r\nCache-Control: no-store\r\nX-Request-Id: ";
    lines += exchange.request_id.text();
    lines += "\r\n";
    // Of a path that no contract has nobody knows the methods.
    if (exchange.api->contract && !exchange.route) return lines;
    lines += "Allow: ";
    lines += exchange.api->contract ? exchange.route.item->allow : exchange.api->allow;
    lines += "\r\n";
    return lines;
}

} // namespace

bool ends_here(pipeline::Exchange const& exchange) noexcept {
    return exchange.head.max_forwards == 0U;
}

net::Task<http::KeepAlive> answer_options(http::Http1& http, pipeline::Exchange& exchange) {
    auto const text = lines_of(exchange);
    std::array<std::string_view, 1> const lines{text};
    // RFC 9110, 9.3.7: without content it says Content-Length: 0.
    http::AnswerHead const head{
        .status = 200, .reason = {}, .lines = lines, .length = 0, .has_body = true};
    exchange.outcome.status = head.status;
    auto const error = co_await http.send_head(head, {}, http::Ends::yes);
    if (error) {
        http.abort();
        co_return http::KeepAlive::no;
    }
    co_return co_await http.finish_exchange();
}

} // namespace sallyport::serve
