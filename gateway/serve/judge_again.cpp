// The steps of a request up to its permissions, of one that has taken them before.
#include "gateway/serve/judge_again.h"

namespace sallyport::serve {

pipeline::JudgedAgain judge_again(WorkerState const& worker, pipeline::Exchange& exchange) {
    auto const& request = exchange.request;
    auto const& now = *worker.current;
    auto const* const api = now.snapshot->apis.find(request.host, request.path());
    if (api == nullptr) return {pipeline::Reason::unknown_operation};
    auto const* const addresses = api->addresses.get();
    if (addresses != nullptr && !addresses->admit(request.address()))
        return {pipeline::Reason::address_denied};
    auto const& before = exchange.decision;
    auto const* const entry = before.own_caller == nullptr ? before.caller : nullptr;
    return now.pipelines[api->index]->judge_again(request, entry, exchange.services);
}

} // namespace sallyport::serve
