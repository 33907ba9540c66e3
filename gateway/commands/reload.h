// `sallyport reload`: has the running gateway read its configuration again, and says what came of
// it.
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
    std::optional<pid_t> pid; // of the gateway; none: the admin listener says it
    std::chrono::seconds limit{60};
    Format format = Format::text;
};

// Asks by SIGHUP and learns by the admin listener, which thereby stays a listener that can only be
// read: who may ask for a reload is decided by the kernel (kill(2)), not by who can connect.
//
// 0: what is on disk runs now. 1: it was rejected, and `out` has the problems; or the gateway
// cannot be asked, and `err` says why. 2: the address is none.
[[nodiscard]] int run_reload(ReloadOptions const& options, config::Tables const& tables,
                             std::ostream& out, std::ostream& err);

} // namespace sallyport::commands
