// The command line of the gateway: from the words of the operator to the function that does it.
#include "config/yaml.h"
#include "gateway/accept/server.h"
#include "gateway/commands/commands.h"
#include "gateway/lifecycle/compile.h"
#include "plugins/registry.h"

#include <CLI/CLI.hpp>

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
int run(std::string const& path, accept::CommandLine const& command_line) {
    // Before anything that takes time: a predecessor may end meanwhile, and its sockets are all
    // that keeps its clients from being refused.
    auto inheritance = accept::take_inheritance();
    auto const ticket_keys = std::make_shared<net::TicketKeys>();
    auto const loaded = std::chrono::system_clock::now();
    auto const compiled = lifecycle::load(path, {.ticket_keys = ticket_keys, .generation = 1});
    for (auto const& problem : compiled.problems) {
        auto const is_error = problem.severity == config::yaml::Severity::error;
        // describe() says of a warning that it is one.
        std::cerr << (is_error ? "error: " : "") << config::yaml::describe(problem) << '\n';
    }
    if (!compiled.snapshot) return 1;
    observe::ControlLog control_log;
    accept::Server server{{path, compiled.snapshot, loaded, ticket_keys, plugins::registry(),
                           command_line, std::move(inheritance)},
                          control_log};
    return server.run() == accept::Ended::drained ? 0 : 1;
}

void add_run_command(CLI::App& app, accept::CommandLine const& command_line, int& exit_code) {
    auto* const command = app.add_subcommand(
        "run",
        "Serve. SIGTERM drains and ends, SIGHUP reads the configuration again, SIGUSR1 opens the "
        "access log anew, SIGUSR2 starts the program anew and hands its listeners over.");
    auto const path = std::make_shared<std::string>();
    command->add_option("-c,--config", *path, "The configuration file")
        ->required()
        ->type_name("FILE");
    command->footer("Example:\n  sallyport run -c /etc/sallyport/sallyport.yaml");
    command->callback([path, &command_line, &exit_code] { exit_code = run(*path, command_line); });
}

} // namespace

int main(int argc, char** argv) {
    forbid_core_files();
    try {
        CLI::App app{"Sallyport: an authenticating reverse proxy and API gateway"};
        app.name("sallyport");
        app.require_subcommand(1);
        app.footer("Examples:\n  sallyport check -c /etc/sallyport/sallyport.yaml\n"
                   "  sallyport run -c /etc/sallyport/sallyport.yaml\n"
                   "`sallyport COMMAND --help` has more.");
        int exit_code = 0;
        accept::CommandLine const command_line{argc, argv};
        add_run_command(app, command_line, exit_code);
        commands::add_commands(app, exit_code);
        try {
            app.parse(argc, argv);
        } catch (CLI::ParseError const& error) {
            // 2: the words make no command. Help that was asked for is no error.
            return app.exit(error) == 0 ? 0 : 2;
        }
        return exit_code;
    } catch (std::exception const& exception) {
        std::cerr << "sallyport: " << exception.what() << '\n';
        return 1;
    }
}
