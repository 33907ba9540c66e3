// The steps of the pipeline that are not plugins: finding the operation, and checking its
// parameters.
#include "gateway/pipeline/steps.h"

#include "gateway/http/characters.h"
#include "gateway/http/field_name.h"
#include "gateway/http/forward_fields.h"
#include "gateway/http/rules.h"
#include "gateway/pipeline/left_credentials.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::pipeline {

namespace {

std::unique_ptr<Denial> deny(Reason reason, std::string public_detail,
                             std::vector<ResponseField> fields = {}) {
    return std::make_unique<Denial>(
        Denial{reason, std::move(public_detail), {}, std::move(fields), {}});
}

std::unique_ptr<Denial> deny_method(std::string const& allow) {
    return deny(Reason::method_not_allowed, "This path does not take this method",
                {{"Allow", allow}});
}

// Whether an upstream may treat it as an operation whose rules would have been enforced.
bool resembles_an_enforced_operation(Request const& request, Decision const& decision) {
    Api const& api = *decision.api;
    if (!decision.route) return api.resembles_an_enforced_path(request.path());
    if (!api.levels.enforces_any()) return false;
    auto const& methods = decision.route.item->methods;
    return std::any_of(methods.begin(), methods.end(), [&request](auto const& method) {
        return http::equals_ignoring_case(method.name, request.head.method_text);
    });
}

// TRACE never passes (RFC 9110, 9.3.8: it discloses secrets).
bool forwards_others(Request const& request, Api const& api) {
    return api.forwards_unknown() && request.head.method != http::Method::trace;
}

// Whether a request without an operation is forwarded. One that resembles an operation only if
// nothing of that API's operations is enforced.
bool passes_unknown(Request const& request, Decision const& decision) {
    return forwards_others(request, *decision.api)
           && !resembles_an_enforced_operation(request, decision);
}

// All wrong parameters of a request are reported together; those beyond the limit are counted.
void deny_parameter(Decision& decision, std::unique_ptr<Denial>& denial,
                    contract::Violation const& violation) {
    if (!denial) denial = deny(Reason::bad_parameter, {});
    if (denial->violations.size() < contract::max_violations) {
        denial->violations.push_back(violation);
    } else {
        denial->more_violations = true;
        contract::count_not_kept(decision.findings.not_kept, violation.rule, violation.level);
    }
}

void take(Decision& decision, contract::ParameterReport const& report,
          std::unique_ptr<Denial>& denial) {
    if (report.outcome == contract::Outcome::valid && report.reported.empty()) return;
    for (auto const& violation : report.violations)
        deny_parameter(decision, denial, violation);
    auto& kept = decision.findings.violations;
    kept.insert(kept.end(), report.reported.begin(), report.reported.end());
    for (auto const& one : report.not_kept) {
        decision.findings.not_kept.push_back(one);
        if (denial && one.level == contract::Level::enforce) denial->more_violations = true;
    }
}

contract::Violation broken_field(contract::Parameter const& parameter, contract::ValuePlace in,
                                 std::string_view rule, std::string_view phrase) {
    contract::Violation violation;
    violation.in = in;
    violation.name = parameter.name;
    violation.rule = rule;
    violation.rule_pointer = parameter.pointer;
    violation.phrase = phrase;
    return violation;
}

void check_header_parameter(Request const& request, Decision& decision, Services& services,
                            contract::Parameter const& parameter, std::unique_ptr<Denial>& denial) {
    contract::Validator::HeaderValue value;
    std::string joined;
    for (auto const field : request.head.fields) {
        if (!http::equals_ignoring_case(field.name, parameter.name)) {
            if (!http::is_same_variable(field.name, parameter.name)) continue;
            // RFC 3875, 4.1.18: an upstream may read the unchecked field in its place.
            return deny_parameter(
                decision, denial,
                broken_field(parameter, contract::ValuePlace::header, "twin",
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
    // RFC 9110, 7.6.1: it would not be forwarded, although the checked value must reach the
    // upstream.
    if (value.text && http::is_named_by_connection(request.head.fields, parameter.name))
        return deny_parameter(decision, denial,
                              broken_field(parameter, contract::ValuePlace::header, "connection",
                                           "must not be named by Connection"));
    auto const& report = services.validator.check_header(parameter, value, decision.conditions(),
                                                         decision.api->levels);
    take(decision, report, denial);
}

std::string_view query_of(Request const& request) {
    std::string_view query = request.head.target.query;
    if (!query.empty()) query.remove_prefix(1);
    return query;
}

void check_query_string(Request const& request, Decision& decision, Services& services,
                        std::unique_ptr<Denial>& denial) {
    take(decision,
         services.validator.check_query_string(*decision.operation->query_string, query_of(request),
                                               decision.conditions(), decision.api->levels,
                                               decision.lists()),
         denial);
}

// Cookies that are not forwarded have no influence; `check` says so.
void check_cookies(Request const& request, Decision& decision, Services& services,
                   std::unique_ptr<Denial>& denial) {
    if (!forwards_cookies(decision)) return;
    auto const& fields = request.head.fields;
    std::string cookies;
    for (auto const field : fields) {
        if (field.id != http::FieldId::cookie) continue;
        // RFC 6265, 5.4 has one line; several are forwarded as they are, and read as one.
        cookies.append(cookies.empty() ? "" : "; ").append(field.value);
    }
    // RFC 9110, 7.6.1: as for header parameters.
    if (!cookies.empty() && http::is_named_by_connection(fields, "Cookie"))
        return deny_parameter(decision, denial,
                              broken_field(decision.operation->cookie_parameters.front(),
                                           contract::ValuePlace::cookie, "connection",
                                           "must not be in a field that Connection names"));
    take(decision,
         services.validator.check_cookies(*decision.operation, cookies, decision.conditions(),
                                          decision.api->levels, decision.lists()),
         denial);
}

std::unique_ptr<Denial> check_parameters(Request const& request, Decision& decision,
                                         Services& services) {
    auto& validator = services.validator;
    contract::Operation const& operation = *decision.operation;
    std::unique_ptr<Denial> denial;
    if (!operation.path_parameters.empty())
        take(decision,
             validator.check_path(operation, decision.route, decision.conditions(),
                                  decision.api->levels, decision.lists()),
             denial);
    if (!operation.query_parameters.empty()) {
        take(decision,
             validator.check_query(operation, query_of(request), decision.conditions(),
                                   decision.api->levels, decision.lists()),
             denial);
    }
    if (operation.query_string) [[unlikely]]
        check_query_string(request, decision, services, denial);
    for (auto const& parameter : operation.header_parameters)
        check_header_parameter(request, decision, services, parameter, denial);
    if (!operation.cookie_parameters.empty()) [[unlikely]]
        check_cookies(request, decision, services, denial);
    return denial;
}

} // namespace

void report_deviation(Decision& decision, contract::Level level, std::string_view rule) {
    if (level == contract::Level::off) return;
    contract::Violation violation;
    violation.rule = rule;
    violation.level = contract::Level::report;
    decision.findings.violations.push_back(std::move(violation));
}

contract::Conditions const& Decision::conditions() const {
    static contract::Conditions const none;
    return caller == nullptr || caller->conditions == nullptr ? none
                                                              : (*caller->conditions)[api->index];
}

// A path or a method that is unknown has the authenticators of the API.
config::AuthenticatorSets const& authenticators_for(Api const& api, Request const& request) {
    if (!api.authenticates_by_operation) return api.authenticate;
    auto const route = api.route(request.path());
    auto const* const own =
        api.settings_of(api.contract->find_operation(route, request.head.method_text));
    return own == nullptr || own->authenticate.empty() ? api.authenticate : own->authenticate;
}

Denial unauthenticated() {
    return Denial{Reason::unauthenticated, "Valid credentials are required", {}, {}, {}};
}

std::unique_ptr<Denial> find_path(Request const& request, Decision& decision) {
    Api const& api = *decision.api;
    if (!api.contract) return nullptr;
    auto const path = request.path();
    decision.route = api.route(path);
    if (decision.route || passes_unknown(request, decision)) return nullptr;
    // When it was loaded, none of them could be one of the contract.
    if (api.passes_without_contract(path)) return nullptr;
    return deny(Reason::unknown_operation, "No operation of this API has this path");
}

namespace {

// A `;` passes only where a parameter of style matrix has one, whatever the levels say.
bool has_stray_semicolon(Request const& request, Decision const& decision) {
    auto const path = request.path();
    return decision.operation == nullptr
           || !contract::takes_semicolons(*decision.operation, decision.route, path);
}

std::unique_ptr<Denial> search_operation(Request const& request, Decision& decision) {
    Api const& api = *decision.api;
    std::string_view const method = request.head.method_text;
    if (auto denial = find_path(request, decision)) return denial;
    if (!decision.route) {
        bool const is_own = std::find(api.methods.begin(), api.methods.end(), method)
                                != api.methods.end()
                            && (!api.contract || api.passes_without_contract(request.path()));
        if (is_own) return nullptr;
        if (!forwards_others(request, api)) return deny_method(api.allow);
        report_deviation(decision, contract::Level::report, "unknown_operation");
        return nullptr;
    }
    decision.operation = api.contract->find_operation(decision.route, method);
    if (decision.operation == nullptr) {
        if (!passes_unknown(request, decision)) return deny_method(decision.route.item->allow);
        report_deviation(decision, contract::Level::report, "unknown_method");
    }
    return nullptr;
}

} // namespace

std::unique_ptr<Denial> find_operation(Request const& request, Decision& decision) {
    auto denial = search_operation(request, decision);
    if (!request.head.target.has_semicolon || !has_stray_semicolon(request, decision)) [[likely]]
        return denial;
    decision.operation = nullptr;
    return std::make_unique<Denial>(
        denial_of(*http::rules::semicolon.broken_by(http::Sender::client)));
}

std::unique_ptr<Denial> judge_parameters(Request const& request, Decision& decision,
                                         Services& services) {
    if (decision.operation == nullptr) return nullptr;
    auto const level = decision.level();
    if (level == contract::Level::off) return nullptr;
    auto denial = check_parameters(request, decision, services);
    if (!denial || level == contract::Level::enforce) return denial;
    for (auto& violation : denial->violations) {
        violation.level = contract::Level::report;
        decision.findings.violations.push_back(std::move(violation));
    }
    for (auto& one : decision.findings.not_kept)
        one.level = contract::Level::report;
    return nullptr;
}

} // namespace sallyport::pipeline
