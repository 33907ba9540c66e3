// Who listens on a port of this machine, as far as this user is told: /proc/net/tcp, and the
// descriptors of processes.
#pragma once

#include "config/config.h"

#include <string>
#include <vector>

#include <sys/types.h>

namespace sallyport::commands {

/// A socket that listens where it keeps others from an address.
struct ListeningSocket {
    uid_t owner = 0;
    std::vector<pid_t> holders; // empty: none that this user may look at
};

struct ListeningSockets {
    std::vector<ListeningSocket> sockets;
    bool is_known = false; // false: the system does not tell
};

[[nodiscard]] ListeningSockets sockets_in_the_way_of(config::Address const& address);

/// What a process is called: its command, or where that is not told "process".
[[nodiscard]] std::string name_of_process(pid_t process);

} // namespace sallyport::commands
