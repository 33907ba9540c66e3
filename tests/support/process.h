// Child processes: started with their output in files or strings, awaited with a time limit, always
// ended.
#pragma once

#include "tests/support/descriptor.h"
#include "tests/support/time_limit.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace sallyport::test {

struct Command {
    std::vector<std::string> arguments;                  // the program first; searched in PATH
    std::map<std::string, std::string> environment = {}; // added to ours
    std::filesystem::path folder = {};                   // to run in; empty: ours
};

struct ProcessFiles {
    std::filesystem::path input = "/dev/null";
    std::filesystem::path output = "/dev/null";
    std::filesystem::path error = "/dev/null";
};

class Process {
public:
    Process(Command const& command, ProcessFiles const& files);
    Process(Process const&) = delete;
    Process& operator=(Process const&) = delete;
    ~Process(); // kills what still runs

    [[nodiscard]] pid_t id() const { return id_; }
    /// Readable once the process has ended (a pidfd).
    [[nodiscard]] int descriptor() const { return descriptor_.get(); }
    void signal(int number) const;
    /// The exit code, or 128 + the signal that ended it; empty if it still runs at the limit.
    std::optional<int> wait(TimeLimit limit = TimeLimit{});

private:
    pid_t id_ = -1;
    Descriptor descriptor_;
    std::optional<int> exit_code_;
};

struct Finished {
    int exit_code = -1;
    std::string output;
    std::string error;
};

/// Runs to the end; throws std::runtime_error if that takes longer than the limit.
Finished run(Command const& command, std::string_view input = {}, TimeLimit limit = TimeLimit{});

/// The full path of a program in PATH or /usr/sbin; empty if there is none.
std::filesystem::path find_program(std::string_view name);

} // namespace sallyport::test
