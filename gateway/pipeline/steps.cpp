// The steps of the pipeline that no plugin decides: which operation it is, and whether its
// parameters are right.
#include "gateway/pipeline/steps.h"

#include "gateway/http/characters.h"
#include "gateway/http/field_name.h"
#include "gateway/http/forward_fields.h"
#include "gateway/pipeline/exchange.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::pipeline {

namespace {

std::unique_ptr<Denial> deny(Reason reason, std::string public_detail,
                             std::vector<AnswerField> fields = {}) {
    return std::make_unique<Denial>(
        Denial{reason, std::move(public_detail), {}, std::move(fields), {}});
}

std::unique_ptr<Denial> deny_method(std::string const& allow) {
    return deny(Reason::method_not_allowed, "This path does not take this method",
                {{"Allow", allow}});
}

// Whether some upstream may run an operation of the contract for it, whose rules nobody has asked.
bool resembles_an_operation(Exchange const& exchange) {
    if (!exchange.route)
        return exchange.api->contract->router().resembles(exchange.head.target.path);
    auto const& methods = exchange.route.item->methods;
    return std::any_of(methods.begin(), methods.end(), [&exchange](auto const& method) {
        return http::equals_ignoring_case(method.name, exchange.head.method_text);
    });
}

// Whether what the contract does not have goes on. What resembles an operation does so only where
// nothing of any operation is enforced; TRACE never (RFC 9110, 9.3.8: it shows secrets).
bool passes_unknown(Exchange const& exchange) {
    Api const& api = *exchange.api;
    bool const may_pass = api.unknown_operations == UnknownOperations::forward
                          || api.levels.of_requests() == contract::Level::report;
    if (!may_pass || exchange.head.method == http::Method::trace) return false;
    return !api.levels.enforces_any() || !resembles_an_operation(exchange);
}

// All wrong parameters of a request are told at once; those that are too many are counted.
void deny_parameter(Exchange& exchange, std::unique_ptr<Denial>& denial,
                    contract::Violation const& violation) {
    if (!denial) denial = deny(Reason::bad_parameter, {});
    if (denial->violations.size() < contract::max_violations) {
        denial->violations.push_back(violation);
    } else {
        denial->more_violations = true;
        contract::count_not_kept(exchange.outcome.not_kept, violation.rule, violation.level);
    }
}

void take(Exchange& exchange, contract::ParameterReport const& report,
          std::unique_ptr<Denial>& denial) {
    if (report.outcome == contract::Outcome::valid && report.reported.empty()) return;
    for (auto const& violation : report.violations)
        deny_parameter(exchange, denial, violation);
    auto& kept = exchange.outcome.violations;
    kept.insert(kept.end(), report.reported.begin(), report.reported.end());
    for (auto const& one : report.not_kept) {
        exchange.outcome.not_kept.push_back(one);
        if (denial && one.level == contract::Level::enforce) denial->more_violations = true;
    }
}

contract::Violation broken_header(contract::Parameter const& parameter, std::string_view rule,
                                  std::string_view phrase) {
    contract::Violation violation;
    violation.in = contract::ValuePlace::header;
    violation.name = parameter.name;
    violation.rule = rule;
    violation.rule_pointer = parameter.pointer;
    violation.phrase = phrase;
    return violation;
}

void check_header_parameter(Exchange& exchange, contract::Parameter const& parameter,
                            std::unique_ptr<Denial>& denial) {
    contract::Validator::HeaderValue value;
    std::string joined;
    for (auto const field : exchange.head.fields) {
        if (!http::equals_ignoring_case(field.name, parameter.name)) {
            if (!http::is_same_variable(field.name, parameter.name)) continue;
            // RFC 3875, 4.1.18: an upstream may read what nobody has judged in its place.
            return deny_parameter(
                exchange, denial,
                broken_header(parameter, "twin",
                              "must be the only field whose name differs from it in signs alone"));
        }
        if (!value.text) {
            value.text = field.value;
            continue;
        }
        // RFC 9110, 5.3: several lines are one list.
        value.is_repeated = true;
        if (joined.empty()) joined = *value.text;
        joined.append(",").append(field.value);
        value.text = joined;
    }
    // RFC 9110, 7.6.1: it would not be sent on, and what was judged has to arrive.
    if (value.text && http::is_named_by_connection(exchange.head.fields, parameter.name))
        return deny_parameter(
            exchange, denial,
            broken_header(parameter, "connection", "must not be named by Connection"));
    auto const& report = exchange.services.validator.check_header(
        parameter, value, exchange.conditions(), exchange.api->levels);
    take(exchange, report, denial);
}

std::unique_ptr<Denial> check_parameters(Exchange& exchange) {
    auto& validator = exchange.services.validator;
    contract::Operation const& operation = *exchange.operation;
    std::unique_ptr<Denial> denial;
    if (!operation.path_parameters.empty())
        take(exchange,
             validator.check_path(operation, exchange.route, exchange.conditions(),
                                  exchange.api->levels),
             denial);
    if (!operation.query_parameters.empty()) {
        std::string_view query = exchange.head.target.query;
        if (!query.empty()) query.remove_prefix(1);
        take(exchange,
             validator.check_query(operation, query, exchange.conditions(), exchange.api->levels),
             denial);
    }
    for (auto const& parameter : operation.header_parameters)
        check_header_parameter(exchange, parameter, denial);
    return denial;
}

} // namespace

void tell(Exchange& exchange, contract::Level level, std::string_view rule) {
    if (level == contract::Level::off) return;
    contract::Violation violation;
    violation.rule = rule;
    violation.level = contract::Level::report;
    exchange.outcome.violations.push_back(std::move(violation));
}

CallerKey Exchange::caller() const {
    return credential == nullptr ? client.caller : credential->caller;
}

contract::Conditions const& Exchange::conditions() const {
    static contract::Conditions const nobody;
    return credential == nullptr ? nobody : credential->access[api->index].conditions;
}

Denial unauthenticated() {
    return Denial{Reason::unauthenticated, "Valid credentials are required", {}, {}, {}};
}

std::unique_ptr<Denial> find_operation(Exchange& exchange) {
    Api const& api = *exchange.api;
    std::string_view const method = exchange.head.method_text;
    if (!api.contract) {
        if (std::find(api.methods.begin(), api.methods.end(), method) == api.methods.end()) {
            return deny_method(api.allow);
        }
        return nullptr;
    }
    std::string_view const path = exchange.head.target.path;
    exchange.route = api.contract->route(path);
    if (!exchange.route && api.trailing_slash == TrailingSlash::same)
        exchange.route = api.contract->router().route_with_other_end(path);
    if (!exchange.route) {
        if (!passes_unknown(exchange))
            return deny(Reason::unknown_operation, "No operation of this API has this path");
        tell(exchange, contract::Level::report, "unknown_operation");
        return nullptr;
    }
    exchange.operation = api.contract->find_operation(exchange.route, method);
    if (exchange.operation == nullptr) {
        if (!passes_unknown(exchange)) return deny_method(exchange.route.item->allow);
        tell(exchange, contract::Level::report, "unknown_method");
    }
    return nullptr;
}

std::unique_ptr<Denial> judge_parameters(Exchange& exchange) {
    if (exchange.operation == nullptr) return nullptr;
    auto const level = exchange.level();
    if (level == contract::Level::off) return nullptr;
    auto denial = check_parameters(exchange);
    if (!denial || level == contract::Level::enforce) return denial;
    for (auto& violation : denial->violations) {
        violation.level = contract::Level::report;
        exchange.outcome.violations.push_back(std::move(violation));
    }
    for (auto& one : exchange.outcome.not_kept)
        one.level = contract::Level::report;
    return nullptr;
}

} // namespace sallyport::pipeline
