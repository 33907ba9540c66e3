// Holds a body against the schema of its operation.
#include "plugins/validate/validate.h"

#include "gateway/http/media_type.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::plugins {

namespace {

using pipeline::Decision;
using pipeline::Denial;
using pipeline::Findings;
using pipeline::Reason;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

void keep_findings(contract::Report const& report, Findings& findings) {
    if (!report.reported.empty()) {
        findings.violations.insert(findings.violations.end(), report.reported.begin(),
                                   report.reported.end());
    }
    if (!report.not_kept.empty()) {
        findings.not_kept.insert(findings.not_kept.end(), report.not_kept.begin(),
                                 report.not_kept.end());
    }
    findings.body_validated = true;
    findings.unknown_members = report.unknown_members;
    findings.deprecated_members = report.deprecated_members;
}

// What a body of that syntax is not, if it is malformed.
std::string_view name_of(contract::BodySyntax syntax) noexcept {
    switch (syntax) {
    case contract::BodySyntax::json: break;
    case contract::BodySyntax::form: return "an acceptable form: ";
    case contract::BodySyntax::multipart: return "acceptable multipart/form-data: ";
    case contract::BodySyntax::text: return "acceptable text: ";
    }
    return "acceptable JSON: ";
}

Denial malformed(contract::Report const& report, std::size_t size,
                 contract::BodySyntax syntax = contract::BodySyntax::json) {
    bool const is_too_complex = report.malformed == contract::Malformed::too_complex;
    std::string detail{is_too_complex ? "The request body is not checked: "
                                      : "The request body is not "};
    if (!is_too_complex) detail += name_of(syntax);
    detail += contract::describe(report.malformed);
    if (report.offset) {
        detail += *report.offset < size ? " (at byte " + std::to_string(*report.offset) + ")"
                                        : " (it ends too early)";
    }
    return Denial{Reason::malformed_body, std::move(detail), {}, {}, {}};
}

Denial violated(contract::Report& report) {
    Denial denial;
    denial.reason = Reason::contract_violation;
    denial.violations = std::move(report.violations);
    denial.more_violations = report.more_violations;
    return denial;
}

// Whether a body without a schema is declared as JSON, without a coding.
bool says_json(Request const& request) {
    auto const& fields = request.head.fields;
    if (request.body.empty() || fields.has(http::FieldId::content_encoding)) return false;
    return http::require_json(fields) == nullptr;
}

// Well-formed is what it has to be at every level.
Verdict check_json(Request const& request, Services& services) {
    auto const& report = services.validator.check_json(request.body);
    if (report.outcome != contract::Outcome::malformed) return Verdict::pass();
    return Verdict::deny(malformed(report, request.body.size()));
}

contract::Report& validate(contract::MediaType const& type, Request const& request,
                           Decision const& decision, Services& services) {
    auto& validator = services.validator;
    if (type.syntax == contract::BodySyntax::json)
        return validator.validate(*type.schema, request.body, decision.conditions(),
                                  decision.api->levels);
    contract::SentBody body{request.body, {}};
    if (type.syntax == contract::BodySyntax::multipart)
        body.boundary = pipeline::boundary_of(request).value_or(std::string_view{});
    return validator.validate(type, body, decision.conditions(), decision.api->levels);
}

class Validate final : public pipeline::Plugin {
public:
    Verdict check(Request const& request, Decision& decision, Services& services) override {
        auto const* const type = decision.body.type;
        if (type == nullptr) {
            if (auto denial = pipeline::take_unjudged_body(request, decision))
                return Verdict::deny(std::move(*denial));
            return says_json(request) ? check_json(request, services) : Verdict::pass();
        }
        if (pipeline::passes_as_none(request, decision)) return Verdict::pass();
        auto& report = validate(*type, request, decision, services);
        if (report.outcome == contract::Outcome::malformed) {
            return Verdict::deny(malformed(report, request.body.size(), type->syntax));
        }
        keep_findings(report, decision.findings);
        if (report.outcome == contract::Outcome::violated) return Verdict::deny(violated(report));
        return Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_validate(pipeline::Api const& api) {
    return api.contract ? std::make_unique<Validate>() : nullptr;
}

} // namespace sallyport::plugins
