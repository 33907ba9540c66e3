// What the result of a validation means for a request.
#include "gateway/pipeline/body_report.h"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::pipeline {

namespace {

void keep_findings(contract::Report& report, Findings& findings) {
    if (!report.reported.empty()) {
        findings.violations.insert(findings.violations.end(),
                                   std::make_move_iterator(report.reported.begin()),
                                   std::make_move_iterator(report.reported.end()));
        report.reported.clear();
    }
    for (auto const& more : report.not_kept)
        contract::add_not_kept(findings.not_kept, more);
    report.not_kept.clear();
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
    case contract::BodySyntax::lines: return "acceptable JSON Lines: ";
    case contract::BodySyntax::sequence: return "an acceptable JSON text sequence: ";
    case contract::BodySyntax::events: return "an acceptable event stream: ";
    case contract::BodySyntax::parts: return "an acceptable multipart body: ";
    }
    return "acceptable JSON: ";
}

Denial violated(contract::Report& report) {
    Denial denial;
    denial.reason = Reason::contract_violation;
    denial.violations = std::move(report.violations);
    denial.more_violations = report.more_violations;
    return denial;
}

} // namespace

Denial malformed_body(contract::Report const& report, std::size_t size,
                      contract::BodySyntax syntax) {
    bool const is_too_complex = report.malformed == contract::Malformed::too_complex;
    std::string detail{is_too_complex ? "The request body is not checked: "
                                      : "The request body is not "};
    if (!is_too_complex) detail += name_of(syntax);
    detail += contract::describe(report.malformed);
    if (report.offset) {
        detail += *report.offset < size ? " (at byte " + std::to_string(*report.offset) + ")"
                                        : " (it ends too early)";
    }
    // RFC 9110, 15.5.16: also for what only the content shows.
    auto const reason = report.malformed == contract::Malformed::charset
                            ? Reason::unsupported_media_type
                            : Reason::malformed_body;
    return Denial{reason, std::move(detail), {}, {}, {}};
}

std::unique_ptr<Denial> judge_report(contract::Report& report, std::size_t size,
                                     contract::BodySyntax syntax, Findings& findings) {
    if (report.outcome == contract::Outcome::malformed)
        return std::make_unique<Denial>(malformed_body(report, size, syntax));
    keep_findings(report, findings);
    if (report.outcome == contract::Outcome::violated)
        return std::make_unique<Denial>(violated(report));
    return nullptr;
}

} // namespace sallyport::pipeline
