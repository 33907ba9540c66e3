// Finds the processes of this machine that are gateways, and their configurations.
#pragma once

#include <filesystem>
#include <optional>

#include <sys/types.h>

namespace sallyport::commands {

/// Whether the process runs this very program. While the gateway is down any local program can
/// listen at its address, and report any process id. False if this user may not inspect it.
[[nodiscard]] bool is_gateway(pid_t process);

/// The file of `run -c FILE`, from the command line of a gateway; empty if it has none, or it
/// cannot be read.
[[nodiscard]] std::optional<std::filesystem::path> configuration_of(pid_t process);

} // namespace sallyport::commands
