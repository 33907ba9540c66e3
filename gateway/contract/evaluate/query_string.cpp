// Checks a query that is one value as a whole (OpenAPI 3.2, 4.12.1: `in: querystring`): a form, a
// JSON text or a string.
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/validator_state.h"

#include <utility>

namespace sallyport::contract {

namespace {

// A violation of a body, as one of the query.
[[nodiscard]] Violation moved_to(Parameter const& parameter, Violation violation) {
    violation.in = ValuePlace::query;
    violation.name = parameter.name;
    return violation;
}

// Takes the report of a form as that of its parameter.
void take_form_report(Parameter const& parameter, Report& found, ParameterReport& out) {
    if (found.outcome == Outcome::malformed) {
        auto violation =
            violation_of(parameter, "content", describe_malformed("a form", found.malformed));
        return refuse(out, std::move(violation));
    }
    for (Violation& one : found.violations)
        refuse(out, moved_to(parameter, std::move(one)));
    for (Violation& one : found.reported)
        out.reported.push_back(moved_to(parameter, std::move(one)));
    for (NotKept one : found.not_kept) {
        one.in = ValuePlace::query;
        out.not_kept.push_back(one);
    }
}

} // namespace

ParameterReport const& Validator::check_query_string(QueryString const& declared,
                                                     std::string_view query,
                                                     Conditions const& conditions,
                                                     LevelTable const& levels, Lists lists) {
    State& state = *state_;
    ParameterReport& report = state.parameter_report;
    Parameter const& parameter = declared.parameter;
    clear(report);
    if (query.empty()) {
        if (parameter.required) refuse(report, violation_of(parameter, "required", "is required"));
        return report;
    }
    if (!declared.type.schema) return report; // any text
    if (declared.type.syntax == BodySyntax::form) {
        std::string& padded = state.parameter_json;
        padded = query;
        padded.append(body_padding, '\0');
        SentBody const body{std::string_view{padded}.substr(0, query.size()), {}, false, lists};
        take_form_report(parameter, validate(declared.type, body, conditions, levels), report);
        return report;
    }
    // Only forms write a space as a plus sign (OpenAPI 3.2, 4.12.4); many servers read every query
    // as a form.
    if (query.find('+') != std::string_view::npos) {
        state.refuse_text(parameter, TextFault::plus);
        return report;
    }
    state.check_whole(parameter, query, {conditions, levels});
    return report;
}

} // namespace sallyport::contract
