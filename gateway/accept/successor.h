// An upgrade: the process starts its successor, which inherits the listening sockets and, once it
// serves, ends its predecessor.
#pragma once

#include "gateway/net/descriptor.h"
#include "gateway/net/ticket_keys.h"
#include "gateway/pipeline/password_checks.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace sallyport::accept {

/// The command line of this process: its successor is started with it, at the same path.
class CommandLine {
public:
    CommandLine(int argc, char const* const* argv);

    [[nodiscard]] std::string const& program() const { return program_; }
    [[nodiscard]] std::vector<std::string> const& arguments() const { return arguments_; }

private:
    std::string program_; // absolute, determined when the process began
    std::vector<std::string> arguments_;
};

struct NamedDescriptor {
    std::string name;
    int descriptor;
};

struct Started {
    pid_t id = 0;
    std::string problem; // empty: it was started
};

/// Starts `command` with these sockets, which stay open here, these keys, and the passwords that
/// are remembered.
Started start_successor(CommandLine const& command, std::vector<NamedDescriptor> const& sockets,
                        net::TicketKeys& ticket_keys, pipeline::PasswordChecks const& passwords);

/// What a successor was started with.
struct Inheritance {
    pid_t predecessor = 0; // 0: this process has no predecessor
    std::vector<NamedDescriptor> sockets;
    net::FileDescriptor ticket_keys; // a pipe that contains them
    net::FileDescriptor passwords;   // memory that contains those remembered
};

/// From the environment, whose variables are removed. Call it first, before there are other
/// threads, and while the predecessor certainly exists.
[[nodiscard]] Inheritance take_inheritance();

/// Continues with the keys of the predecessor, if it passed any.
void take_ticket_keys(net::FileDescriptor const& pipe, net::TicketKeys& ticket_keys);

/// Goes on with the passwords that the predecessor remembered, if it passed any. Before workers
/// use them.
void take_passwords(net::FileDescriptor const& memory, pipeline::PasswordChecks& passwords);

/// Called when the successor serves: tells its predecessor, if that still exists, to drain.
void end_predecessor(pid_t predecessor);

} // namespace sallyport::accept
