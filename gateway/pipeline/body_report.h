// What the result of a validation means for a request: its denial, and what is recorded.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/report.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/denial.h"

#include <cstddef>
#include <memory>

namespace sallyport::pipeline {

/// The denial of a malformed body of that size in bytes.
[[nodiscard]] Denial malformed_body(contract::Report const& report, std::size_t size,
                                    contract::BodySyntax syntax);

/// Records what was found in a body, and moves it out of the report. Null: it passes.
[[nodiscard]] std::unique_ptr<Denial> judge_report(contract::Report& report, std::size_t size,
                                                   contract::BodySyntax syntax, Findings& findings);

} // namespace sallyport::pipeline
