// `sallyport contract list`: the operations of OpenAPI documents, and their rules.
#pragma once

#include "gateway/commands/output.h"
#include "gateway/contract/unchecked.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::commands {

enum class ListRules : std::uint8_t { no, yes };

struct ContractListOptions {
    std::vector<std::string> files;
    std::vector<std::string> overlays;       // applied to each of them, in this order
    std::vector<std::string> schema_folders; // files that `$ref` may refer to
    ListRules rules = ListRules::no;
    Format format = Format::text;
    contract::Unsupported unsupported = contract::Unsupported::refuse;
    std::optional<std::string> folder{}; // around the files, inside which `$ref` stays
};

/// 0: listed. 1: a document does not load; `err` has its problems, and nothing is listed.
[[nodiscard]] int run_contract_list(ContractListOptions const& options, std::ostream& out,
                                    std::ostream& err);

} // namespace sallyport::commands
