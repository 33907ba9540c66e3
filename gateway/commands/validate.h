// `sallyport validate`: whether a body keeps the contract of an operation, or a document a schema,
// as the gateway decides it.
#pragma once

#include "gateway/commands/output.h"
#include "gateway/contract/contract.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::commands {

struct ValidateOptions {
    std::string contract; // path; with `operation`
    std::string operation;
    std::vector<std::string> labels;         // k=v of the caller; true, false and numbers are typed
    std::string schema;                      // path of a JSON Schema; instead of a contract
    std::vector<std::string> schema_folders; // with what `$ref` may lead to
    contract::Formats formats = contract::Formats::annotate; // of `schema`
    std::vector<std::string>
        instances; // paths, of YAML with `.yaml` or `.yml`; `-` or none: standard input
    Format format = Format::text;
};

/// 0: valid. 1: not. 2: the contract or the schema does not load, or has no such operation. The
/// verdict goes to `out`, what is wrong with the question to `err`. No value of the body is ever
/// printed.
[[nodiscard]] int run_validate(ValidateOptions const& options, std::istream& in, std::ostream& out,
                               std::ostream& err);

} // namespace sallyport::commands
