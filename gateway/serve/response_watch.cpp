// Observes a response while it is relayed: for the log, and for checks against the contract.
#include "gateway/serve/response_watch.h"

#include "gateway/observe/redact.h"
#include "gateway/pipeline/stream.h"

#include <algorithm>
#include <cstdint>

namespace sallyport::serve {

namespace {

using config::BodyLogging;
using pipeline::ResponseCheck;

// Selects a share of the responses by the exchange's random identifier.
bool is_sampled(pipeline::RequestId const& id, double share) {
    if (share >= 1.0) return true;
    std::uint32_t number = 0;
    for (char const c : id.text().substr(0, 6)) {
        number = number * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return static_cast<double>(number) < share * static_cast<double>(1U << 24U);
}

BodyLogging logging_of(pipeline::Exchange const& exchange, lifecycle::Snapshot const& snapshot) {
    auto const usual = snapshot.config.access_log.bodies.responses;
    auto const* const own = exchange.decision.settings();
    return own == nullptr ? usual : own->log_bodies.responses.value_or(usual);
}

// Whether the contract marks a body of the operation's responses as secret: nothing of it is
// logged.
[[nodiscard]] bool may_be_secret(pipeline::Exchange const& exchange) {
    auto const* const operation = exchange.decision.operation;
    if (operation == nullptr) return false;
    for (auto const& response : operation->responses)
        for (auto const& type : response.media_types)
            if (type.is_secret) return true;
    return false;
}

} // namespace

Interest interest_in_response(pipeline::Exchange const& exchange,
                              lifecycle::Snapshot const& snapshot) {
    auto const* const operation = exchange.decision.operation;
    bool const is_checked =
        operation != nullptr && exchange.decision.api->levels.checks_responses(operation->index);
    return {logging_of(exchange, snapshot) != BodyLogging::none,
            is_checked && is_sampled(exchange.request.id, exchange.decision.api->response_sample)};
}

ResponseWatch::ResponseWatch(pipeline::Exchange& exchange, lifecycle::Snapshot const& snapshot,
                             Interest interest)
    : exchange_{exchange}, snapshot_{snapshot}, interest_{interest}, check_{exchange, snapshot},
      copy_{exchange.services} {}

bool ResponseWatch::may_log() const {
    auto const mode = logging_of(exchange_, snapshot_);
    return mode == BodyLogging::all
           || (mode == BodyLogging::errors
               && (exchange_.outcome.upstream.status >= 400
                   || exchange_.outcome.reason != pipeline::Reason::none));
}

// Called with the head of the response, so that no unneeded body is copied.
void ResponseWatch::begin() {
    has_begun_ = true;
    auto const& config = snapshot_.config;
    std::size_t limit = 0;
    if (interest_.is_logged && may_log())
        limit = static_cast<std::size_t>(config.access_log.bodies.limit.bytes);
    if (interest_.is_checked) {
        check_.begin();
        if (check_.needs_body())
            limit = std::max(limit, static_cast<std::size_t>(config.limits.body.bytes));
    }
    copy_.begin(*exchange_.response, limit);
    if (pipeline::is_stream(exchange_)) copy_.give_up(ResponseCheck::stream);
}

void ResponseWatch::see(std::string_view bytes) {
    if (!has_begun_) begin();
    copy_.add(bytes);
}

void ResponseWatch::finish() {
    if (!has_begun_) return; // no response was relayed
    bool const is_whole = exchange_.outcome.reason == pipeline::Reason::none;
    auto const missing = is_whole ? copy_.finish() : ResponseCheck::incomplete;
    if (interest_.is_checked) {
        using Passed = ContractCheck::Passed;
        check_.finish(copy_.seen() == 0 ? Passed::nothing : Passed::bytes, missing, copy_.body());
    }
    if (interest_.is_logged) log(missing == ResponseCheck::none);
    // The connection may have to wait for its client, without this memory.
    copy_.release();
}

void ResponseWatch::log(bool is_whole) const {
    if (!may_log() || copy_.seen() == 0) return;
    auto& text = exchange_.outcome.response_body;
    if (is_whole && !copy_.body().empty() && !may_be_secret(exchange_)) {
        observe::redact_json(
            copy_.body(), snapshot_.redaction,
            static_cast<std::size_t>(snapshot_.config.access_log.bodies.limit.bytes), text);
    } else {
        observe::bytes_only(copy_.seen(), text);
    }
}

} // namespace sallyport::serve
