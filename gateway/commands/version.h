// `sallyport version`: which program this is, and the libraries whose behaviour it depends on.
#pragma once

#include "gateway/commands/output.h"

#include <iosfwd>

namespace sallyport::commands {

int run_version(Format format, std::ostream& out);

} // namespace sallyport::commands
