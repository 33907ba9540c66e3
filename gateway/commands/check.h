// `sallyport check`: every problem of a configuration, its credentials, contracts, certificates and
// keys.
#pragma once

#include "gateway/commands/output.h"

#include <iosfwd>
#include <string>

namespace sallyport::commands {

struct CheckOptions {
    std::string config; // path
    Format format = Format::text;
};

// 0: it would serve. 1: it would not; `out` has the list. Opens what the configuration names, and
// serves nothing.
[[nodiscard]] int run_check(CheckOptions const& options, std::ostream& out);

} // namespace sallyport::commands
