// One line of the access log for each exchange, whatever its outcome.
#include "gateway/serve/log_exchange.h"

#include "gateway/contract/forms/form_json.h"
#include "gateway/http/characters.h"
#include "gateway/net/errors.h"
#include "gateway/observe/access_line.h"
#include "gateway/observe/access_record.h"
#include "gateway/observe/json_text.h"
#include "gateway/observe/loggable.h"
#include "gateway/observe/redact.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/pipeline/client_certificate.h"
#include "gateway/pipeline/credentials.h"
#include "gateway/serve/count_exchange.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::serve {

namespace {

using config::BodyLogging;
using observe::AccessRecord;
using pipeline::AuthFailure;
using pipeline::Exchange;
using pipeline::Reason;

void describe_client(AccessRecord& record, pipeline::ClientConnection const& client) {
    record.client = client.address;
    record.tls = {client.tls_version, client.tls_cipher, client.tls_resumed, client.tls_group};
    record.listener = client.listener;
    record.peer = client.peer;
}

// The connection is that of a proxy.
void describe_proxied(AccessRecord& record, pipeline::Request const& request) {
    if (record.peer.empty()) record.peer = request.client.address;
    record.client = request.proxied->address;
    if (record.peer == record.client) record.peer = {};
}

// The metrics and the line part of its operation, or those for requests without one.
observe::OperationIndex::Entry& operation_of(WorkerState& worker, WorkerSnapshot const& view,
                                             pipeline::Decision const& decision) {
    auto const* const api = decision.api;
    auto const* const operation = decision.operation;
    // 0: none was found.
    auto& entry =
        view.operation_metrics.at(api == nullptr ? 0 : api->index + 1,
                                  operation == nullptr ? 0 : std::size_t{operation->index} + 1);
    if (entry.metrics != nullptr) return entry;
    entry.metrics =
        &worker.metrics.operation(api == nullptr ? std::string_view{} : api->name,
                                  operation == nullptr ? std::string_view{} : operation->id);
    if (operation != nullptr)
        entry.line_part = observe::prepare_operation_part(
            operation->method, api->name, operation->id, api->reaches_unchecked(*operation));
    return entry;
}

// HEAD may use the operation of GET, whose prepared part has the method GET.
bool is_of_its_method(Exchange const& exchange) {
    auto const& head = exchange.request.head;
    auto const* const operation = exchange.decision.operation;
    return head.method != http::Method::head || operation == nullptr
           || operation->method == head.method_text;
}

// For a request refused while its head was parsed: the parts parsed until then.
void describe_request(AccessRecord& record, Exchange const& exchange) {
    auto const& head = exchange.request.head;
    auto const* const api = exchange.decision.api;
    auto const* const caller = exchange.decision.caller;
    record.request_id = exchange.request.id.text();
    record.protocol = http::name_of(head.protocol);
    record.method = head.method != http::Method::unknown
                        ? head.method_text
                        : observe::loggable_method(head.method_text);
    if (api != nullptr) record.api = api->name;
    // Once an API was found the target was checked: its path contains no hidden value, unless it
    // has a `;` that no operation declares, or slashes that the API does not let pass.
    bool const has_slashes = head.target.has_encoded_slash || head.target.has_empty_segment;
    bool const is_checked =
        api != nullptr && (!head.target.has_semicolon || exchange.decision.operation != nullptr)
        && (!has_slashes || exchange.outcome.reason != pipeline::Reason::bad_request);
    record.path = is_checked ? head.target.path : observe::loggable_path(head.raw_target);
    // RFC 9110, 4.2.3: an absolute form without a path, which was parsed, has this one.
    if (record.path.empty() && head.target.path == "/") record.path = head.target.path;
    if (caller != nullptr) record.credential = caller->name;
}

// The client's own fields; in a refused head no field is reliable.
void describe_caller(AccessRecord& record, Exchange const& exchange) {
    auto const& head = exchange.request.head;
    if (head.size == 0) return;
    record.host = exchange.request.host;
    if (auto const id = head.fields.find(http::FieldId::request_id)) record.client_request_id = *id;
    constexpr std::string_view user_agent = "user-agent";
    constexpr std::string_view traceparent = "traceparent";
    bool was_traced = false;
    for (auto const field : head.fields) {
        if (field.id != http::FieldId::unknown) continue;
        if (field.name.size() == user_agent.size()) {
            if (record.user_agent.empty() && http::is_field_name(field.name, user_agent))
                record.user_agent = field.value;
        } else if (field.name.size() == traceparent.size()
                   && http::is_field_name(field.name, traceparent)) {
            // W3C Trace Context, 3.2: a repeated or invalid field counts as none.
            record.trace_id =
                was_traced ? std::string_view{} : observe::loggable_trace_id(field.value);
            was_traced = true;
        }
    }
}

observe::LoggableQuery query_names(Exchange const& exchange) {
    auto query = exchange.request.head.target.query;
    query.remove_prefix(1);
    auto const* const operation = exchange.decision.operation;
    return observe::loggable_query(query, [operation](std::string_view name) {
        return operation == nullptr ? std::string_view{} : operation->query_parameter_of(name);
    });
}

// "wrong_secret", or "basic:wrong_secret" where several authenticators have to prove the caller.
std::string_view failure_of(pipeline::Decision const& decision, std::span<char> memory) {
    auto const word = pipeline::to_string(decision.auth_failure);
    if (decision.failed_member.empty()) return word;
    observe::JsonText out{memory.data(), memory.data() + memory.size()};
    out.raw(decision.failed_member, ":", word);
    return out.text();
}

constexpr std::size_t most_of_place = observe::line_limits::rule + 32;

// "credentials.yaml:12"; empty: nothing is known of it.
std::string_view text_of(config::yaml::Mark const& place, std::span<char> memory) {
    if (place.line == 0) return {};
    observe::JsonText out{memory.data(), memory.data() + memory.size()};
    out.raw(place.file_name().substr(0, observe::line_limits::rule), ":", place.line);
    return out.text();
}

// Where what refused a caller stands.
std::string_view place_of_refusal(pipeline::Decision const& decision, std::span<char> memory) {
    bool const is_entry = decision.refused_by.line == 0 && decision.meant != nullptr;
    return text_of(is_entry ? decision.meant->identity.place : decision.refused_by, memory);
}

void describe_outcome(AccessRecord& record, Exchange const& exchange,
                      pipeline::Clock::time_point ended) {
    auto const& outcome = exchange.outcome;
    auto const& findings = exchange.decision.findings;
    auto const& upstream = outcome.upstream;
    auto const& timings = outcome.timings;
    record.status = static_cast<std::uint16_t>(outcome.status);
    record.reason = pipeline::to_string(outcome.reason);
    if (findings.body_validated)
        record.unknown_members = static_cast<std::int64_t>(findings.unknown_members);
    record.deprecated_members = findings.deprecated_members;
    record.bytes_in = exchange.transport.bytes_in();
    record.bytes_out = exchange.transport.bytes_out();
    record.upstream = upstream.endpoint;
    record.upstream_status = static_cast<std::uint16_t>(upstream.status);
    record.upstream_request_id = upstream.request_id;
    record.retries = upstream.retries;
    record.generation = outcome.generation;
    record.duration_us = pipeline::microseconds_between(timings.started, ended);
    record.auth_us = timings.authenticate;
    record.validate_us = timings.validate;
    record.upstream_connect_us = timings.upstream_connect;
    record.upstream_first_byte_us = timings.upstream_first_byte;
    record.upstream_total_us = timings.upstream_total;
}

// A form is logged as the JSON object of its fields, within the limit of the form's own size.
void log_fields(Exchange const& exchange, lifecycle::Snapshot const& snapshot, std::size_t limit,
                std::string& out) {
    auto const body = exchange.request.body;
    auto const boundary = pipeline::boundary_of(exchange.request).value_or(std::string_view{});
    std::string fields;
    // Of a malformed body readers differ in which value has which name.
    bool const is_logged =
        body.size() <= limit && exchange.outcome.reason != Reason::malformed_body
        && contract::write_fields_as_json(*exchange.decision.body.type, {body, boundary}, fields)
        && observe::redact_json(fields, snapshot.redaction, observe::longest_logged_body, out)
               == observe::LoggedBody::redacted;
    if (!is_logged) observe::bytes_only(body.size(), out);
}

// A body that was read completely.
void log_body(Exchange const& exchange, lifecycle::Snapshot const& snapshot, std::string& out) {
    using contract::BodySyntax;
    auto const body = exchange.request.body;
    auto const limit = static_cast<std::size_t>(snapshot.config.access_log.bodies.limit.bytes);
    auto const* const type = exchange.decision.body.type;
    if (type != nullptr && type->is_secret) return observe::bytes_only(body.size(), out);
    switch (type == nullptr ? BodySyntax::json : type->syntax) {
    case BodySyntax::json: observe::redact_json(body, snapshot.redaction, limit, out); break;
    case BodySyntax::form:
    case BodySyntax::multipart: log_fields(exchange, snapshot, limit, out); break;
    // A text may look like JSON: `"secret"`.
    default: observe::bytes_only(body.size(), out);
    }
}

// The loggable part of the request's body, in the worker's memory; empty: none.
std::string_view request_body(WorkerState& worker, Exchange const& exchange,
                              lifecycle::Snapshot const& snapshot) {
    auto const& bodies = snapshot.config.access_log.bodies;
    auto mode = bodies.requests;
    if (exchange.decision.api != nullptr && exchange.decision.settings() != nullptr)
        mode = exchange.decision.settings()->log_bodies.requests.value_or(mode);
    bool const is_error = exchange.outcome.reason != Reason::none || exchange.outcome.status >= 400;
    if (mode == BodyLogging::none || (mode == BodyLogging::errors && !is_error)) return {};
    if (!exchange.request.body.empty()) {
        log_body(exchange, snapshot, worker.logged_body);
        return worker.logged_body;
    }
    auto const received = exchange.transport.bytes_in();
    // It was streamed or truncated: only its size can be logged. The end of a refused head is
    // unknown.
    if (exchange.request.head.size == 0 || received <= exchange.request.head.size) return {};
    observe::bytes_only(received - exchange.request.head.size, worker.logged_body);
    return worker.logged_body;
}

constexpr std::size_t usual_violations = 4;
using LoggedViolations = boost::container::small_vector<observe::LoggedViolation, usual_violations>;

LoggedViolations logged(std::vector<contract::Violation> const& violations) {
    LoggedViolations logged;
    for (auto const& violation : violations) {
        logged.push_back(
            {violation.pointer, violation.rule, violation.rule_pointer, named(violation.level)});
    }
    return logged;
}

std::optional<observe::ViolationLevel> level_of(std::vector<contract::NotKept> const& not_kept) {
    std::optional<observe::ViolationLevel> level;
    for (auto const& one : not_kept)
        if (level != observe::ViolationLevel::enforce) level = named(one.level);
    return level;
}

static_assert(observe::short_line <= observe::LogRing::reserved_line);

void push(WorkerState& worker, AccessRecord& record, PlaceInLog place) {
    record.time = std::chrono::system_clock::now();
    record.worker = worker.number;
    record.seq = worker.ring.take_seq();
    auto line = observe::format_access_line(record, worker.line);
    if (place == PlaceInLog::reserved && !worker.ring.has_room(line.size()))
        line = observe::format_short_access_line(record, worker.line);
    // A full ring counts dropped lines.
    static_cast<void>(worker.ring.push(line));
}

// Why a credential with the right secret was refused; empty: it was not.
std::string_view sentence_of(AuthFailure failure) {
    switch (failure) {
    case AuthFailure::disabled: return "the credential is disabled";
    case AuthFailure::not_yet_valid: return "the credential is not valid yet";
    case AuthFailure::expired: return "the credential has expired";
    case AuthFailure::denied: return "the secret of the credential is denied";
    default: return {};
    }
}

// Details without a field in the access log: the violated rule, the failed step and its error. A
// note consists of literals, names of the configuration and texts of the system, and contains
// nothing of a message.
void write_note(WorkerState& worker, Exchange const& exchange) {
    auto const& outcome = exchange.outcome;
    auto const& decision = exchange.decision;
    // Of strangers who try secrets nothing is noted: the access log has them. Of a token, which is
    // no entry, its authenticator has noted what was wrong.
    auto const why_refused =
        decision.meant == nullptr ? std::string_view{} : sentence_of(decision.auth_failure);
    bool const is_noted = !outcome.note.empty() || !why_refused.empty();
    if (!is_noted || outcome.reason == Reason::none) return;
    if (worker.notes.take(observe::RateCap::Clock::now()) == observe::Pass::no) return;
    std::string note{outcome.note};
    if (outcome.error) note += ": " + outcome.error.message();
    if (!why_refused.empty()) {
        note = why_refused;
        note += ": " + decision.meant->identity.name;
    }
    auto const left_out = std::to_string(worker.notes.suppressed());
    auto const request_id = exchange.request.id.text();
    auto const reason = pipeline::to_string(outcome.reason);
    auto const endpoint = exchange.outcome.upstream.endpoint;
    constexpr auto info = observe::Severity::info;
    if (endpoint.empty()) {
        worker.control_log.write(info, "exchange_note",
                                 {{"request_id", request_id},
                                  {"reason", reason},
                                  {"note", note},
                                  {"left_out", left_out}});
    } else {
        worker.control_log.write(info, "exchange_note",
                                 {{"request_id", request_id},
                                  {"reason", reason},
                                  {"note", note},
                                  {"upstream", endpoint},
                                  {"left_out", left_out}});
    }
}

// Inlined: one call for each exchange, which would save and restore more registers than it uses.
[[gnu::always_inline]] inline void write_line(WorkerState& worker, WorkerSnapshot const& view,
                                              Exchange const& exchange, AccessRecord& record,
                                              PlaceInLog place) {
    LoggedViolations violations;
    if (auto const& found = exchange.decision.findings.violations; !found.empty())
        violations = logged(found);
    record.violations = {violations.data(), violations.size()};
    record.more_violations = level_of(exchange.decision.findings.not_kept);
    record.request_body = request_body(worker, exchange, *view.snapshot);
    record.response_body = exchange.outcome.response_body;
    push(worker, record, place);
}

// Separate, because the names are large and only a request with a query needs them.
void write_line_with_query(WorkerState& worker, WorkerSnapshot const& view,
                           Exchange const& exchange, AccessRecord& record, PlaceInLog place) {
    auto const names = query_names(exchange);
    record.query = names.view();
    write_line(worker, view, exchange, record, place);
}

} // namespace

void log_exchange(WorkerState& worker, WorkerSnapshot const& view, Exchange& exchange,
                  pipeline::Clock::time_point ended, PlaceInLog place) noexcept {
    // No other line can be pushed before this one.
    if (place == PlaceInLog::reserved) worker.ring.release_reservation();
    if (exchange.outcome.is_silent) return;
    try {
        auto const& operation = operation_of(worker, view, exchange.decision);
        AccessRecord record;
        describe_client(record, exchange.request.client);
        if (exchange.request.proxied) [[unlikely]]
            describe_proxied(record, exchange.request);
        // Not cleared: only a line of a refused caller uses it.
        std::array<char, most_of_place> place_in_file;
        std::array<char, observe::line_limits::word> failure;
        if (exchange.decision.auth_failure != AuthFailure::none) [[unlikely]] {
            record.auth_failure = failure_of(exchange.decision, failure);
            record.auth_rule = place_of_refusal(exchange.decision, place_in_file);
        }
        describe_request(record, exchange);
        describe_caller(record, exchange);
        describe_outcome(record, exchange, ended);
        if (is_of_its_method(exchange)) {
            record.operation_part = operation.line_part;
        } else {
            auto const& decided = *exchange.decision.operation;
            record.operation = decided.id;
            record.unchecked = exchange.decision.api->reaches_unchecked(decided);
        }
        count_exchange(*operation.metrics, view, exchange, record.duration_us);
        worker.metrics.requests_by_protocol[static_cast<std::size_t>(exchange.transport.protocol())]
            .add();
        if (exchange.request.head.target.query.empty()) {
            write_line(worker, view, exchange, record, place);
        } else {
            write_line_with_query(worker, view, exchange, record, place);
        }
        if (auto* const last_use = exchange.decision.last_use) last_use->note(record.time);
        write_note(worker, exchange);
    } catch (std::exception const& exception) {
        worker.control_log.write(observe::Severity::error, "access_line_lost",
                                 {{"what", exception.what()}});
    }
}

namespace {

// For events that clients can cause without a request.
void log_capped(WorkerState& worker, AccessRecord& record, Reason reason) noexcept {
    if (worker.handshake_lines.take(observe::RateCap::Clock::now()) == observe::Pass::no) {
        worker.metrics.lines_suppressed.add();
        return;
    }
    record.reason = pipeline::to_string(reason);
    record.generation = worker.current->snapshot->generation;
    push(worker, record, PlaceInLog::any);
}

void write_capped_note(WorkerState& worker, std::string_view client, Reason reason,
                       std::string_view note) noexcept {
    if (worker.notes.take(observe::RateCap::Clock::now()) == observe::Pass::no) return;
    auto const left_out = std::to_string(worker.notes.suppressed());
    worker.control_log.write(observe::Severity::info, "exchange_note",
                             {{"client", client},
                              {"reason", pipeline::to_string(reason)},
                              {"note", note},
                              {"left_out", left_out}});
}

} // namespace

void log_failed_handshake(WorkerState& worker, pipeline::ClientConnection const& client,
                          net::Error const& error) noexcept {
    AccessRecord record;
    describe_client(record, client);
    auto const failure = net::is_missing_certificate(error) ? AuthFailure::no_credentials
                         : error.category() == net::certificate_category()
                             ? AuthFailure::certificate
                             : AuthFailure::none;
    record.auth_failure = pipeline::to_string(failure);
    std::array<char, most_of_place> place_in_file;
    if (failure != AuthFailure::none && client.certificate)
        record.auth_rule = text_of(client.certificate->asked_by, place_in_file);
    log_capped(worker, record, Reason::tls_failed);
    // A constant of OpenSSL, with nothing of the certificate.
    if (failure == AuthFailure::certificate)
        note_failed_handshake(worker, client, "the client's certificate: " + error.message());
}

void note_failed_handshake(WorkerState& worker, pipeline::ClientConnection const& client,
                           std::string_view note) noexcept {
    write_capped_note(worker, client.address, Reason::tls_failed, note);
}

void log_refused_connection(WorkerState& worker, net::Peer const& peer, Reason reason) noexcept {
    AccessRecord record;
    record.client = peer.address;
    log_capped(worker, record, reason);
}

namespace {

Reason reason_of(http2::ConnectionEnd::Kind kind) {
    using Kind = http2::ConnectionEnd::Kind;
    switch (kind) {
    case Kind::flooded: return Reason::flooded;
    case Kind::protocol_failed: return Reason::protocol_failed;
    case Kind::too_slow: return Reason::timeout;
    case Kind::none:
    case Kind::closed:
    case Kind::idle:
    case Kind::drained:
    case Kind::failed: break;
    }
    return Reason::none;
}

} // namespace

void log_end_of_http2(WorkerState& worker, pipeline::ClientConnection const& client,
                      http2::ConnectionEnd const& end) noexcept {
    worker.metrics.http2_ended.add(http2::name_of(end.code));
    auto const reason = reason_of(end.kind);
    if (reason == Reason::none) return;
    try {
        AccessRecord record;
        describe_client(record, client);
        record.protocol = http::name_of(http::Protocol::http_2);
        log_capped(worker, record, reason);
        // Both are constants.
        auto const note = std::string{http2::name_of(end.code)} + ": " + std::string{end.note};
        write_capped_note(worker, client.address, reason, note);
    } catch (std::exception const& exception) {
        worker.control_log.write(observe::Severity::error, "access_line_lost",
                                 {{"what", exception.what()}});
    }
}

void log_bad_proxy_header(WorkerState& worker, net::Peer const& peer,
                          std::string_view problem) noexcept {
    worker.metrics.proxy_headers_failed.add();
    AccessRecord record;
    record.client = peer.address;
    log_capped(worker, record, Reason::bad_proxy_header);
    write_capped_note(worker, peer.address, Reason::bad_proxy_header,
                      problem.empty() ? "it did not come in time" : problem);
}

} // namespace sallyport::serve
