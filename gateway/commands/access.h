// `sallyport access`: which credentials may call an operation, and what a credential may call.
#pragma once

#include "gateway/commands/output.h"

#include <iosfwd>
#include <string>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

struct AccessOptions {
    std::string config;     // path
    std::string operation;  // API/operationId, or
    std::string credential; // the name of a credential
    Format format = Format::text;
};

/// By the permissions that a gateway would use. 0: printed. 1: the configuration or the credentials
/// have errors, or there is no such operation or credential; `err` says so.
[[nodiscard]] int run_access(AccessOptions const& options, config::Tables const& tables,
                             std::ostream& out, std::ostream& err);

} // namespace sallyport::commands
