// fork, exec and pidfd.
#include "tests/support/process.h"

#include "tests/support/event.h"
#include "tests/support/temporary_folder.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace sallyport::test {
namespace {

std::vector<std::string> environment_of(Command const& command) {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string const text{*entry};
        if (command.environment.count(text.substr(0, text.find('='))) == 0) entries.push_back(text);
    }
    for (auto const& [name, value] : command.environment)
        entries.push_back(name + "=" + value);
    return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Only calls that are safe between fork and exec of a process with threads.
[[noreturn]] void become(char const* program, char* const* arguments, char* const* environment,
                         ProcessFiles const& files, char const* folder) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a crashed test leaves no gateway behind
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < 32; ++number)
        ::sigaction(number, &standard, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    auto const input = ::open(files.input.c_str(), O_RDONLY);
    auto const output = ::open(files.output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    auto const error = ::open(files.error.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (input < 0 || output < 0 || error < 0 || ::dup2(input, 0) < 0 || ::dup2(output, 1) < 0
        || ::dup2(error, 2) < 0 || (*folder != '\0' && ::chdir(folder) != 0))
        ::_exit(126);
    for (int number = 3; number < 16; ++number)
        ::close(number);
    ::execve(program, arguments, environment);
    ::_exit(127);
}

} // namespace

Process::Process(Command const& command, ProcessFiles const& files) {
    auto arguments = command.arguments;
    auto environment = environment_of(command);
    auto const argument_pointers = pointers_to(arguments);
    auto const environment_pointers = pointers_to(environment);
    auto const program = arguments.at(0).find('/') == std::string::npos
                             ? find_program(arguments.at(0)).string()
                             : arguments.at(0);
    auto const folder = command.folder.string();
    // Blocked until the child has restored the signal handlers.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    id_ = ::fork();
    if (id_ == 0)
        become(program.c_str(), argument_pointers.data(), environment_pointers.data(), files,
               folder.c_str());
    if (id_ < 0) throw std::runtime_error("fork");
    descriptor_ = Descriptor{static_cast<int>(::syscall(SYS_pidfd_open, id_, 0))};
    if (!descriptor_.is_open()) throw std::runtime_error("pidfd_open");
}

Process::~Process() {
    if (!exit_code_) {
        signal(SIGKILL);
        wait();
    }
}

void Process::signal(int number) const {
    if (!exit_code_) ::kill(id_, number);
}

std::optional<int> Process::wait(TimeLimit limit) {
    if (exit_code_) return exit_code_;
    if (wait_for(descriptor_.get(), -1, limit) != Waited::happened) return {};
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return exit_code_;
}

Finished run(Command const& command, std::string_view input, TimeLimit limit) {
    TemporaryFolder const folder;
    ProcessFiles const files{folder.write("input", input), folder / "output", folder / "error"};
    Process process{command, files};
    auto const exit_code = process.wait(limit);
    if (!exit_code)
        throw std::runtime_error("still running at its time limit: " + command.arguments[0] + "\n"
                                 + read_file(files.output) + read_file(files.error));
    return {*exit_code, read_file(files.output), read_file(files.error)};
}

std::filesystem::path find_program(std::string_view name) {
    auto const* path = std::getenv("PATH");
    std::istringstream folders{std::string{path != nullptr ? path : "/usr/bin:/bin"}
                               + ":/usr/sbin:/sbin"};
    for (std::string folder; std::getline(folders, folder, ':');) {
        auto const candidate = std::filesystem::path{folder} / name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

} // namespace sallyport::test
