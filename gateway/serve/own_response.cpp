// Sends the responses without content that the gateway makes itself.
#include "gateway/serve/own_response.h"

namespace sallyport::serve {

net::Task<http::KeepAlive> finish_exchange(pipeline::Exchange& exchange) {
    if (!exchange.transport.body_complete()) [[unlikely]]
        exchange.outcome.timings.responded = pipeline::Clock::now();
    return exchange.transport.finish_exchange();
}

net::Task<http::KeepAlive> send_own_response(pipeline::Exchange& exchange,
                                             http::OutgoingHead const& head) {
    exchange.outcome.status = head.status;
    auto& transport = exchange.transport;
    auto const error = co_await transport.send_head(head, {}, http::Ends::yes);
    if (error) {
        transport.abort();
        co_return http::KeepAlive::no;
    }
    co_return co_await finish_exchange(exchange);
}

} // namespace sallyport::serve
