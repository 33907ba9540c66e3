// `sallyport contract diff`: what changes for clients if one OpenAPI document replaces another.
#pragma once

#include "gateway/contract/unchecked.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::commands {

enum class DiffFormat : std::uint8_t { text, json, markdown };

struct ContractDiffOptions {
    std::string old_file;
    std::string new_file;
    std::vector<std::string> old_overlays; // applied to the old document, in this order
    std::vector<std::string> new_overlays;
    std::vector<std::string> schema_folders; // files that `$ref` of both may refer to
    contract::Unsupported unsupported = contract::Unsupported::refuse;
    std::optional<std::string> folder{}; // around both, inside which `$ref` stays
    DiffFormat format = DiffFormat::text;
};

/// Writes the changes to `out`, and problems to `err`. 0: no request that passed is refused. 1:
/// something is stricter, or it could not be shown that it is not. 2: a document does not load.
[[nodiscard]] int run_contract_diff(ContractDiffOptions const& options, std::ostream& out,
                                    std::ostream& err);

} // namespace sallyport::commands
