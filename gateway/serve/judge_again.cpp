// The steps of a request up to its permissions, of one that has taken them before.
#include "gateway/serve/judge_again.h"

#include "gateway/serve/certificate.h"

#include <memory>

namespace sallyport::serve {

namespace {

using pipeline::JudgedAgain;
using pipeline::Reason;

// What comes before the steps of an API; `none`: `api` is that of the request.
Reason judge_connection(lifecycle::Listener const* listener, pipeline::Request const& request,
                        pipeline::Api const* api) {
    auto const& client = request.client;
    // Its connection is drained.
    if (listener == nullptr) return Reason::draining;
    if (!listener->config->addresses.admit(request.address())) return Reason::address_denied;
    if (client.redirect && !request.is_https()) return Reason::unknown_operation;
    if (api == nullptr) return Reason::unknown_operation;
    if (api->addresses != nullptr && !api->addresses->admit(request.address()))
        return Reason::address_denied;
    if (client.certificate == nullptr) return Reason::none;
    bool const is_good =
        judge_certificate(*client.certificate).failure == pipeline::AuthFailure::none;
    return is_good ? Reason::none : Reason::unauthenticated;
}

// The snapshot, with its plugins, may be replaced meanwhile.
net::Task<JudgedAgain> judge_handshake(std::shared_ptr<WorkerSnapshot const> now,
                                       pipeline::Api const* api, pipeline::Exchange* exchange) {
    auto const& before = exchange->decision;
    auto const* const entry = before.own_caller == nullptr ? before.caller : nullptr;
    auto judging =
        now->pipelines[api->index]->judge_again(exchange->request, entry, exchange->services);
    co_return co_await std::move(judging);
}

} // namespace

net::Task<JudgedAgain> judge_again(WorkerState const& worker, lifecycle::Listener const* listener,
                                   pipeline::Exchange& exchange) {
    auto const& request = exchange.request;
    auto const* const api = worker.current->snapshot->apis.find(request.host, request.path());
    auto const reason = judge_connection(listener, request, api);
    if (reason != Reason::none) return net::Task<JudgedAgain>::ended({reason});
    return judge_handshake(worker.current, api, &exchange);
}

} // namespace sallyport::serve
