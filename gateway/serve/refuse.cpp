// Tells the client that its request does not pass, and why.
#include "gateway/serve/refuse.h"

#include "gateway/respond/problem.h"
#include "gateway/respond/reason_table.h"

#include <array>
#include <chrono>
#include <utility>

namespace sallyport::serve {

namespace {

using pipeline::Reason;

/// After these the rest of what the client sends is not worth waiting for, or cannot be trusted.
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

net::Task<http::KeepAlive> send_refusal(http::Http1& http, pipeline::Exchange& exchange,
                                        std::unique_ptr<pipeline::Denial> denial) {
    auto& outcome = exchange.outcome;
    outcome.reason = denial->reason;
    if (outcome.note.empty()) outcome.note = denial->log_note;
    if (respond::status_of(denial->reason) == 0) {
        http.abort();
        co_return http::KeepAlive::no;
    }
    if (ends_connection(denial->reason)) http.close_after_answer();

    bool const is_head = exchange.head.method == http::Method::head;
    auto const members = exchange.api == nullptr ? pipeline::ProblemMembers::compatible
                                                 : exchange.api->problem_members;
    auto const answer =
        respond::make_answer(*denial, exchange.request_id.text(),
                             is_head ? respond::Content::omit : respond::Content::send,
                             std::chrono::system_clock::now(), members);
    std::array<std::string_view, 1> const lines{answer.lines};
    http::AnswerHead const head{.status = answer.status,
                                .reason = {},
                                .lines = lines,
                                .length = answer.content_length,
                                .has_body = !is_head};
    if (outcome.violations.empty()) {
        outcome.violations = std::move(denial->violations);
    } else {
        outcome.violations.insert(outcome.violations.end(),
                                  std::make_move_iterator(denial->violations.begin()),
                                  std::make_move_iterator(denial->violations.end()));
    }
    outcome.status = answer.status;
    if (co_await http.send_head(head, answer.body, http::Ends::yes)) {
        http.abort();
        co_return http::KeepAlive::no;
    }
    co_return co_await http.finish_exchange();
}

} // namespace sallyport::serve
