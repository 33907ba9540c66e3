// `sallyport contract check`: the problems of OpenAPI documents, without a configuration.
#pragma once

#include "gateway/commands/output.h"
#include "gateway/contract/unchecked.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::commands {

struct ContractCheckOptions {
    std::vector<std::string> files;
    std::vector<std::string> schema_folders; // files that `$ref` may refer to
    std::vector<std::string> overlays;       // applied to each of the files
    Format format = Format::text;
    contract::Unsupported unsupported = contract::Unsupported::refuse;
    std::optional<std::string> folder{}; // around the files, inside which `$ref` stays
};

/// 0: the gateway accepts all of them. 1: it does not; `out` has the list.
[[nodiscard]] int run_contract_check(ContractCheckOptions const& options, std::ostream& out);

} // namespace sallyport::commands
