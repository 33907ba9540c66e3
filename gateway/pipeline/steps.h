// The steps of the pipeline that are not plugins: finding the operation, and checking its
// parameters. For the body: body_plan.h.
#pragma once

#include "config/authenticator_set.h"
#include "gateway/contract/contract.h"
#include "gateway/http/head.h"
#include "gateway/pipeline/denial.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Api;
struct Decision;
struct Request;
struct Services;

/// The same denial for missing, malformed and wrong credentials; the API's challenges are added to
/// it.
[[nodiscard]] Denial unauthenticated();

/// The names of the authenticators of a request: those of its operation where that has its own,
/// else those of the API. Looked up before authentication: no response may reveal the operation.
[[nodiscard]] config::AuthenticatorSets const& authenticators_for(Api const& api,
                                                                 Request const& request);

/// Sets the path of the contract, if the API has one. Denies a path that it does not have. Null:
/// found, or not found and forwarded all the same.
std::unique_ptr<Denial> find_path(Request const& request, Decision& decision);

/// Sets the operation and its path parameters. Denies paths and methods that the contract does not
/// have. Null: found, or not found and allowed by the API.
std::unique_ptr<Denial> find_operation(Request const& request, Decision& decision);

/// Denies parameters that are missing, malformed or violate their schema, depending on the level of
/// the operation. Null: valid, or only reported.
std::unique_ptr<Denial> judge_parameters(Request const& request, Decision& decision,
                                         Services& services);

/// Records a deviation of a passing request that is not a rule of a schema, unless `level` is off.
/// `rule` is a literal.
void report_deviation(Decision& decision, contract::Level level, std::string_view rule);

} // namespace sallyport::pipeline
