// Checks a response against the contract of its operation, and records violations.
#include "gateway/serve/contract_check.h"

#include "gateway/http/characters.h"
#include "gateway/http/field_name.h"
#include "gateway/pipeline/body_plan.h"

#include <string>
#include <utility>

namespace sallyport::serve {

using contract::Level;
using contract::Violation;
using pipeline::ResponseCheck;

void ContractCheck::begin() {
    response_ = exchange_.decision.operation->find_response(exchange_.response->status);
    has_type_ = exchange_.response->fields.has(http::FieldId::content_type);
    result_ = find_schema();
    if (response_ != nullptr && !response_->headers.empty()) check_headers();
}

// The fields as the upstream sent them. Those of a 304 are the response's own only if it is
// declared (RFC 9110, 15.4.5), and a response to HEAD may lack any (9.3.2).
void ContractCheck::check_headers() {
    auto const status = exchange_.response->status;
    if (status == 304 && response_->first != response_->last) return;
    bool const may_lack = exchange_.request.head.method == http::Method::head;
    for (auto const& header : response_->headers) {
        auto const& name = header.parameter.name;
        // RFC 9110, 5.3: several lines are one list, except for Set-Cookie.
        bool const is_one_a_line = http::equals_ignoring_case(name, "Set-Cookie");
        std::string joined;
        std::size_t lines = 0;
        for (auto const field : exchange_.response->fields) {
            if (!http::equals_ignoring_case(field.name, name)) continue;
            if (++lines > 1) joined += ',';
            joined += field.value;
            if (is_one_a_line) check_header(header, field.value, false);
        }
        if (lines == 0) {
            if (!may_lack) break_header(header, header.required, "required", "is required");
        } else if (!is_one_a_line) {
            check_header(header, joined, lines > 1);
        }
    }
}

void ContractCheck::check_header(contract::ResponseHeader const& header, std::string_view value,
                                 bool is_repeated) {
    auto const& report = exchange_.services.validator.check_header(
        header.parameter, {value, is_repeated}, exchange_.decision.conditions(),
        exchange_.decision.api->levels);
    // No rule of a schema of responses is enforced: these are of the text of the value.
    for (auto const& one : report.violations)
        break_header(header, header.malformed, one.rule, one.phrase);
    for (auto const& one : report.reported)
        record(one);
    for (auto const& one : report.not_kept)
        count(one);
}

void ContractCheck::break_header(contract::ResponseHeader const& header,
                                 contract::ResponseRule rule, std::string_view keyword,
                                 std::string_view phrase) {
    auto violation = broken(rule);
    if (!violation) return;
    violation->name = header.parameter.name;
    violation->rule = keyword;
    violation->phrase = phrase;
    record(std::move(*violation));
}

// Why no schema applies; none: one applies, or no check is configured.
ResponseCheck ContractCheck::find_schema() {
    auto const status = exchange_.response->status;
    if (exchange_.decision.operation->responses.empty()) return ResponseCheck::no_schema;
    // RFC 9110, 15.4.5: the response to a conditional request, which no contract declares.
    if (status == 304) return ResponseCheck::no_body;
    if (response_ == nullptr) return ResponseCheck::status;
    // RFC 9110, 6.4.1
    if (status == 204 || exchange_.request.head.method == http::Method::head)
        return ResponseCheck::no_body;
    if (response_->media_types.empty()) return ResponseCheck::no_schema;
    auto const* const type =
        pipeline::find_media_type(exchange_.response->fields, response_->media_types).type;
    if (type == nullptr) return ResponseCheck::media_type;
    if (!type->schema) return ResponseCheck::no_schema;
    if (is_checked(*type->schema)) use(*type);
    return ResponseCheck::none;
}

void ContractCheck::use(contract::MediaType const& type) {
    schema_ = &*type.schema;
    type_ = &type;
}

bool ContractCheck::is_checked(contract::BodySchema const& schema) const {
    auto const& levels = exchange_.decision.api->levels;
    return levels.checks(schema.index) || levels.of(*response_->malformed) != Level::off
           || levels.of(*response_->undeclared_secret) != Level::off;
}

void ContractCheck::finish(Passed passed, ResponseCheck missing, std::string_view body) {
    if (result_ == ResponseCheck::media_type && passed == Passed::nothing && !has_type_) {
        // An empty body has no media type, and is not JSON either.
        result_ = ResponseCheck::no_schema;
        for (auto const& type : response_->media_types)
            if (schema_ == nullptr && type.schema) use(type);
        missing = ResponseCheck::none;
    }
    auto& outcome = exchange_.outcome;
    outcome.response_check = result_;
    if (schema_ != nullptr) {
        outcome.response_check = missing == ResponseCheck::none ? ResponseCheck::checked : missing;
        if (missing == ResponseCheck::none) check(body);
    } else if (result_ == ResponseCheck::status) {
        if (auto violation = broken(exchange_.decision.operation->declared_status))
            record(std::move(*violation));
    } else if (result_ == ResponseCheck::media_type) {
        if (auto violation = broken(response_->media_type)) record(std::move(*violation));
    }
}

void ContractCheck::check(std::string_view body) {
    // A secret that the contract does not declare is reported under a name that describes it.
    auto const secret = broken(response_->undeclared_secret);
    contract::UndeclaredSearch secrets;
    secrets.is_wanted = [this](std::string_view name) { return snapshot_.redaction.has(name); };
    auto& validator = exchange_.services.validator;
    auto const& conditions = exchange_.decision.conditions();
    auto const& levels = exchange_.decision.api->levels;
    auto const& report =
        type_->syntax == contract::BodySyntax::json
            ? validator.validate(*schema_, body, conditions, levels, secret ? &secrets : nullptr)
            : validator.validate(*type_, {body, {}}, conditions, levels);
    if (report.outcome == contract::Outcome::malformed) {
        auto violation = broken(response_->malformed);
        if (!violation) return;
        violation->rule = contract::name_of(report.malformed);
        return record(std::move(*violation));
    }
    for (auto const& reported : report.reported)
        record(reported);
    for (auto const& not_kept : report.not_kept)
        count(not_kept);
    if (secret) find_secrets(secrets, *secret);
}

void ContractCheck::find_secrets(contract::UndeclaredSearch& secrets, Violation const& secret) {
    for (std::string& pointer : secrets.pointers) {
        auto violation = secret;
        violation.pointer = std::move(pointer);
        record(std::move(violation));
    }
    if (secrets.not_kept != 0) count({secret.rule, secret.level, secrets.not_kept});
}

std::optional<Violation> ContractCheck::broken(contract::ResponseRule rule) const {
    return contract::break_rule(*exchange_.decision.api->contract, exchange_.decision.api->levels,
                                rule);
}

void ContractCheck::record(Violation violation) {
    violation.in = contract::ValuePlace::response;
    exchange_.decision.findings.violations.push_back(std::move(violation));
}

void ContractCheck::count(contract::NotKept not_kept) {
    not_kept.in = contract::ValuePlace::response;
    exchange_.decision.findings.not_kept.push_back(not_kept);
}

} // namespace sallyport::serve
