// Reads what the processes of an upgrade have logged.
#include "tests/support/successor.h"

#include "tests/support/event.h"
#include "tests/support/file_watch.h"

#include <csignal>
#include <regex>
#include <stdexcept>

#include <sys/syscall.h>
#include <unistd.h>

namespace sallyport::test {

Successor::Successor(pid_t id)
    : id_{id}, descriptor_{static_cast<int>(::syscall(SYS_pidfd_open, id, 0))} {
    if (descriptor_.get() < 0) throw std::runtime_error("the successor has ended already");
}

Successor::~Successor() {
    bool const is_ours = descriptor_.get() >= 0; // not moved from
    if (is_ours && !has_ended(std::chrono::milliseconds{0})) ::kill(id_, SIGKILL);
}

void Successor::signal(int number) const {
    ::kill(id_, number);
}

bool Successor::has_ended(std::chrono::milliseconds within) const {
    return wait_for(descriptor_.get(), -1, TimeLimit{within}) == Waited::happened;
}

std::vector<pid_t> successors(std::string const& error_output) {
    static std::regex const line{R"(successor_started pid=(\d+)\n)"};
    std::vector<pid_t> found;
    for (std::sregex_iterator at{error_output.begin(), error_output.end(), line}, end; at != end;
         ++at)
        found.push_back(static_cast<pid_t>(std::stol((*at)[1])));
    return found;
}

Successor upgrade(Gateway const& gateway, std::function<void(int)> const& signal,
                  std::size_t number) {
    signal(SIGUSR2);
    TimeLimit const limit;
    FileWatch watch{gateway.folder()};
    for (;;) {
        auto const text = gateway.standard_error();
        if (successors(text).size() == number && count_of(" ready", text) == number + 1)
            return Successor{successors(text).back()};
        if (watch.wait(-1, limit) != Waited::happened)
            throw std::runtime_error("no successor serves: " + text);
    }
}

} // namespace sallyport::test
