// The command line: from its words to the function of the command.
#pragma once

#include <functional>
#include <string>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

/// `run`, implemented elsewhere: serves with the configuration at `path`; returns its exit code.
using Run = std::function<int(std::string const& path)>;

/// Runs the command. 0: success. 1: the checked object is invalid, or the command failed. 2: the
/// words are not a valid command (some commands have a 2 of their own, described in their help).
[[nodiscard]] int run_command_line(int argc, char const* const* argv, config::Tables const& tables,
                                   Run const& run);

} // namespace sallyport::commands
