// The two shipped contracts, loaded once, and the engine's results for bodies.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/validator.h"
#include "tests/contract/document.h"

#include <string>
#include <vector>

namespace sallyport::contract::test {

/// By the name of the document; it must load without problems and warnings.
[[nodiscard]] Contract const& shipped(std::string const& document);

/// The rule pointer in violations: for responses with `/responses/200` in front.
[[nodiscard]] std::string rule_name(Side side, std::string const& rule_pointer);

struct Found {
    Contract const& contract;
    Operation const& operation;
};
[[nodiscard]] Found find(std::string const& operation);

/// The schema of the JSON body of the request, or of the response with status 200.
[[nodiscard]] BodySchema schema_of(Found const& found, Side side);

/// Validates a body. Views in the report live as long as the process.
[[nodiscard]] Report validate(std::string const& operation, Side side, std::string body,
                              Labels const& labels = {},
                              std::vector<LevelOverride> const& levels = {});

} // namespace sallyport::contract::test
