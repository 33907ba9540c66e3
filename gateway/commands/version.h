// `sallyport version`: the version of this program, and of the libraries that its behaviour depends
// on.
#pragma once

#include "gateway/commands/output.h"

#include <iosfwd>

namespace sallyport::commands {

/// Prints the version, and those of the libraries. 0: it was printed.
int run_version(Format format, std::ostream& out);

} // namespace sallyport::commands
