// `sallyport validate`: checks a body against the contract of an operation, or a document against a
// schema, as the gateway does.
#pragma once

#include "gateway/commands/output.h"
#include "gateway/contract/contract.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::commands {

struct ValidateOptions {
    std::string contract; // path; with `operation`
    std::vector<std::string> overlays{}; // that are applied to it
    std::string operation;
    std::vector<std::string> labels;         // k=v of the caller; true, false and numbers are typed
    std::string schema;                      // path of a JSON Schema; instead of a contract
    std::vector<std::string> schema_folders; // files that `$ref` may refer to
    contract::Unsupported unsupported = contract::Unsupported::refuse;
    contract::Formats formats = contract::Formats::annotate; // for `schema`
    std::vector<std::string>
        instances; // paths, of YAML with `.yaml` or `.yml`; `-` or none: standard input
    Format format = Format::text;
};

/// 0: valid. 1: invalid. 2: the contract or the schema does not load, or has no such operation. The
/// result is written to `out`, errors of the arguments to `err`. No value of the body is ever
/// printed.
[[nodiscard]] int run_validate(ValidateOptions const& options, std::istream& in, std::ostream& out,
                               std::ostream& err);

} // namespace sallyport::commands
