// The commands besides `run`: each a function, and its words on the command line.
#include "gateway/commands/commands.h"

#include <CLI/CLI.hpp>

namespace sallyport::commands {

void add_commands(CLI::App&, int&) {}

} // namespace sallyport::commands
