// Which processes of this machine are gateways, and by which configuration they run.
#pragma once

#include <filesystem>
#include <optional>

#include <sys/types.h>

namespace sallyport::commands {

/// Whether the process runs this very program. While the gateway is down any local program can
/// listen at its address, and name any process. False where this user may not look at it.
[[nodiscard]] bool is_gateway(pid_t process);

/// The file of `run -c FILE`, by the command line of a gateway; nothing where it is none, or cannot
/// be told.
[[nodiscard]] std::optional<std::filesystem::path> configuration_of(pid_t process);

} // namespace sallyport::commands
