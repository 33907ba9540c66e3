// `sallyport contract check`: what is wrong with OpenAPI documents, without a configuration.
#pragma once

#include "gateway/commands/output.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::commands {

struct ContractCheckOptions {
    std::vector<std::string> files;
    std::vector<std::string> schema_folders; // with what `$ref` may lead to
    Format format = Format::text;
};

/// 0: the gateway would take each of them. 1: not so; `out` has the list.
[[nodiscard]] int run_contract_check(ContractCheckOptions const& options, std::ostream& out);

} // namespace sallyport::commands
