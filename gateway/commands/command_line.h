// The command line: from the words of the operator to the function that does it.
#pragma once

#include <functional>
#include <string>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

/// `run`, which is not of this folder: serves with the configuration at `path`; its exit code.
using Run = std::function<int(std::string const& path)>;

/// Does what the words say. 0: done. 1: the thing asked about is not right. 2: the words make no
/// command (some commands have a 2 of their own, which their help says).
[[nodiscard]] int run_command_line(int argc, char const* const* argv, config::Tables const& tables,
                                   Run const& run);

} // namespace sallyport::commands
