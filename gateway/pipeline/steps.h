// The steps of the pipeline that no plugin decides: which operation it is, and whether its
// parameters are right. What is asked of its body: body_plan.h.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/http/head.h"
#include "gateway/pipeline/denial.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Decision;
struct Request;
struct Services;

/// The one answer to missing, malformed and wrong credentials; the API's challenges are added to
/// it.
[[nodiscard]] Denial unauthenticated();

/// Sets the operation and its path parameters. Denies paths that the contract does not know, and
/// other methods. Null: found, or none, which the API lets pass.
std::unique_ptr<Denial> find_operation(Request const& request, Decision& decision);

/// Denies parameters that are missing, badly written or break their schema, as far as the level of
/// the operation says so. Null: fine, or told.
std::unique_ptr<Denial> judge_parameters(Request const& request, Decision& decision,
                                         Services& services);

/// Adds what is broken and no rule of a schema, of a request that passes all the same, unless
/// `level` is off. `rule` is a literal.
void tell(Decision& decision, contract::Level level, std::string_view rule);

} // namespace sallyport::pipeline
