// `sallyport contract resolve`: an OpenAPI document after its overlays.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::commands {

struct ContractResolveOptions {
    std::string file;
    std::vector<std::string> overlays;
};

/// Writes the document to `out`, as YAML, and problems to `err`. 0: it could be read, and every
/// overlay could be applied; 1: not so, and `out` gets nothing. Whether the gateway can use the
/// result is not checked (contract_check.h).
[[nodiscard]] int run_contract_resolve(ContractResolveOptions const& options, std::ostream& out,
                                       std::ostream& err);

} // namespace sallyport::commands
