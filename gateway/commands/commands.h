// The commands besides `run`: each a function, and its words on the command line.
#pragma once

namespace CLI {
class App;
}

namespace sallyport::commands {

/// Adds every command of this folder to `app`; a command that runs sets `exit_code`: 0 done, 1 the
/// thing asked about is not right, 2 usage.
void add_commands(CLI::App& app, int& exit_code);

} // namespace sallyport::commands
