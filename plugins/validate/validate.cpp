// Holds a body against the schema of its operation.
#include "plugins/validate/validate.h"

#include "gateway/http/media_type.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/pipeline/body_report.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"

#include <string_view>
#include <utility>

namespace sallyport::plugins {

namespace {

using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

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
    return Verdict::deny(
        pipeline::malformed_body(report, request.body.size(), contract::BodySyntax::json));
}

contract::Report& validate(contract::MediaType const& type, Request const& request,
                           Decision const& decision, Services& services) {
    auto& validator = services.validator;
    bool const says_ascii = decision.body.says_ascii;
    if (type.syntax == contract::BodySyntax::json && !says_ascii)
        return validator.validate(*type.schema, request.body, decision.conditions(),
                                  decision.api->levels);
    contract::SentBody body{request.body, {}, says_ascii, decision.lists()};
    if (contract::is_multipart(type.syntax))
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
        if (auto denial = pipeline::judge_report(report, request.body.size(), type->syntax,
                                                 decision.findings))
            return Verdict::deny(std::move(*denial));
        return Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_validate(pipeline::Api const& api) {
    return api.contract ? std::make_unique<Validate>() : nullptr;
}

} // namespace sallyport::plugins
