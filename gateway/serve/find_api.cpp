// Finds the API of a request, and refuses what only other APIs let pass.
#include "gateway/serve/find_api.h"

#include "gateway/http/rules.h"
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/edge.h"

#include <string>

namespace sallyport::serve {

using pipeline::Denial;
using pipeline::Exchange;
using pipeline::Reason;

std::unique_ptr<Denial> address_denied() {
    return std::make_unique<Denial>(Denial{Reason::address_denied, {}, {}, {}, {}});
}

namespace {

// Which hosts there are is told to no client, nor which paths another host has.
std::unique_ptr<Denial> no_api(pipeline::Request const& request, pipeline::ApiTable const& apis) {
    bool const is_host_known = apis.has_host(request.host);
    auto denial = std::make_unique<Denial>();
    denial->reason = Reason::unknown_operation;
    denial->public_detail =
        is_host_known ? "No API of this host has this path" : "No API here is for this host";
    if (!is_host_known) denial->log_note = "no API has this host among its hosts";
    return denial;
}

// An escaped slash, or two slashes, of an API that lets them pass: read as one slash each they must
// not lead to another API, and the upstream must not get what looks like a host.
std::unique_ptr<Denial> judge_spelling(Exchange const& exchange, pipeline::ApiTable const& apis) {
    auto const& request = exchange.request;
    auto const& api = *exchange.decision.api;
    auto const& target = request.head.target;
    auto const deny = [](http::Rule const& rule) {
        return std::make_unique<Denial>(
            pipeline::denial_of(*rule.broken_by(http::Sender::client)));
    };
    bool const is_other =
        apis.find(request.host, http::with_plain_slashes(request.path())) != &api;
    if (target.has_encoded_slash
        && (is_other || api.encoded_slashes == pipeline::EncodedSlashes::refuse))
        return deny(http::rules::encoded_slash);
    if (!target.has_empty_segment) return nullptr;
    bool const passes = !is_other && api.empty_segments == pipeline::EmptySegments::pass
                        && api.passes_without_contract(request.path());
    auto const changed = api.edge == nullptr ? std::string{target.path}
                                             : api.edge->path.change(target.path);
    return passes && !changed.starts_with("//") ? nullptr : deny(http::rules::empty_segment);
}

} // namespace

std::unique_ptr<Denial> find_api(Exchange& exchange, pipeline::ApiTable const& apis) {
    auto& request = exchange.request;
    request.host = http::normalized_host(request.authority(), request.host_storage);
    auto const& target = request.head.target;
    if (target.has_lower_case_escape) [[unlikely]]
        request.normalized_path = http::with_upper_case_escapes(target.path);
    exchange.decision.api = apis.find(request.host, request.path());
    if (exchange.decision.api == nullptr) return no_api(request, apis);
    if (target.has_encoded_slash || target.has_empty_segment) [[unlikely]]
        if (auto denial = judge_spelling(exchange, apis)) return denial;
    auto const* const addresses = exchange.decision.api->addresses.get();
    if (addresses == nullptr || addresses->admit(request.address())) return nullptr;
    return address_denied();
}

} // namespace sallyport::serve
