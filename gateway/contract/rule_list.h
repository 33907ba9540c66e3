// The rules of an operation, for people who write `rules:` of a configuration.
#pragma once

#include "gateway/contract/contract.h"

#include <string_view>
#include <vector>

namespace sallyport::contract {

/// A rule that a request or a response can violate; views into the contract.
struct ListedRule {
    std::string_view pointer; // as `rule_pointer` of a violation
    std::string_view keyword; // `maxLength`
    std::string_view phrase;  // "must have at most 50 characters"; may be empty
};

/// Those of an operation (Operation::index) that have a level of their own, in the order of the
/// document: not those inside if, not, anyOf and oneOf, which decide about other rules.
[[nodiscard]] std::vector<ListedRule> list_rules(Contract const& contract, std::uint32_t operation);

} // namespace sallyport::contract
