// An upgrade: the program starts its successor, which inherits the listening sockets and, once it
// serves, ends its predecessor.
#pragma once

#include "gateway/net/descriptor.h"
#include "gateway/net/ticket_keys.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace sallyport::accept {

/// How this process was started: what its successor is started by, at the same path.
class CommandLine {
public:
    CommandLine(int argc, char const* const* argv);

    [[nodiscard]] std::string const& program() const { return program_; }
    [[nodiscard]] std::vector<std::string> const& arguments() const { return arguments_; }

private:
    std::string program_; // absolute, looked up when the process began
    std::vector<std::string> arguments_;
};

struct NamedDescriptor {
    std::string name;
    int descriptor;
};

struct Started {
    pid_t id = 0;
    std::string problem; // empty: it runs
};

/// Starts `command` with these sockets, which stay open here, and these keys.
Started start_successor(CommandLine const& command, std::vector<NamedDescriptor> const& sockets,
                        net::TicketKeys& ticket_keys);

/// What a successor was started with.
struct Inheritance {
    pid_t predecessor = 0; // 0: this process is nobody's successor
    std::vector<NamedDescriptor> sockets;
    net::FileDescriptor ticket_keys; // a pipe that holds them
};

/// From the environment, where it is forgotten: first of all, before there are other threads, and
/// while the predecessor is sure to be there.
[[nodiscard]] Inheritance take_inheritance();

/// Goes on with the keys of the predecessor, where it gave any.
void take_ticket_keys(net::FileDescriptor const& pipe, net::TicketKeys& ticket_keys);

/// When the successor serves: its predecessor, if that still waits for it, drains.
void end_predecessor(pid_t predecessor);

} // namespace sallyport::accept
