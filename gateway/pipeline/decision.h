// What was decided about a request, and what was found on the way.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/report.h"
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/pipeline/identity.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// The caller's proof, as it was checked; forwarded in canonical spelling unless the upstream has
/// its own.
struct Authorization {
    std::string_view scheme; // "Basic" or "Bearer", a literal
    std::string_view proof;  // what follows the scheme: a view into the head
};

/// What breaks the contract, and what else is counted of it: for the log and the metrics.
struct Findings {
    std::vector<contract::Violation> violations; // enforced and reported ones, response included
    std::vector<contract::NotKept> not_kept;     // how many more there were
    bool body_validated = false;                 // what follows was counted
    std::size_t unknown_members = 0;
    std::vector<std::string_view> deprecated_members; // names of the contract
};

/// Filled in the order of the steps; a plugin reads what the steps before it decided, and writes
/// what it decides.
struct Decision {
    Api const* api = nullptr;
    Identity const* caller = nullptr; // null where no authenticator was asked
    /// Whose proof was right, and too old: for the operator. It lets nothing pass.
    Identity const* expired = nullptr;
    Authorization authorization;
    contract::RouteMatch route;
    /// Null where the API has no contract, and of what the contract does not have.
    contract::Operation const* operation = nullptr;
    BodyPlan body;
    Findings findings;

    Decision() = default;
    Decision(Decision const&) = delete;
    Decision& operator=(Decision const&) = delete;

    /// Which rules of the API's contract bind this caller.
    [[nodiscard]] contract::Conditions const& conditions() const;
    /// How strictly what is no rule of a schema is taken of this operation.
    [[nodiscard]] contract::Level level() const {
        return api->levels.of_requests(operation->index);
    }
};

} // namespace sallyport::pipeline
