// `sallyport sandbox`: runs the embedded upstream, a program of its own, in place of this one.
#pragma once

#include "gateway/commands/output.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::commands {

/// Does not return where the program starts. 1: it could not; `err` says why.
[[nodiscard]] int run_sandbox(std::vector<std::string> const& arguments, std::ostream& err);

} // namespace sallyport::commands
