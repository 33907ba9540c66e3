// `sallyport reload`: makes the running gateway reload its configuration, and reports the
// result.
#pragma once

#include "gateway/commands/admin_client.h"
#include "gateway/commands/output.h"

#include <chrono>
#include <iosfwd>
#include <optional>

#include <sys/types.h>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

struct ReloadOptions {
    AdminPlace admin;
    std::optional<pid_t> pid; // of the gateway; none: taken from the admin listener
    std::chrono::seconds limit{60};
    Format format = Format::text;
};

/// Requests the reload by SIGHUP and reads the result from the admin listener, which thereby stays
/// read-only: the kernel decides who may reload (kill(2)), not access to the listener.
///
/// 0: the files on disk are active now. 1: they were rejected, and `out` has the problems; or the
/// gateway cannot be reached, and `err` has the reason. 2: the address is invalid.
[[nodiscard]] int run_reload(ReloadOptions const& options, config::Tables const& tables,
                             std::ostream& out, std::ostream& err);

} // namespace sallyport::commands
