// The successor of a program on its sockets: found, awaited, ended by the test.
#pragma once

#include "tests/support/descriptor.h"
#include "tests/support/gateway.h"
#include "tests/support/time_limit.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace sallyport::test {

/// A process that is not our child: observed and ended by its pidfd.
class Successor {
public:
    explicit Successor(pid_t id);
    ~Successor(); // kills what still runs
    Successor(Successor&&) = default;

    void signal(int number) const;
    [[nodiscard]] bool has_ended(std::chrono::milliseconds within) const;

private:
    pid_t id_;
    Descriptor descriptor_;
};

/// Those that a gateway, and its successors, reported to have started.
std::vector<pid_t> successors(std::string const& error_output);

/// Upgrades and returns the successor once it serves. The first process may have ended by then.
Successor upgrade(Gateway const& gateway, std::function<void(int)> const& signal,
                  std::size_t number);

} // namespace sallyport::test
