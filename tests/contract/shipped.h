// The two shipped contracts, loaded once, and what the engine says of a body by them.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/validator.h"
#include "tests/contract/document.h"

#include <string>
#include <vector>

namespace sallyport::contract::test {

/// By the name of the document; loading without a problem or warning is required.
[[nodiscard]] Contract const& shipped(std::string const& document);

/// As violations name a rule: those of answers stand behind `/responses/200`.
[[nodiscard]] std::string rule_name(Side side, std::string const& rule_pointer);

struct Found {
    Contract const& contract;
    Operation const& operation;
};
[[nodiscard]] Found find(std::string const& operation);

/// Of the JSON body of the request, or of the response with status 200.
[[nodiscard]] BodySchema schema_of(Found const& found, Side side);

/// Views in the report live as long as the process.
[[nodiscard]] Report judge(std::string const& operation, Side side, std::string body,
                           Labels const& labels = {},
                           std::vector<LevelOverride> const& levels = {});

} // namespace sallyport::contract::test
