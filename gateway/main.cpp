// The program: the command line, and `run`, which serves.
#include "config/tables.h"
#include "config/yaml.h"
#include "gateway/accept/server.h"
#include "gateway/commands/command_line.h"
#include "gateway/lifecycle/compile.h"
#include "plugins/registry.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace sallyport;

/// Keys and credentials come into memory, and a core file would hold them. One byte, not none: no
/// core fits into either, but a program that core_pattern pipes cores to is given them at a limit
/// of 0 (core(5): it is not enforced there), while 1 is how the kernel tells such a program's own
/// crash and writes nothing. Only the soft limit: who looks for a fault may raise it with
/// prlimit(1).
void forbid_core_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(1, limit.rlim_max);
    ::setrlimit(RLIMIT_CORE, &limit);
}

/// 0: drained. 1: the configuration is not right, or the gateway could not start, or exchanges were
/// cut off.
int run(std::string const& path, config::Tables const& tables,
        accept::CommandLine const& command_line) {
    // Before anything that takes time: a predecessor may end meanwhile, and its sockets are all
    // that keeps its clients from being refused.
    auto inheritance = accept::take_inheritance();
    auto const ticket_keys = std::make_shared<net::TicketKeys>();
    auto const loaded = std::chrono::system_clock::now();
    auto const compiled =
        lifecycle::load(path, tables, {.ticket_keys = ticket_keys, .generation = 1});
    for (auto const& problem : compiled.problems) {
        auto const is_error = problem.severity == config::yaml::Severity::error;
        // describe() says of a warning that it is one.
        std::cerr << (is_error ? "error: " : "") << config::yaml::describe(problem) << '\n';
    }
    if (!compiled.snapshot) return 1;
    observe::ControlLog control_log;
    accept::Server server{{path, tables, compiled.snapshot, loaded, ticket_keys,
                           plugins::registry(), command_line, std::move(inheritance)},
                          control_log};
    return server.run() == accept::Ended::drained ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    forbid_core_files();
    try {
        accept::CommandLine const command_line{argc, argv};
        config::Tables const tables{plugins::authenticators()};
        return commands::run_command_line(argc, argv, tables, [&](std::string const& path) {
            return run(path, tables, command_line);
        });
    } catch (std::exception const& exception) {
        std::cerr << "sallyport: " << exception.what() << '\n';
        return 1;
    }
}
