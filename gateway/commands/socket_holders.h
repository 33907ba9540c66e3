// Finds the processes that listen on a port of this machine, as far as this user may see them:
// /proc/net/tcp, and the descriptors of processes.
#pragma once

#include "config/config.h"

#include <string>
#include <vector>

#include <sys/types.h>

namespace sallyport::commands {

/// A listening socket that occupies an address.
struct ListeningSocket {
    uid_t owner = 0;
    std::vector<pid_t> holders; // empty: none that this user may inspect
};

struct ListeningSockets {
    std::vector<ListeningSocket> sockets;
    bool is_known = false; // false: the system does not show it
};

/// The listening sockets that prevent binding `address`, of either IP family.
[[nodiscard]] ListeningSockets sockets_in_the_way_of(config::Address const& address);

/// The name of a process: its command, or "process" if that is not readable.
[[nodiscard]] std::string name_of_process(pid_t process);

} // namespace sallyport::commands
