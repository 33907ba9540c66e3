// Holds a JSON body against the schema of its operation.
#include "plugins/validate.h"

#include "gateway/http/media_type.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/pipeline/exchange.h"

#include <cstddef>
#include <string>
#include <utility>

namespace sallyport::plugins {

namespace {

using pipeline::Denial;
using pipeline::Exchange;
using pipeline::Reason;
using pipeline::Verdict;

void keep_findings(contract::Report const& report, Exchange& exchange) {
    auto& outcome = exchange.outcome;
    if (!report.reported.empty()) {
        outcome.violations.insert(outcome.violations.end(), report.reported.begin(),
                                  report.reported.end());
    }
    if (!report.not_kept.empty()) {
        outcome.not_kept.insert(outcome.not_kept.end(), report.not_kept.begin(),
                                report.not_kept.end());
    }
    outcome.body_validated = true;
    outcome.unknown_members = report.unknown_members;
    outcome.deprecated_members = report.deprecated_members;
}

Denial malformed(contract::Report const& report, std::size_t size) {
    bool const is_too_complex = report.malformed == contract::Malformed::too_complex;
    std::string detail{is_too_complex ? "The request body is not checked: "
                                      : "The request body is not acceptable JSON: "};
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

/// Whether a body that no schema is there for says that it is JSON, as it stands.
bool says_json(Exchange const& exchange) {
    auto const& fields = exchange.head.fields;
    if (exchange.body.empty() || fields.has(http::FieldId::content_encoding)) return false;
    return http::require_json(fields) == nullptr;
}

/// Well-formed is what it has to be at every level.
Verdict check_json(Exchange& exchange) {
    auto const& report = exchange.services.validator.check_json(exchange.body);
    if (report.outcome != contract::Outcome::malformed) return Verdict::pass();
    return Verdict::deny(malformed(report, exchange.body.size()));
}

class Validate final : public pipeline::Plugin {
public:
    Verdict check(Exchange& exchange) override {
        if (!exchange.plan.schema) {
            if (auto denial = pipeline::take_unjudged_body(exchange))
                return Verdict::deny(std::move(*denial));
            return says_json(exchange) ? check_json(exchange) : Verdict::pass();
        }
        if (pipeline::passes_as_none(exchange)) return Verdict::pass();
        auto& report = exchange.services.validator.validate(
            *exchange.plan.schema, exchange.body, exchange.conditions(), exchange.api->levels);
        if (report.outcome == contract::Outcome::malformed) {
            return Verdict::deny(malformed(report, exchange.body.size()));
        }
        keep_findings(report, exchange);
        if (report.outcome == contract::Outcome::violated) return Verdict::deny(violated(report));
        return Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_validate(pipeline::Api const& api) {
    return api.contract ? std::make_unique<Validate>() : nullptr;
}

} // namespace sallyport::plugins
