// Sends the client the refusal of its request.
#include "gateway/serve/refuse.h"

#include "gateway/respond/problem.h"
#include "gateway/respond/reason_table.h"
#include "gateway/serve/own_response.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::serve {

namespace {

using pipeline::Reason;

// After these the rest of the client's bytes is not worth waiting for, or cannot be trusted.
bool ends_connection(Reason reason) {
    switch (reason) {
    case Reason::timeout:
    case Reason::body_too_large:
    case Reason::internal_error:
    case Reason::draining: return true;
    default: return false;
    }
}

} // namespace

net::Task<http::KeepAlive> send_refusal(pipeline::Exchange& exchange,
                                        std::unique_ptr<pipeline::Denial> denial) {
    auto& transport = exchange.transport;
    auto& outcome = exchange.outcome;
    outcome.reason = denial->reason;
    if (outcome.note.empty()) outcome.note = denial->log_note;
    if (respond::status_of(denial->reason) == 0) {
        transport.abort();
        co_return http::KeepAlive::no;
    }
    if (ends_connection(denial->reason)) transport.close_after_response();

    bool const is_head = exchange.request.head.method == http::Method::head;
    auto const members = exchange.decision.api == nullptr ? pipeline::ProblemMembers::compatible
                                                          : exchange.decision.api->problem_members;
    respond::Response const response{*denial, exchange.request.id.text(),
                                     is_head ? respond::Content::omit : respond::Content::send,
                                     std::chrono::system_clock::now(), members};
    std::string const changes = pipeline::lines_of_own_response(exchange, response.fields());
    std::string_view const lines = changes;
    http::OutgoingHead const head{.status = response.status(),
                                  .reason = {},
                                  .kept = {&lines, changes.empty() ? 0U : 1U},
                                  .added = response.fields(),
                                  .length = response.content_length(),
                                  .has_body = !is_head};
    auto& violations = exchange.decision.findings.violations;
    if (violations.empty()) {
        violations = std::move(denial->violations);
    } else {
        violations.insert(violations.end(), std::make_move_iterator(denial->violations.begin()),
                          std::make_move_iterator(denial->violations.end()));
    }
    outcome.status = response.status();
    if (co_await transport.send_head(head, response.body(), http::Ends::yes)) {
        transport.abort();
        co_return http::KeepAlive::no;
    }
    co_return co_await finish_exchange(exchange);
}

} // namespace sallyport::serve
