// `sallyport sandbox`: replaces this process by the embedded upstream, a program of its own.
#pragma once

#include "gateway/commands/output.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::commands {

/// Does not return if the program starts. 1: it could not be started; `err` has the reason.
[[nodiscard]] int run_sandbox(std::vector<std::string> const& arguments, std::ostream& err);

} // namespace sallyport::commands
